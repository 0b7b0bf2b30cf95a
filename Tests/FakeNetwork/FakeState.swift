// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Networking

extension FakeBus.State {
  mutating func answer(_ call: BusCall) throws(BusError) -> [BusValue] {
    switch call.method {
    case "GetManagedObjects": return [objects]
    case "GetSettings": return [withoutSecrets(profiles[call.path] ?? .tuple([]))]
    case "RequestScan", "Set": return []
    case "GetInterface": return [.path("/fi/w1/wpa_supplicant1/Interfaces/0")]
    case "AddConnection": return [.path(save(call.arguments[0]))]
    case "ActivateConnection":
      return [.path(activate(call.arguments[0].text ?? "", device(call.arguments[1])))]
    case "AddAndActivateConnection2":
      let profile = save(call.arguments[0])
      volatile.insert(profile)
      return [.path(profile), .path(activate(profile, device(call.arguments[1]))), .variants([:])]
    case "DeactivateConnection":
      let profile = actives[call.arguments[0].text ?? ""]
      if let device = used.first(where: { $0.value == profile })?.key { disconnect(device, to: 30) }
      return []
    case "Update2":
      profiles[call.path] = call.arguments[0]
      return [.variants([:])]
    case "Delete":
      if let device = used.first(where: { $0.value == call.path })?.key {
        disconnect(device, to: 30)
      }
      profiles[call.path] = nil
      return []
    case "CheckpointCreate":
      next += 1
      let path = "\(FakeBus.root)/Checkpoint/\(next)"
      checkpoints[path] = .init(profiles: profiles, used: used, actives: actives, states: states)
      return [.path(path)]
    case "CheckpointRollback", "CheckpointDestroy":
      guard let saved = checkpoints.removeValue(forKey: call.arguments[0].text ?? "") else {
        throw BusError(name: "\(FakeBus.name).InvalidArguments", message: "no such checkpoint")
      }
      if call.method == "CheckpointRollback" {
        (profiles, used, actives, states) =
          (saved.profiles, saved.used, saved.actives, saved.states)
      }
      return []
    default:
      throw BusError(name: "org.freedesktop.DBus.Error.UnknownMethod", message: call.method)
    }
  }

  mutating func save(_ settings: BusValue) -> String {
    next += 1
    let path = "\(FakeBus.root)/Settings/\(next)"
    profiles[path] = settings
    return path
  }

  mutating func activate(_ profile: String, _ device: String) -> String {
    disconnect(device, to: 30)
    next += 1
    let active = "\(FakeBus.root)/ActiveConnection/\(next)"
    actives[active] = profile
    used[device] = profile
    states[device] = 50
    return active
  }

  mutating func disconnect(_ device: String, to number: UInt32) {
    if let profile = used.removeValue(forKey: device) {
      actives = actives.filter { $0.value != profile }
      if volatile.remove(profile) != nil { profiles[profile] = nil }
    }
    states[device] = number
  }

  /// Why a device that is connecting fails; `nil` if it does not.
  func failure(of device: String) -> UInt32? {
    guard let settings = used[device].flatMap({ profiles[$0] }) else { return nil }
    guard let name = FakeBus.wifi(settings) else {
      let needsAddress = device == "eth0" && settings["ipv4"]?["method"]?.text != "manual"
      return needsAddress && !cableGivesAddress ? 5 : nil
    }
    guard let point = points.first(where: { $0.name == name && $0.isInReach }) else { return 53 }
    let password = settings["802-11-wireless-security"]?["psk"]?.text ?? ""
    return password == point.password ? nil : 7
  }

  mutating func tell(_ device: String, _ number: UInt32, from old: UInt32, reason: UInt32) {
    signals.append(
      .init(
        path: path(device), name: "\(FakeBus.name).Device.StateChanged",
        arguments: [.uint32(number), .uint32(old), .uint32(reason)]))
  }

  private func path(_ device: String) -> String { "\(FakeBus.root)/Devices/\(device)" }

  private func device(_ value: BusValue) -> String {
    String(value.text?.split(separator: "/").last ?? "")
  }

  /// As NetworkManager answers GetSettings.
  private func withoutSecrets(_ settings: BusValue) -> BusValue {
    var all = settings.entries
    if var security = all["802-11-wireless-security"]?.entries {
      security["psk"] = nil
      all["802-11-wireless-security"] = .variants(security)
    }
    return .map("a{sv}", all)
  }

