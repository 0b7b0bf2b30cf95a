// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// `[wifi]` of a seed file: the network that the box joins.
public struct SeedWiFi: Sendable, Equatable {
  /// The name of the network; empty if the file names none.
  public let ssid: String
  /// The password of the network; empty for an open network, or to keep the password that the box already has for this
  /// network.
  public let password: Secret
  /// Whether the file has an empty password, as OnAir writes it once the box has stored the password. The network is
  /// then not an open network.
  public let isPasswordEmptied: Bool
  /// Whether the network does not broadcast its name.
  public let isHidden: Bool

  init(_ form: inout Form) {
    ssid = form.value(
      "wifi.ssid", .ssid, default: "", effect: .nextStart,
      help: """
        The name of the Wi-Fi that the box joins.
        """)
    password = form.value(
      "wifi.password", .wifiKey, default: Secret(), effect: .nextStart, isSecret: true,
      help: """
        The Wi-Fi's password. It is emptied in the file once the box has it. If it is empty, the box keeps the password \
        that it has for this Wi-Fi. Without this line the Wi-Fi is taken for an open one, unless the box has a password \
        for it.
        """)
    isPasswordEmptied = !password.isSet && form.origin(of: "wifi.password") != .builtIn
    isHidden = form.value(
      "wifi.hidden", .flag, default: false, effect: .nextStart,
      help: """
        Whether the Wi-Fi does not tell its name.
        """)
    if ssid.isEmpty, password.isSet || isHidden, !form.isDoubtful("wifi.ssid") {
      let key = password.isSet ? "wifi.password" : "wifi.hidden"
      form.report(key, "is set, and wifi.ssid is not", at: form.place(of: key))
    }
  }
}

/// `page.password` in a seed file: the password of the page.
struct SeedPassword {
  /// The password; not set if the seed file gives none, so that the box keeps its own.
  let value: Secret

  init(_ form: inout Form) {
    value = form.value(
      "page.password", .pagePassword, default: Secret(), effect: .nextStart, isSecret: true,
      help: """
        The page's password. It is emptied in the file once the box has it. If it is empty, the box keeps the one that it \
        has.
        """)
  }
}

extension Kind where Value == String {
  /// The kind of a setting whose value is the name of a Wi-Fi network, or empty.
  fileprivate static var ssid: Kind {
    .text(
      "a Wi-Fi's name of at most 32 bytes, or empty",
      read: { text in
        (text.isEmpty || WiFiRules.isName(text.utf8))
          && !text.unicodeScalars.contains(where: isControl) ? text : nil
      },
      show: { $0 })
  }
}

extension Kind where Value == Secret {
  /// The kind of a setting whose value is a WPA passphrase, a pre-shared key (64 hexadecimal digits), or empty.
  fileprivate static var wifiKey: Kind {
    secret("8 to 63 characters of ASCII, or empty", WiFiRules.isPassword)
  }

  /// The kind of a setting whose value is a password of a length that `Access` accepts, or empty.
  fileprivate static var pagePassword: Kind {
    secret("8 to 200 characters, or empty") { (8...200).contains($0.unicodeScalars.count) }
  }
}
