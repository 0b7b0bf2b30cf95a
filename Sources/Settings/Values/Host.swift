// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Posix

/// Whether `text` is a host name (RFC 1123, and "_", which local networks use) or an IPv4 address.
func isHostName(_ text: Substring) -> Bool {
  guard (1...253).contains(text.utf8.count) else { return false }
  let labels = text.split(separator: ".", omittingEmptySubsequences: false)
  // RFC 1123 2.1: the last label of a name is never all digits, so such a text must be an IPv4 address.
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
func isIPv4(_ text: Substring) -> Bool { IPAddress.bytes(text)?.count == 4 }

/// Whether `text` is an IPv6 address (RFC 4291 2.2) without a zone.
func isIPv6(_ text: Substring) -> Bool { IPAddress.bytes(text)?.count == 16 }