  // MARK: Objects

  private var objects: BusValue {
    var all: [String: BusValue] = [:]
    // As NetworkManager's route metrics have it.
    let way = ["eth0", "wlan0"].first { states[$0] == 100 && used[$0] != nil }
    let primary = actives.first { $0.value == way.flatMap { used[$0] } }
    all[FakeBus.root] = object([
      "": [
        "PrimaryConnection": .path(
          primary?.key ?? (hasBridge ? "\(FakeBus.root)/ActiveConnection/0" : "/")),
        "Connectivity": .uint32(connectivity),
        "WirelessEnabled": .flag(true), "WirelessHardwareEnabled": .flag(true),
      ]
    ])
    for (index, point) in points.enumerated() where point.isInReach && !isHotspot {
      all["\(FakeBus.root)/AccessPoint/\(index)"] = object([
        ".AccessPoint": [
          "Ssid": .bytes(Array(point.name.utf8)), "Strength": .byte(point.strength),
          "Frequency": .uint32(2412), "Flags": .uint32(point.password.isEmpty ? 0 : 1),
          "WpaFlags": .uint32(0), "RsnFlags": .uint32(point.security),
        ]
      ])
    }
    for device in [hasCable ? "eth0" : nil, hasRadio ? "wlan0" : nil].compactMap(\.self) {
      add(device, to: &all)
    }
    for (path, profile) in actives {
      let devices = used.filter { $0.value == profile }.keys.map { BusValue.path(self.path($0)) }
      all[path] = object([
        ".Connection.Active": [
          "Connection": .path(profile), "Devices": .list("o", devices), "State": .uint32(2),
        ]
      ])
    }
    if hasBridge {
      all["\(FakeBus.root)/ActiveConnection/0"] = object([
        ".Connection.Active": [
          "Connection": .path("\(FakeBus.root)/Settings/0"),
          "Devices": .list("o", [.path(path("br0"))]), "State": .uint32(2),
        ]
      ])
    }
    for path in profiles.keys { all[path] = object([".Settings.Connection": [:]]) }
    return .map("a{sa{sv}}", all)
  }

  private var isHotspot: Bool {
    let settings = used["wlan0"].flatMap { profiles[$0] }
    return settings?["802-11-wireless"]?["mode"]?.text == "ap"
  }

  private func add(_ device: String, to all: inout [String: BusValue]) {
    let isForeign = device == "eth0" && isCableForeign
    let isConnected = states[device] == 100 || isForeign
    let settings = used[device].flatMap { profiles[$0] }
    let fixed = settings?["ipv4"]?["address-data"]?.elements.first
    let address: BusValue =
      fixed
      ?? .variants([
        "address": .text(device == "eth0" ? "192.168.1.20" : "192.168.7.20"), "prefix": .uint32(24),
      ])
    let addresses = "\(FakeBus.root)/IP4Config/\(device)"
    if isConnected {
      all[addresses] = object([
        ".IP4Config": [
          "AddressData": .list("a{sv}", [address]), "Gateway": .text("192.168.1.1"),
          "NameserverData": .list("a{sv}", [.variants(["address": .text("192.168.1.1")])]),
        ]
      ])
    }
    let active = actives.first { $0.value == used[device] }?.key
    var interfaces: [String: [String: BusValue]] = [
      ".Device": [
        "Interface": .text(device), "DeviceType": .uint32(device == "eth0" ? 1 : 2),
        "State": .uint32(isForeign ? 10 : states[device] ?? 10), "Managed": .flag(!isForeign),
        "ActiveConnection": .path(active ?? "/"),
        "Ip4Config": .path(isConnected ? addresses : "/"),
      ]
    ]
    if device == "wlan0" {
      let paths = points.indices.map { BusValue.path("\(FakeBus.root)/AccessPoint/\($0)") }
      interfaces[".Device.Wireless"] = ["AccessPoints": .list("o", paths)]
    }
    all[path(device)] = object(interfaces)
  }

  private func object(_ interfaces: [String: [String: BusValue]]) -> BusValue {
    .map(
      "a{sv}",
      Dictionary(
        uniqueKeysWithValues: interfaces.map { ("\(FakeBus.name)\($0)", .variants($1)) }))
  }
}
