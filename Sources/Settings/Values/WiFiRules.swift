// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Checks names and passwords against the rules of IEEE 802.11.
public enum WiFiRules {
  /// Whether the bytes can be the name (SSID) of a Wi-Fi.
  public static func isName(_ name: some Collection<UInt8>) -> Bool {
    (1...32).contains(name.count)
  }

  /// Whether a text can be a WPA passphrase (annex J of IEEE 802.11).
  public static func isPassphrase(_ text: String) -> Bool {
    (8...63).contains(text.utf8.count) && text.utf8.allSatisfy { (32...126).contains($0) }
  }

  /// Whether a text can be a WPA passphrase, or a pre-shared key as 64 hexadecimal digits.
  public static func isPassword(_ text: String) -> Bool {
    isPassphrase(text)
      || text.utf8.count == 64 && text.allSatisfy { $0.isASCII && $0.isHexDigit }
  }
}
