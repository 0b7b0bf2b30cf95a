// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// `[wifi]`: the Wi-Fi that the box itself opens so that it can be set up, and the country whose radio rules apply.
public struct WiFiSettings: Sendable, Equatable {
  /// Whether the box opens its own Wi-Fi when it has no network after its start.
  public let hotspot: Bool
  /// The name (SSID) of the box's own Wi-Fi, 1 to 32 bytes.
  public let hotspotName: String
  /// The password of the box's own Wi-Fi; empty if that Wi-Fi is open.
  public let hotspotPassword: Secret
  /// The country that the box is in: two letters of ISO 3166-1; empty for the system's setting.
  public let country: String

  init(_ form: inout Form) {
    hotspot = form.value(
      "wifi.hotspot", .flag, default: true,
      help: """
        Whether the box makes its own Wi-Fi when it has had no network for a minute after its \
        start, so that a phone can set it up. It ends when a network is there.
        """)
    hotspotName = form.value(
      "wifi.hotspot_name", .wifiName, default: "onair-setup",
      help: """
        The name of the box's own Wi-Fi.
        """)
    hotspotPassword = form.value(
      "wifi.hotspot_password", .wifiPassword, default: Secret(), isSecret: true,
      help: """
        The password of the box's own Wi-Fi. If it is empty, that Wi-Fi is open: who is near can \
        open the page, which asks for its own password, and can listen to what a phone sends.
        """)
    country = form.value(
      "wifi.country", .country, default: "",
      help: """
        The country that the box is in, as two letters (DE, CN, US): it decides which Wi-Fi \
        channels are allowed. If it is empty, the system's settings count.
        """)
  }
}

extension Kind where Value == String {
  /// The kind of a setting whose value is the name (SSID) of a Wi-Fi network: 1 to 32 bytes.
  static var wifiName: Kind {
    .text(
      "a name of 1 to 32 bytes",
      read: { text throws(ValueError) in
        WiFiRules.isName(text.utf8) && !text.hasHiddenCharacters ? text : nil
      }, show: { $0 })
  }

  /// The kind of a setting whose value is the code of a country (two capital letters), or empty.
  static var country: Kind {
    .text(
      "two capital letters (DE), or empty",
      read: { text throws(ValueError) in
        let isCode = text.utf8.count == 2 && text.utf8.allSatisfy { (65...90).contains($0) }
        return text.isEmpty || isCode ? text : nil
      }, show: { $0 })
  }
}

extension Kind where Value == Secret {
  /// The kind of a setting whose value is a WPA passphrase, or empty.
  static var wifiPassword: Kind {
    secret("8 to 63 characters of ASCII, or empty", WiFiRules.isPassphrase)
  }

  /// The kind of a setting whose value is a secret text, or empty.
  /// - Parameters:
  ///   - allowed: the allowed values, as a continuation of "must be".
  ///   - isAllowed: whether a text that is not empty is allowed.
  static func secret(_ allowed: String, _ isAllowed: @escaping @Sendable (String) -> Bool) -> Kind {
    .text(
      allowed, read: { text in text.isEmpty || isAllowed(text) ? Secret(text) : nil },
      show: { $0.isSet ? $0.description : "" })
  }
}
