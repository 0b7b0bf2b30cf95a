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
    let least = Swift.min(Self.part, secret.count)
    var shown: [Unicode.Scalar] = []
    var at = 0
    while at < count {
      let length = (0...(secret.count - least)).reduce(0) { longest, start in
        let common = zip(text[at...], secret[start...]).prefix { $0 == $1 }.count
        return Swift.max(longest, common)
      }
      if length >= least {
        shown.append("…")
        at += length
      } else {
        shown.append(self[at])
        at += 1
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
