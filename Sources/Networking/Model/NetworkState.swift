// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The state of the box's network, as the API sends it, with names in snake_case. The names of the fields are part of
/// the API and must not change.
package struct NetworkState: Codable, Sendable, Equatable {
  /// A network interface of the box: a cable, a Wi-Fi radio or a modem.
  package struct Interface: Codable, Sendable, Equatable {
    /// The name of the interface, such as "eth0".
    package var interface: String
    /// The kind of the interface: "cable", "wifi" or "modem".
    package var kind: String
    /// The state of the interface: "connected", "connecting", "disconnected", "failed", "unavailable" (no cable, or
    /// switched off), "unusable" (not managed by NetworkManager) or "hotspot" (it makes the box's own Wi-Fi).
    package var state: String
    /// Whether the box's traffic goes through this interface.
    package var inUse: Bool
    /// The name of the Wi-Fi that the interface is in, or is about to be in; `nil` for none.
    package var wifi: String?
    package var strengthPercent: Int?
    /// The IP addresses of the interface with their prefix lengths: "192.168.1.5/24".
    package var addresses: [String]
    package var gateway: String?
    package var dns: [String]
    /// How the interface gets its IPv4 address: "dhcp" or "static"; `nil` if it has no connection.
    package var method: String?
  }

  /// A Wi-Fi in reach.
  package struct WiFi: Codable, Sendable, Equatable {
    package var name: String
    package var strengthPercent: Int
    /// How the Wi-Fi is protected: "open", "wep", "wpa", "wpa3" or "enterprise".
    package var security: String
    package var known: Bool
    package var inUse: Bool
    package var frequencyMhz: Int
  }

  /// The box's own Wi-Fi.
  package struct Hotspot: Codable, Sendable, Equatable {
    package var up: Bool
    package var name: String
    package var secured: Bool
    /// The URL of OnAir's page for devices in this Wi-Fi: "http://10.42.0.1".
    package var url: String
  }

  /// The last change of the network that a person has requested.
  package struct Change: Codable, Sendable, Equatable {
    package enum State: String, Codable, Sendable {
      case trying, unconfirmed, done, failed, undone
    }

    package var number: Int
    package var state: State
    package var sentence: String
    /// Seconds until the change is undone if nobody confirms it; `nil` if it does not wait to be confirmed.
    package var secondsLeft: Int?
  }

  /// Whether NetworkManager runs on this machine. If not, nothing else is known.
  package var available: Bool
  /// The state of the network as a sentence for people.
  package var sentence: String
  /// What is wrong with the network, as a sentence for people; `nil` if nothing is.
  package var problem: String?
  /// The network interfaces of the box, ordered by kind: cables, Wi-Fi radios, modems.
  package var ways: [Interface] = []
  /// The Wi-Fis in reach, the strongest first. While the box makes its own Wi-Fi, and so cannot scan: the Wi-Fis that
  /// were in reach before.
  package var wifis: [WiFi] = []
  /// The names of all saved Wi-Fis.
  package var known: [String] = []
  /// The box's own Wi-Fi, also while it is not up; `nil` if the box has no Wi-Fi radio.
  package var hotspot: Hotspot?
  /// The last change that a person has requested; `nil` if there was none.
  package var change: Change?

  /// The number of the change that waits to be confirmed; `nil` if none does.
  package var unconfirmed: Int? {
    change.flatMap { $0.state == .unconfirmed ? $0.number : nil }
  }

  /// The state to report where NetworkManager does not run, and before the network has been read for the first time.
  static let none = NetworkState(available: false, sentence: Sentences.unavailable)
}

extension NetworkState {
  /// Makes the state that the API sends from the state of NetworkManager.
  /// - Parameters:
  ///   - wifis: the Wi-Fis in reach. While the box makes its own Wi-Fi, its radio sees no other Wi-Fi: `wifis` then has
  ///     the Wi-Fis that were in reach before.
  ///   - untried: the path of a saved connection that has not worked yet, so that its Wi-Fi does not count as known;
  ///     `nil` for none.
  init(
    _ view: NetworkView, wifis: [NetworkView.AccessPoint], untried: String?, failures: Failures,
    hotspotSettings: HotspotSettings, change: Change?
  ) {
    available = true
    let isHotspot = view.hotspot != nil
    problem = Sentences.problem(view, failures)
    sentence = Sentences.state(view, failures)
    if isHotspot { sentence += " \(Sentences.hotspot(hotspotSettings))" }
    let uplink = view.uplink
    ways = view.devices.map { Interface($0, view, inUse: $0.path == uplink?.path) }.sorted {
      (NetworkView.Kind(rawValue: $0.kind) ?? .modem, $0.interface)
        < (NetworkView.Kind(rawValue: $1.kind) ?? .modem, $1.interface)
    }
    let used = Set(view.uplinks.compactMap { view.wifi(of: $0) })
    let saved = Set(
      view.profiles.filter { !$0.isAccessPoint && $0.path != untried }.compactMap(\.wifi))
    known = saved.map(wifiText).sorted()
    self.wifis = wifis.map {
      WiFi(
        name: $0.text, strengthPercent: $0.strength, security: $0.security.rawValue,
        known: saved.contains($0.name), inUse: used.contains($0.name), frequencyMhz: $0.megahertz)
    }
    if view.devices.contains(where: { $0.kind == .wifi }) {
      hotspot = Hotspot(
        up: isHotspot, name: hotspotSettings.name, secured: hotspotSettings.password.isSet,
        url: "http://\(HotspotSettings.address)")
    }
    self.change = change
  }
}

extension NetworkState.Interface {
  fileprivate init(_ device: NetworkView.Device, _ view: NetworkView, inUse: Bool) {
    interface = device.interface
    kind = device.kind.rawValue
    state = view.isHotspot(device) && device.state == .connected ? "hotspot" : "\(device.state)"
    self.inUse = inUse
    let name = view.isHotspot(device) ? nil : view.wifi(of: device)
    wifi = name.map(wifiText)
    strengthPercent = name.flatMap { name in
      view.accessPoints.filter { $0.device == device.path && $0.name == name }.map(\.strength).max()
    }
    addresses = device.addresses
    gateway = device.gateway
    dns = device.dns
    method = view.profile(of: device).map { $0.isStatic ? "static" : "dhcp" }
  }
}
