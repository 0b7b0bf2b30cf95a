// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Reads NetworkManager's objects (its D-Bus API, "NetworkManager D-Bus API Reference").

extension NetworkView {
  /// NetworkManager's name on the bus, with which the names of its interfaces begin.
  private static let manager = "org.freedesktop.NetworkManager"

  /// Reads the view from the answers of NetworkManager.
  /// - Parameters:
  ///   - objects: the answer of GetManagedObjects: a dictionary of objects by path, of interfaces by name, of
  ///     properties by name.
  ///   - settings: the settings of each saved connection by its path: the answers of GetSettings, which have no
  ///     secrets.
  init(objects: BusValue, settings: [String: BusValue]) {
    let interfaces = objects.entries
    func properties(_ path: String?, _ name: String) -> BusValue? {
      path.flatMap { interfaces[$0]?["\(Self.manager)\(name)"] }
    }
    let root = properties("/org/freedesktop/NetworkManager", "")
    primary = root?["PrimaryConnection"]?.object
    connectivity = root?["Connectivity"]?.integer ?? 0
    isRadioOn =
      root?["WirelessEnabled"]?.flag ?? true && root?["WirelessHardwareEnabled"]?.flag ?? true
    for path in interfaces.keys.sorted() {
      if let device = properties(path, ".Device"), let kind = Kind(device["DeviceType"]?.integer) {
        var device = Device(path: path, kind: kind, device)
        device.read(properties(device.addressPath("4", in: objects), ".IP4Config"))
        device.readV6(properties(device.addressPath("6", in: objects), ".IP6Config"))
        // An unmanaged device with a gateway counts as connected: ifupdown or the kernel, for example, has set it up.
        if device.state == .unusable, device.gateway != nil { device.state = .connected }
        devices.append(device)
        let points = properties(path, ".Device.Wireless")?["AccessPoints"]?.elements ?? []
        for point in points.compactMap(\.object) {
          guard let found = properties(point, ".AccessPoint") else { continue }
          accessPoints.append(AccessPoint(device: path, found))
        }
      }
      if let active = properties(path, ".Connection.Active") {
        actives.append(
          Active(
            path: path, profile: active["Connection"]?.object ?? "",
            devices: active["Devices"]?.elements.compactMap(\.object) ?? []))
      }
    }
    profiles = settings.sorted { $0.key < $1.key }.map { Profile(path: $0.key, $0.value) }
  }

  /// The object paths of the saved connections.
  static func profilePaths(in objects: BusValue) -> [String] {
    objects.entries.keys.filter { $0.hasPrefix("/org/freedesktop/NetworkManager/Settings/") }
      .sorted()
  }
}

extension NetworkView.Kind {
  /// Makes the kind of a network interface; `nil` for a device that is no cable, Wi-Fi radio or modem.
  /// - Parameter type: the NMDeviceType of the device.
  fileprivate init?(_ type: Int?) {
    switch type {
    case 1: self = .cable
    case 2: self = .wifi
    case 8: self = .modem
    default: return nil
    }
  }
}

extension NetworkView.Device {
  fileprivate init(path: String, kind: NetworkView.Kind, _ properties: BusValue) {
    self.path = path
    self.kind = kind
    // "Interface" is the control port of a modem. While the modem is connected, "IpInterface" is its network interface,
    // which has the address.
    let interface = properties["Interface"]?.text ?? ""
    let ip = properties["IpInterface"]?.text ?? ""
    self.interface = kind == .modem && !ip.isEmpty ? ip : interface
    state = NetworkView.State(properties["State"]?.integer ?? 0)
    active = properties["ActiveConnection"]?.object
    if properties["Managed"]?.flag == false { state = .unusable }
  }

  /// The object path of the device's IP configuration.
  /// - Parameter version: the version of IP: "4" or "6".
  fileprivate func addressPath(_ version: String, in objects: BusValue) -> String? {
    objects[path]?["org.freedesktop.NetworkManager.Device"]?["Ip\(version)Config"]?.object
  }

  /// Adds the IPv6 addresses of a device's IP6Config, apart from link-local ones.
  fileprivate mutating func readV6(_ configuration: BusValue?) {
    // Skip link-local addresses: each interface has one, even without a network.
    addresses += Self.addresses(configuration).filter { !$0.hasPrefix("fe80") }
  }

  /// The addresses of an IP4Config or IP6Config with their prefix lengths: "192.168.1.5/24".
  private static func addresses(_ configuration: BusValue?) -> [String] {
    (configuration?["AddressData"]?.elements ?? []).compactMap { entry in
      guard let address = entry["address"]?.text, let prefix = entry["prefix"]?.integer else {
        return nil
      }
      return "\(address)/\(prefix)"
    }
  }

  /// Reads IPv4 addresses, gateway and name servers from a device's IP4Config.
  fileprivate mutating func read(_ addresses: BusValue?) {
    self.addresses = Self.addresses(addresses)
    gateway = addresses?["Gateway"]?.text.flatMap { $0.isEmpty ? nil : $0 }
    dns = (addresses?["NameserverData"]?.elements ?? []).compactMap { $0["address"]?.text }
  }
}

extension NetworkView.AccessPoint {
  fileprivate init(device: String, _ properties: BusValue) {
    self.device = device
    name = properties["Ssid"]?.bytes ?? []
    strength = min(100, properties["Strength"]?.integer ?? 0)
    megahertz = properties["Frequency"]?.integer ?? 0
    security = NetworkView.Security(
      isPrivate: (properties["Flags"]?.integer ?? 0) & 1 != 0,
      keys: (properties["WpaFlags"]?.integer ?? 0) | (properties["RsnFlags"]?.integer ?? 0))
  }
}

extension NetworkView.Security {
  /// Derives how an access point is protected from the flags that NetworkManager reports.
  /// - Parameters:
  ///   - isPrivate: whether the access point encrypts (the privacy flag in NM80211ApFlags).
  ///   - keys: the NM80211ApSecurityFlags of WPA and of RSN, combined with a bitwise or.
  init(isPrivate: Bool, keys: Int) {
    let (psk, enterprise, sae) = (0x100, 0x200, 0x400)
    if keys & psk != 0 {
      self = .wpa
    } else if keys & sae != 0 {
      self = .wpa3
    } else if keys & enterprise != 0 {
      self = .enterprise
    } else {
      self = isPrivate && keys == 0 ? .wep : .open
    }
  }
}

extension NetworkView.Profile {
  init(path: String, _ settings: BusValue) {
    self.path = path
    interface = settings["connection"]?["interface-name"]?.text
    let radio = settings["802-11-wireless"]
    wifi = radio?["ssid"]?.bytes
    isAccessPoint = radio?["mode"]?.text == "ap"
    isStatic = settings["ipv4"]?["method"]?.text == "manual"
  }
}
