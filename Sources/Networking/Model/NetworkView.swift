// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// NetworkManager's devices, Wi-Fis and connections at one moment.
struct NetworkView: Sendable, Equatable {
  /// What leads out of the box. The order is the one of preference: NetworkManager's route metrics are 100, 600 and 700.
  enum Kind: String, Sendable, Comparable {
    case cable, wifi, modem

    static func < (a: Kind, b: Kind) -> Bool { a.rank < b.rank }
    private var rank: Int { [.cable, .wifi, .modem].firstIndex(of: self) ?? 0 }
  }

  /// NMDeviceState, as far as it matters here.
  enum State: Sendable, Equatable {
    /// It is not NetworkManager's, or its driver is not ready.
    case unusable
    /// No cable, or a radio that is switched off.
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

  struct Device: Sendable, Equatable {
    /// The object's path.
    var path: String
    /// "eth0".
    var interface: String
    var kind: Kind
    var state: State
    /// The connection that is active or is being activated, by its object's path; `nil` without one.
    var active: String?
    /// "192.168.1.5/24".
    var addresses: [String] = []
    var gateway: String?
    var dns: [String] = []
  }

  /// How a Wi-Fi keeps others out.
  enum Security: String, Sendable {
    case open, wep, wpa, wpa3, enterprise
  }

  struct AccessPoint: Sendable, Equatable {
    var device: String
    var name: [UInt8]
    /// Percent.
    var strength: Int
    var megahertz: Int
    var security: Security
  }

  /// A saved connection.
  struct Profile: Sendable, Equatable {
    var path: String
    /// The only one that it is for; `nil` for any.
    var interface: String?
    /// The Wi-Fi's name.
    var wifi: [UInt8]?
    /// The box itself makes this Wi-Fi.
    var isAccessPoint = false
    var isStatic = false
  }

  /// A connection in use.
  struct Active: Sendable, Equatable {
    var path: String
    var profile: String
    var devices: [String]
  }

  var devices: [Device] = []
  var accessPoints: [AccessPoint] = []
  var profiles: [Profile] = []
  var actives: [Active] = []
  /// The active connection with the default route.
  var primary: String?
  /// What NetworkManager has found out about the internet: 2 is a portal that asks for a login.
  var connectivity = 0
  /// Whether the radios are switched on, by hand and by program.
  var isRadioOn = true

  func device(_ interface: String) -> Device? { devices.first { $0.interface == interface } }

  func active(of device: Device) -> Active? {
    device.active.flatMap { path in actives.first { $0.path == path } }
  }

  func profile(of device: Device) -> Profile? {
    active(of: device).flatMap { active in profiles.first { $0.path == active.profile } }
  }

  /// The saved connection of a cable that is in no network.
  func cableProfile(for device: Device) -> Profile? {
    guard device.kind == .cable else { return nil }
    return profiles.first { $0.interface == device.interface }
  }

  /// The name of the Wi-Fi that a device is in, or is about to be in; `nil` for a cable.
  func wifi(of device: Device) -> [UInt8]? { profile(of: device)?.wifi }

  func isHotspot(_ device: Device) -> Bool { profile(of: device)?.isAccessPoint ?? false }

  /// The device that makes the box's own Wi-Fi, or is about to.
  var hotspotDevice: Device? { devices.first(where: isHotspot) }

  /// The device that makes the box's own Wi-Fi.
  var hotspot: Device? { hotspotDevice.flatMap { $0.state == .connected ? $0 : nil } }

  /// Devices that join others to the box, in their order of preference.
  var ways: [Device] {
    devices.filter { $0.state == .connected && !isHotspot($0) && !$0.addresses.isEmpty }
      .sorted { $0.kind < $1.kind }
  }

  /// The device whose route is used.
  var way: Device? {
    let main = actives.first { $0.path == primary }
    return ways.first { main?.devices.contains($0.path) ?? false } ?? ways.first
  }

  /// Whether the box is in a network. A bridge or a VLAN is no device here, and can have the default route.
  var isOnline: Bool {
    let main = actives.first { $0.path == primary }
    let isElsewhere =
      main.map { main in !devices.contains { main.devices.contains($0.path) } } ?? false
    return isElsewhere || !ways.isEmpty
  }

  /// Whether it has been given a Wi-Fi.
  var knowsWiFi: Bool { profiles.contains { $0.wifi != nil && !$0.isAccessPoint } }

  func isKnown(_ wifi: [UInt8]) -> Bool {
    profiles.contains { $0.wifi == wifi && !$0.isAccessPoint }
  }

  /// The strongest access point of each Wi-Fi, the strongest first. Hidden ones have no name.
  var wifis: [AccessPoint] {
    let named = accessPoints.filter { point in point.name.contains { $0 != 0 } }
    return Dictionary(grouping: named) { $0.name }.values.compactMap { points in
      points.max { $0.strength < $1.strength }
    }.sorted { ($1.strength, $0.text) < ($0.strength, $1.text) }
  }
}

extension NetworkView.AccessPoint {
  /// The name for people.
  var text: String { wifiText(name) }
}

/// A Wi-Fi's name for people: any bytes are allowed in it, UTF-8 is usual.
func wifiText(_ name: [UInt8]) -> String { String(decoding: name, as: UTF8.self) }
