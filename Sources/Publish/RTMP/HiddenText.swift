// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Finding a secret in what a server says, however the server writes it.

extension [Unicode.Scalar] {
  /// So many characters of a secret are hidden even if the rest is missing.
  private static let part = 8

  /// Without a secret: its whole, or eight and more characters of it in a row, in any letter case. An ellipsis stands in
  /// their place.
  func hiding(_ secret: [Unicode.Scalar]) -> [Unicode.Scalar] {
    guard !secret.isEmpty else { return self }
    let (text, secret) = (map(\.lowercase), secret.map(\.lowercase))
    let length = Swift.min(Self.part, secret.count)
    // Looked up, so that a long secret costs little more than a short one.
    let parts = Set((0...(secret.count - length)).map { secret[$0..<$0 + length] })
    var shown: [Unicode.Scalar] = []
    var hiddenUpTo = 0
    for at in indices {
      if at + length <= count, parts.contains(text[at..<at + length]) {
        if at >= hiddenUpTo { shown.append("…") }
        hiddenUpTo = at + length
      } else if at >= hiddenUpTo {
        shown.append(self[at])
      }
    }
    return shown
  }
}

extension Unicode.Scalar {
  /// Of ASCII letters.
  fileprivate var lowercase: Unicode.Scalar {
    ("A"..."Z").contains(self) ? Unicode.Scalar(UInt8(value) + 32) : self
  }
}

extension String {
  /// All but the unreserved characters encoded (RFC 3986, section 2.3).
  var percentEncoded: String {
    utf8.reduce(into: "") { text, byte in
      let scalar = Unicode.Scalar(byte)
      let isUnreserved =
        scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        || "-._~".unicodeScalars.contains(scalar)
      if isUnreserved {
        text.unicodeScalars.append(scalar)
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        text += "%" + (digits.count == 1 ? "0" : "") + digits
      }
    }
  }

  /// Each "%" with two digits decoded; others stay.
  var percentDecoded: String {
    var bytes: [UInt8] = []
    var rest = Array(utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2,
        let decoded = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        bytes.append(decoded)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
