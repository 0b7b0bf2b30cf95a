// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
package import Networking
internal import Synchronization

/// A NetworkManager with a cable, a radio and access points, as its D-Bus API shows them. What it begins ends when the
/// test calls `settle`.
package final class FakeBus: Bus, Sendable {
  struct Point {
    var name: String
    var password: String
    var strength: UInt8
    var security: UInt32
    var isInReach = true
  }

  struct State {
    var isThere = true
    var isAllowed = true
    var hasRadio = true
    /// The cable is set up by somebody else.
    var isCableForeign = false
    /// A bridge has the default route.
    var hasBridge = false
    var hasCable = true
    /// The network at the cable gives an address.
    var cableGivesAddress = true
    /// Of eth0 and wlan0: NMDeviceState.
    var states: [String: UInt32] = ["eth0": 20, "wlan0": 30]
    /// The saved connections by their path.
    var profiles: [String: BusValue] = [:]
    /// The path of the profile that a device uses.
    var used: [String: String] = [:]
    var actives: [String: String] = [:]
    var volatile: Set<String> = []
    var points: [Point] = []
    var connectivity: UInt32 = 4
    var next = 1
    var signals: [BusSignal] = []
    var calls: [BusCall] = []
    var checkpoints: [String: Saved] = [:]
  }

  struct Saved {
    var profiles: [String: BusValue]
    var used: [String: String]
    var actives: [String: String]
    var states: [String: UInt32]
  }

  static let root = "/org/freedesktop/NetworkManager"
  static let name = "org.freedesktop.NetworkManager"
  let state = Mutex(State())

  package init() {}

  // MARK: What a test does

  package var calls: [BusCall] { state.withLock { $0.calls } }

  /// The names of the saved Wi-Fis.
  package var savedWiFis: [String] {
    state.withLock { $0.profiles.values.compactMap(FakeBus.wifi).sorted() }
  }

  /// The saved connections.
  package var savedConnections: [BusValue] {
    state.withLock { state in state.profiles.sorted { $0.key < $1.key }.map(\.value) }
  }

  /// Whether NetworkManager runs.
  package func setRuns(_ runs: Bool) { state.withLock { $0.isThere = runs } }

  /// Whether this user may change anything.
  package func setAllowed(_ isAllowed: Bool) { state.withLock { $0.isAllowed = isAllowed } }

  package func removeRadio() { state.withLock { $0.hasRadio = false } }

  /// The cable is in a network that somebody else has set up.
  package func setForeignCable() { state.withLock { $0.isCableForeign = true } }

  /// A bridge has the default route.
  package func addBridge() { state.withLock { $0.hasBridge = true } }

  package func setConnectivity(_ value: UInt32) { state.withLock { $0.connectivity = value } }

  /// Plugs the cable into a network that gives no address: NetworkManager tries, and gives up.
  package func setCableWithoutAddress() {
    state.withLock { state in
      state.cableGivesAddress = false
      state.states["eth0"] = 120
      state.tell("eth0", 120, from: 70, reason: 5)
    }
  }

  /// Plugs the cable in, whose network gives an address, or pulls it out.
  package func setCable(_ isIn: Bool) {
    state.withLock { state in
      state.disconnect("eth0", to: isIn ? 30 : 20)
      guard isIn else { return }
      let profile =
        state.profiles.first { $0.value["connection"]?["id"]?.text == "Wired connection 1" }?.key
        ?? state.save(
          .map(
            "a{sv}",
            [
              "connection": .variants([
                "id": .text("Wired connection 1"), "type": .text("802-3-ethernet"),
              ]), "ipv4": .variants(["method": .text("auto")]),
            ]))
      _ = state.activate(profile, "eth0")
      state.states["eth0"] = 100
    }
  }

  /// Adds an access point.
  /// - Parameter security: NM80211ApSecurityFlags; by default those of WPA2 with a password, or none.
  package func addPoint(
    _ name: String, password: String = "", strength: UInt8 = 70, security: UInt32? = nil
  ) {
    state.withLock {
      $0.points.append(
        Point(
          name: name, password: password, strength: strength,
          security: security ?? (password.isEmpty ? 0 : 0x108)))
    }
  }

  /// Takes an access point away, or brings it back.
  package func setPoint(_ name: String, isInReach: Bool) {
    state.withLock { state in
      for index in state.points.indices where state.points[index].name == name {
        state.points[index].isInReach = isInReach
      }
      let isUsed = state.used["wlan0"].flatMap { state.profiles[$0] }.flatMap(FakeBus.wifi) == name
      if isUsed, !isInReach { state.disconnect("wlan0", to: 30) }
      if isInReach, state.states["wlan0"] == 30 {
        let known = state.profiles.first { FakeBus.wifi($0.value) == name }
        if let known { _ = state.activate(known.key, "wlan0") }
      }
    }
  }

  /// Ends what has been begun: devices that are connecting are connected, or fail.
  package func settle() {
    state.withLock { state in
      for (device, number) in state.states where (40..<100).contains(number) {
        if let reason = state.failure(of: device) {
          state.tell(device, 120, from: number, reason: reason)
          state.disconnect(device, to: 30)
        } else {
          state.states[device] = 100
          state.tell(device, 100, from: number, reason: 0)
        }
      }
    }
  }

  // MARK: Bus

  package func call(_ call: BusCall) throws(BusError) -> [BusValue] {
    let result = state.withLock { state in
      Result { () throws(BusError) in
        guard state.isThere else {
          throw BusError(
            name: "org.freedesktop.DBus.Error.ServiceUnknown", message: "no such name")
        }
        if call.method != "GetManagedObjects", call.method != "GetSettings" {
          state.calls.append(call)
          guard state.isAllowed else {
            throw BusError(name: "\(FakeBus.name).PermissionDenied", message: "not authorized")
          }
        }
        return try state.answer(call)
      }
    }
    return try result.get()
  }

  package func signals() -> [BusSignal] {
    state.withLock { state in
      defer { state.signals = [] }
      return state.signals
    }
  }

  package func wait(until deadline: MediaTime, _ worker: Worker) {
    // Nothing wakes the thread when a test changes something.
    worker.wait(until: min(deadline, worker.clock.now + .milliseconds(50)))
  }

  static func wifi(_ settings: BusValue) -> String? {
    guard settings["802-11-wireless"]?["mode"]?.text != "ap" else { return nil }
    return settings["802-11-wireless"]?["ssid"]?.bytes.map { String(decoding: $0, as: UTF8.self) }
  }
}
