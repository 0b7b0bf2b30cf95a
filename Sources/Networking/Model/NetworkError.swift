// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Why a request about the network is refused, or has failed.
package enum NetworkError: Error, Sendable, Equatable {
  /// NetworkManager is not running on this machine.
  case unavailable
  /// NetworkManager does not let OnAir's user change the network.
  case forbidden
  /// The box has no Wi-Fi radio that is switched on.
  case noRadio
  /// No connection for the Wi-Fi of this name is saved.
  case unknownWiFi(String)
  /// The box has no network interface of this name that could get an address.
  case unknownInterface(String)
  /// The interface of this name is in no network, or in one that NetworkManager has not set up.
  case noConnection(String)
  /// The name of the Wi-Fi is empty, or has more than 32 bytes.
  case unfitName
  /// The password cannot be that of a Wi-Fi, for example because it has fewer than 8 characters.
  case unfitPassword
  /// The Wi-Fi of this name needs a password, and none was given or saved.
  case passwordNeeded(String)
  /// The requested address is not possible; the sentence says why.
  case unfitAddress(String)
  /// The Wi-Fi of this name asks for the name of a user in addition to a password (WPA Enterprise).
  case enterprise(String)
  /// The Wi-Fi of this name uses WEP, which the box does not join.
  case oldSecurity(String)
  /// A password was given for the Wi-Fi of this name, which is open and takes none.
  case isOpen(String)
  /// Another change of the network is still being tried, or too many requests are queued.
  case busy
  /// A confirmation was refused: no change of the network waits to be confirmed, or the waiting change has another
  /// number.
  case nothingToConfirm
  /// The radio makes the box's own Wi-Fi, and cannot scan for other Wi-Fis meanwhile.
  case noScan
  /// NetworkManager has refused the request. The value is NetworkManager's error message.
  case failed(String)

  /// The error as a code for programs, as the API sends it.
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

  /// A sentence for people that says what is wrong.
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
