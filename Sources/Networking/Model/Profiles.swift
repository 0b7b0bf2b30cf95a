// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
internal import Settings

// The connections that the box makes and changes, as NetworkManager writes them ("nm-settings-dbus").

/// What is needed to join a Wi-Fi.
package struct WiFiRequest: Sendable, Equatable {
  /// The name, 1 to 32 bytes.
  package var name: [UInt8]
  /// Empty for an open Wi-Fi, or one that is known.
  package var password: Secret
  /// It does not tell its name.
  package var isHidden: Bool

  package init(name: String, password: String = "", isHidden: Bool = false) {
    self.name = Array(name.utf8)
    self.password = Secret(password)
    self.isHidden = isHidden
  }
}

/// The box's own Wi-Fi.
package struct HotspotSettings: Sendable, Equatable {
  /// Whether it begins by itself.
  package var isAutomatic: Bool
  package var name: String
  /// Empty for an open Wi-Fi.
  package var password: Secret

  package init(isAutomatic: Bool, name: String, password: Secret) {
    self.isAutomatic = isAutomatic
    self.name = name
    self.password = password
  }

  /// Where the page is then.
  package static let address = "10.42.0.1"
}

enum Profiles {
  /// A Wi-Fi to join. Where an access point is known NetworkManager completes it.
  /// - Parameter security: of the access point; `nil` if it is not seen.
  static func wifi(_ request: WiFiRequest, _ security: NetworkView.Security?) -> BusValue {
    var settings: [String: BusValue] = [
      "connection": .variants([
        "id": .text(wifiText(request.name)), "type": .text("802-11-wireless"),
        "autoconnect": .flag(true),
      ]),
      "802-11-wireless": .variants([
        "ssid": .bytes(request.name), "mode": .text("infrastructure"),
        "hidden": .flag(request.isHidden),
      ]),
      "ipv4": .variants(["method": .text("auto")]),
      "ipv6": .variants(["method": .text("auto")]),
    ]
    if request.password.isSet {
      let management = security == .wpa3 ? "sae" : "wpa-psk"
      settings["802-11-wireless-security"] = .variants([
        "key-mgmt": .text(management), "psk": .text(request.password.reveal()),
      ])
    }
    return .map("a{sv}", settings)
  }

  static func hotspot(_ plan: HotspotSettings) -> BusValue {
    var settings: [String: BusValue] = [
      "connection": .variants([
        "id": .text(plan.name), "type": .text("802-11-wireless"), "autoconnect": .flag(false),
      ]),
      "802-11-wireless": .variants([
        "ssid": .bytes(Array(plan.name.utf8)), "mode": .text("ap"),
        // Every phone has it, and it reaches further.
        "band": .text("bg"),
      ]),
      "ipv4": .variants([
        "method": .text("shared"),
        "address-data": .list(
          "a{sv}",
          [.variants(["address": .text(HotspotSettings.address), "prefix": .uint32(24)])]),
      ]),
      "ipv6": .variants(["method": .text("disabled")]),
    ]
    if plan.password.isSet {
      settings["802-11-wireless-security"] = .variants([
        "key-mgmt": .text("wpa-psk"), "psk": .text(plan.password.reveal()),
        "proto": .list("s", [.text("rsn")]),
      ])
    }
    return .map("a{sv}", settings)
  }

  /// A cable without a saved connection.
  static func cable(_ interface: String) -> BusValue {
    .map(
      "a{sv}",
      [
        "connection": .variants([
          "id": .text(interface), "type": .text("802-3-ethernet"),
          "interface-name": .text(interface),
        ]),
        "802-3-ethernet": .variants([:]),
        "ipv6": .variants(["method": .text("auto")]),
      ])
  }

  /// The saved connection with another address.
  static func addressed(_ settings: BusValue, _ address: AddressRequest) -> BusValue {
    var all = settings.entries
    var part = all["ipv4"]?.entries ?? [:]
    // "addresses" and "dns" are older forms of "address-data" and "dns-data".
    for key in ["addresses", "address-data", "gateway", "dns", "dns-data", "routes", "route-data"] {
      part[key] = nil
    }
    switch address {
    case .dhcp: part["method"] = .text("auto")
    case .fixed(let fixed):
      part["method"] = .text("manual")
      part["address-data"] = .list(
        "a{sv}",
        [
          .variants([
            "address": .text("\(fixed.address)"), "prefix": .uint32(UInt32(fixed.prefix)),
          ])
        ])
      if let gateway = fixed.gateway { part["gateway"] = .text("\(gateway)") }
      part["dns"] = .list("u", fixed.dns.map { .uint32($0.networkOrder) })
    }
    all["ipv4"] = .variants(part)
    return .map("a{sv}", all)
  }
}
