// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Why a device could not join a network.
enum Failure: String, Sendable, Equatable {
  /// The password of the Wi-Fi is wrong.
  case wrongPassword = "wrong_password"
  /// No access point of the Wi-Fi was found.
  case notInReach = "not_in_reach"
  /// The network gives the box no IP address.
  case noAddress = "no_address"
  /// wpa_supplicant could not connect to the access point, or not in time.
  case noAnswer = "no_answer"
  /// Any other reason.
  case other = "failed"

  /// Derives the failure from the reason that NetworkManager gives.
  /// - Parameter reason: the NMDeviceStateReason with which a device has failed.
  init(_ reason: Int) {
    self =
      switch reason {
      // Reason 7: NetworkManager needs another password, but nobody can type one. Reason 8: the access point has ended
      // the handshake.
      case 7, 8: .wrongPassword
      case 53: .notInReach
      case 5, 15, 16, 17: .noAddress
      case 9, 10, 11: .noAnswer
      default: .other
      }
  }

  /// A sentence that says why a network could not be joined.
  /// - Parameters:
  ///   - name: the network in words, such as "the Wi-Fi Home" or "the cable".
  ///   - wifi: the name of the Wi-Fi; `nil` for a cable or a modem.
  func sentence(_ name: String, wifi: String?) -> String {
    switch self {
    case .wrongPassword: "The password of \(name) is wrong."
    case .notInReach: "\(name.capitalizedFirst) is not in reach."
    case .noAddress where wifi == nil: "The network at \(name) gives the box no address."
    case .noAddress: "\(name.capitalizedFirst) gives the box no address."
    case .noAnswer:
      "\(name.capitalizedFirst) does not let the box in: go nearer, or check the password."
    case .other: "\(name.capitalizedFirst) could not be joined."
    }
  }
}

/// For each device, why it last failed to join a network. The failure is forgotten when the device is in a network.
struct Failures {
  /// A failure, and a sentence for people about it that names the network.
  struct Entry: Equatable {
    var failure: Failure
    var sentence: String
  }

  /// The failures by the object path of the device.
  private(set) var entries: [String: Entry] = [:]
  /// The network that each device last joined or tried to join, by the object path of the device. `name` is the network
  /// in words, such as "the Wi-Fi Home"; `wifi` is the name of the Wi-Fi, `nil` for a cable or a modem.
  private var joining: [String: (name: String, wifi: String?)] = [:]

  /// Notes which network each device is in or is joining, and forgets the failures of devices that are in a network.
  mutating func update(from view: NetworkView) {
    for device in view.devices {
      if let wifi = view.wifi(of: device), !view.isHotspot(device) {
        joining[device.path] = ("the Wi-Fi \(wifiText(wifi))", wifiText(wifi))
      } else if device.kind != .wifi {
        joining[device.path] = (device.kind == .cable ? "the cable" : "the modem", nil)
      }
      if device.state == .connected, !view.isHotspot(device) { entries[device.path] = nil }
    }
  }

  /// Forgets the failure of a device, because the device is to join another network.
  mutating func forget(_ device: String) { entries[device] = nil }

  /// Notes that a person wants a device to join a Wi-Fi.
  mutating func noteJoin(_ device: String, _ wifi: String) {
    forget(device)
    joining[device] = ("the Wi-Fi \(wifi)", wifi)
  }

  /// Processes a signal of NetworkManager. Notes the failure if the signal says that a device could not join a network.
  /// - Returns: the failure; `nil` if the signal reports no failure, or the same failure as before.
  mutating func process(_ signal: BusSignal) -> Entry? {
    guard signal.name == "org.freedesktop.NetworkManager.Device.StateChanged",
      signal.arguments.count == 3, signal.arguments[0].integer == 120,
      let reason = signal.arguments[2].integer, let (name, wifi) = joining[signal.path],
      // Ignore the loss of a connection that has worked (state 100 before): its settings are right.
      signal.arguments[1].integer != 100
    else { return nil }
    let failure = Failure(reason)
    let entry = Entry(failure: failure, sentence: failure.sentence(name, wifi: wifi))
    let isNew = entries[signal.path] != entry
    entries[signal.path] = entry
    return isNew ? entry : nil
  }
}

extension String {
  /// The text with its first letter in upper case.
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
