// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// NetworkManager's devices, Wi-Fis and connections at one moment.
struct NetworkView: Sendable, Equatable {
  /// The kind of a network interface, from the most to the least preferred: NetworkManager gives routes the metrics 100
  /// (cable), 600 (Wi-Fi) and 700 (modem).
  enum Kind: String, Sendable, Comparable {
    case cable, wifi, modem

    static func < (a: Kind, b: Kind) -> Bool { a.rank < b.rank }
    private var rank: Int { [.cable, .wifi, .modem].firstIndex(of: self) ?? 0 }
  }

  /// The state of a device: NetworkManager's NMDeviceState, reduced to the states that OnAir distinguishes.
  enum State: Sendable, Equatable {
    /// NetworkManager does not manage the device, or its driver is not ready.
    case unusable
    /// No cable is plugged in, or the radio is switched off.
    case unavailable
    case disconnected, connecting, connected, failed

    init(_ number: Int) {
      self =
        switch number {
        case 20: .unavailable
        case 30, 110: .disconnected
        case 40..<100: .connecting
        case 100: .connected
        case 120: .failed
        default: .unusable
        }
    }
  }

  /// A network device of NetworkManager: a cable, a radio or a modem.
  struct Device: Sendable, Equatable {
    /// The object path of the device.
    var path: String
    /// The name of the interface, such as "eth0".
    var interface: String
    var kind: Kind
    var state: State
    /// The object path of the connection that is active or is being activated; `nil` without one.
    var active: String?
    /// The IP addresses with their prefix lengths: "192.168.1.5/24".
    var addresses: [String] = []
    var gateway: String?
    var dns: [String] = []
  }

  /// How a Wi-Fi is protected.
  enum Security: String, Sendable {
    case open, wep, wpa, wpa3, enterprise
  }

  /// An access point that a radio sees.
  struct AccessPoint: Sendable, Equatable {
    /// The object path of the radio that sees the access point.
    var device: String
    var name: [UInt8]
    /// The signal strength in percent.
    var strength: Int
    var megahertz: Int
    var security: Security
  }

  /// A saved connection of NetworkManager.
  struct Profile: Sendable, Equatable {
    var path: String
    /// The name of the only interface that may use the connection; `nil` if any interface may.
    var interface: String?
    /// The name of the Wi-Fi; `nil` if the connection is for no Wi-Fi.
    var wifi: [UInt8]?
    /// Whether the connection makes the box's own Wi-Fi, instead of joining a Wi-Fi.
    var isAccessPoint = false
    /// Whether the connection has a fixed IPv4 address, instead of one from DHCP.
    var isStatic = false
  }

  /// A connection that is active or is being activated: the object paths of the active connection, of the saved
  /// connection and of the devices.
  struct Active: Sendable, Equatable {
    var path: String
    var profile: String
    var devices: [String]
  }

  /// The cables, radios and modems.
  var devices: [Device] = []
  /// The access points that the radios see.
  var accessPoints: [AccessPoint] = []
  /// The saved connections.
  var profiles: [Profile] = []
  /// The connections that are active or are being activated.
  var actives: [Active] = []
  /// The object path of the active connection that has the default route; `nil` if there is none.
  var primary: String?
  /// NetworkManager's NMConnectivityState: whether the internet can be reached. 0 means that this is not known, 2 that
  /// a captive portal asks for a login.
  var connectivity = 0
  /// Whether the Wi-Fi radios are switched on, both by their hardware switch and by software.
  var isRadioOn = true

  /// The device whose network interface has this name; `nil` if there is none.
  func device(_ interface: String) -> Device? { devices.first { $0.interface == interface } }

  /// The active connection of a device, or the connection that is being activated on it; `nil` without one.
  func active(of device: Device) -> Active? {
    device.active.flatMap { path in actives.first { $0.path == path } }
  }

  /// The saved connection that a device uses, or is about to use; `nil` without one.
  func profile(of device: Device) -> Profile? {
    active(of: device).flatMap { active in profiles.first { $0.path == active.profile } }
  }

  /// The saved connection for a cable, even while the cable is in no network; `nil` if none is saved, or if `device` is
  /// no cable.
  func cableProfile(for device: Device) -> Profile? {
    guard device.kind == .cable else { return nil }
    return profiles.first { $0.interface == device.interface }
  }

  /// The name of the Wi-Fi that a device is in, or is about to be in; `nil` for none, as for a cable.
  func wifi(of device: Device) -> [UInt8]? { profile(of: device)?.wifi }

  /// Whether a device makes the box's own Wi-Fi, or is about to.
  func isHotspot(_ device: Device) -> Bool { profile(of: device)?.isAccessPoint ?? false }

  /// The device that makes the box's own Wi-Fi, or is about to; `nil` for none.
  var hotspotDevice: Device? { devices.first(where: isHotspot) }

  /// The device that makes the box's own Wi-Fi; `nil` while that Wi-Fi is not up.
  var hotspot: Device? { hotspotDevice.flatMap { $0.state == .connected ? $0 : nil } }

  /// The devices through which the box is in a network, the most preferred kind first.
  var uplinks: [Device] {
    devices.filter { $0.state == .connected && !isHotspot($0) && !$0.addresses.isEmpty }
      .sorted { $0.kind < $1.kind }
  }

  /// The device with the default route. If none of `devices` has the default route: the most preferred device that is
  /// in a network; `nil` if none is in a network.
  var uplink: Device? {
    let main = actives.first { $0.path == primary }
    return uplinks.first { main?.devices.contains($0.path) ?? false } ?? uplinks.first
  }

  /// Whether the box is in a network: through one of `devices`, or through another interface, such as a bridge or a
  /// VLAN, that has the default route.
  var isOnline: Bool {
    let main = actives.first { $0.path == primary }
    let isElsewhere =
      main.map { main in !devices.contains { main.devices.contains($0.path) } } ?? false
    return isElsewhere || !uplinks.isEmpty
  }

  /// Whether any saved connection joins a Wi-Fi.
  var knowsWiFi: Bool { profiles.contains { $0.wifi != nil && !$0.isAccessPoint } }

  /// Whether a saved connection joins the Wi-Fi of this name.
  func isKnown(_ wifi: [UInt8]) -> Bool {
    profiles.contains { $0.wifi == wifi && !$0.isAccessPoint }
  }

  /// The strongest access point of each Wi-Fi, the strongest first. Hidden Wi-Fis, which have no name, are omitted.
  var wifis: [AccessPoint] {
    let named = accessPoints.filter { point in point.name.contains { $0 != 0 } }
    return Dictionary(grouping: named) { $0.name }.values.compactMap { points in
      points.max { $0.strength < $1.strength }
    }.sorted { ($1.strength, $0.text) < ($0.strength, $1.text) }
  }
}

extension NetworkView.AccessPoint {
  /// The name of the Wi-Fi as text for people.
  var text: String { wifiText(name) }
}

/// The name of a Wi-Fi as text for people. A name may be any bytes; they are read as UTF-8.
func wifiText(_ name: [UInt8]) -> String { String(decoding: name, as: UTF8.self) }
