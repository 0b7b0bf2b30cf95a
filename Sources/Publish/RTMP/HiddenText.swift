// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Hides a secret in a text that a server has sent: in any letter case, percent-encoded or not.

extension [Unicode.Scalar] {
  /// A part of a secret is hidden if it has at least this many consecutive characters.
  private static let minHiddenCount = 8

  /// This text without a secret. Each place with the whole secret, or with eight or more consecutive characters of it,
  /// in any letter case, is replaced by an ellipsis.
  func hiding(_ secret: [Unicode.Scalar]) -> [Unicode.Scalar] {
    guard !secret.isEmpty else { return self }
    let (text, secret) = (map(\.lowercase), secret.map(\.lowercase))
    let length = Swift.min(Self.minHiddenCount, secret.count)
    // A set, so that a long secret costs little more time than a short one.
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
  /// The scalar in lower case if it is an ASCII letter; otherwise the scalar itself.
  fileprivate var lowercase: Unicode.Scalar {
    ("A"..."Z").contains(self) ? Unicode.Scalar(UInt8(value) + 32) : self
  }
}

extension String {
  /// This text percent-encoded, except for the unreserved characters (RFC 3986, section 2.3).
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

  /// This text with each "%" and two hexadecimal digits decoded. Any other "%" stays.
  var percentDecoded: String {
    var bytes: [UInt8] = []
    var rest = Array(utf8)[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2)
      // Checks for digits, since `UInt8(_:radix:)` would accept a sign, too.
      if byte == UInt8(ascii: "%"), digits.count == 2,
        digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }),
        let decoded = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
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
