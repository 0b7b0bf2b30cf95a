// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
internal import Settings

// The settings of the connections that the box makes and changes, in NetworkManager's D-Bus format (nm-settings-dbus).

/// The name and the password for joining a Wi-Fi.
package struct WiFiRequest: Sendable, Equatable {
  /// The name of the Wi-Fi, 1 to 32 bytes.
  package var name: [UInt8]
  /// The password of the Wi-Fi; empty for an open Wi-Fi, or to use the saved password of a known Wi-Fi.
  package var password: Secret
  /// Whether the Wi-Fi does not broadcast its name.
  package var isHidden: Bool

  package init(name: String, password: String = "", isHidden: Bool = false) {
    self.name = Array(name.utf8)
    self.password = Secret(password)
    self.isHidden = isHidden
  }
}

/// The settings of the box's own Wi-Fi.
package struct HotspotSettings: Sendable, Equatable {
  /// Whether the Wi-Fi begins by itself when the box finds no network after its start.
  package var isAutomatic: Bool
  /// The name of the Wi-Fi.
  package var name: String
  /// The password of the Wi-Fi; empty for an open Wi-Fi.
  package var password: Secret

  package init(isAutomatic: Bool, name: String, password: Secret) {
    self.isAutomatic = isAutomatic
    self.name = name
    self.password = password
  }

  /// The IPv4 address of the box, and so of the page, in the box's own Wi-Fi.
  package static let address = "10.42.0.1"
}

/// Makes the settings of NetworkManager's connections.
enum Profiles {
  /// The settings of a new connection that joins a Wi-Fi.
  /// - Parameter security: the protection of the Wi-Fi; `nil` if no access point of this Wi-Fi is seen.
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

  /// The settings of the connection that makes the box's own Wi-Fi.
  static func hotspot(_ plan: HotspotSettings) -> BusValue {
    var settings: [String: BusValue] = [
      "connection": .variants([
        "id": .text(plan.name), "type": .text("802-11-wireless"), "autoconnect": .flag(false),
      ]),
      "802-11-wireless": .variants([
        "ssid": .bytes(Array(plan.name.utf8)), "mode": .text("ap"),
        // Use 2.4 GHz: every phone supports it, and it reaches further than 5 GHz.
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

  /// The settings of a new connection for a cable that has no saved connection.
  /// - Parameter interface: the name of the cable's network interface, such as "eth0".
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

  /// Returns the settings of a saved connection with its IPv4 address replaced.
  /// - Parameter settings: the present settings of the connection.
  static func addressed(_ settings: BusValue, _ address: AddressRequest) -> BusValue {
    var all = settings.entries
    var part = all["ipv4"]?.entries ?? [:]
    // Remove the present addresses. "addresses" and "dns" are older forms of "address-data" and "dns-data".
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
