// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Whether `text` is a host name (RFC 1123, and "_", which local networks use) or an IPv4 address.
func isHostName(_ text: Substring) -> Bool {
  guard (1...253).contains(text.utf8.count) else { return false }
  let labels = text.split(separator: ".", omittingEmptySubsequences: false)
  // RFC 1123 2.1: the last label of a name is never all digits, so this must be an IPv4 address.
  if let last = labels.last, isNumber(last, digits: 253) { return isIPv4(text) }
  return labels.allSatisfy { label in
    (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
      && label.unicodeScalars.allSatisfy { scalar in
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
        default: false
        }
      }
  }
}

/// Whether `text` is a dotted IPv4 address. Leading zeros are rejected, since some parsers read them as octal.
func isIPv4(_ text: Substring) -> Bool {
  let parts = text.split(separator: ".", omittingEmptySubsequences: false)
  return parts.count == 4
    && parts.allSatisfy { part in
      isNumber(part, digits: 3) && UInt8(part) != nil && (part.count == 1 || !part.hasPrefix("0"))
    }
}

/// Whether `text` is an IPv6 address (RFC 4291 2.2) without a zone.
func isIPv6(_ text: Substring) -> Bool {
  let characters = Array(text)
  var gaps: [Int] = []
  for at in characters.indices.dropLast() where characters[at] == ":" && characters[at + 1] == ":" {
    gaps.append(at)
  }
  guard gaps.count <= 1 else { return false }
  guard let gap = gaps.first else { return groups(text, mayEndInIPv4: true) == 8 }
  let before = text.prefix(gap)
  let after = text.dropFirst(gap + 2)
  let left = before.isEmpty ? 0 : groups(before, mayEndInIPv4: false)
  let right = after.isEmpty ? 0 : groups(after, mayEndInIPv4: true)
  guard let left, let right else { return false }
  // "::" stands for at least one group.
  return left + right <= 7
}

/// The number of 16-bit groups in `text`; nil if anything else is in it.
private func groups(_ text: Substring, mayEndInIPv4: Bool) -> Int? {
  var count = 0
  let parts = text.split(separator: ":", omittingEmptySubsequences: false)
  for (index, part) in parts.enumerated() {
    if mayEndInIPv4, index == parts.count - 1, isIPv4(part) {
      count += 2
    } else if (1...4).contains(part.utf8.count), part.allSatisfy({ $0.isASCII && $0.isHexDigit }) {
      count += 1
    } else {
      return nil
    }
  }
  return count
}
