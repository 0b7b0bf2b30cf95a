// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Why the network is not changed.
package enum NetworkError: Error, Sendable, Equatable {
  /// There is no NetworkManager.
  case unavailable
  /// NetworkManager does not let this user do that.
  case forbidden
  case noRadio
  case unknownWiFi(String)
  case unknownInterface(String)
  /// The interface is in no network, or in one that NetworkManager has not set up.
  case noConnection(String)
  case unfitName, unfitPassword, passwordNeeded(String)
  /// An address that cannot be, with the reason.
  case unfitAddress(String)
  /// It asks for a user's name as well.
  case enterprise(String)
  case oldSecurity(String)
  /// A password was given for a Wi-Fi that takes none.
  case isOpen(String)
  /// Another change has not ended.
  case busy
  case nothingToConfirm
  /// In the box's own Wi-Fi its radio cannot look for others.
  case noScan
  case failed(String)

  package var code: String {
    switch self {
    case .unavailable: "no_network_manager"
    case .forbidden: "forbidden"
    case .noRadio: "no_radio"
    case .unknownWiFi: "unknown_wifi"
    case .unknownInterface, .noConnection: "unknown_interface"
    case .unfitName: "unfit_name"
    case .unfitPassword: "unfit_password"
    case .passwordNeeded: "password_needed"
    case .unfitAddress: "unfit_address"
    case .enterprise, .oldSecurity, .isOpen: "unfit_security"
    case .busy: "running"
    case .nothingToConfirm: "nothing_to_confirm"
    case .noScan: "no_scan"
    case .failed: "failed"
    }
  }

  package var sentence: String {
    switch self {
    case .unavailable: Sentences.unavailable
    case .forbidden:
      "NetworkManager does not let OnAir's user change the network: install onair.polkit.rules."
    case .noRadio: "The box has no Wi-Fi."
    case .unknownWiFi(let name): "The box does not know the Wi-Fi \(name)."
    case .unknownInterface(let name): "The box has no network interface \(name)."
    case .noConnection(let name):
      "NetworkManager has no connection at \(name): plug its cable in, or join a Wi-Fi first."
    case .unfitName: "The name of a Wi-Fi has 1 to 32 bytes."
    case .unfitPassword: "The password of a Wi-Fi has 8 to 63 characters."
    case .passwordNeeded(let name): "The Wi-Fi \(name) needs a password."
    case .unfitAddress(let sentence): sentence
    case .enterprise(let name):
      "The Wi-Fi \(name) asks for a user's name, too, which the box does not have."
    case .oldSecurity(let name):
      "The Wi-Fi \(name) uses WEP, which protects nothing: set its access point to WPA2."
    case .isOpen(let name):
      "The Wi-Fi \(name) is open. If yours is not, somebody imitates it; if it is, join it without a password."
    case .busy: "Another change of the network is being tried: wait for its end."
    case .nothingToConfirm: "No change of the network waits to be confirmed."
    case .noScan: "In its own Wi-Fi the box cannot look for others."
    case .failed(let reason): "NetworkManager refuses: \(reason)"
    }
  }
}
