// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A change or a problem of the access to the box, to be written to the log.
public enum AccessReport: Hashable, Sendable {
  /// The first password has been set from this address; `nil` for the Unix socket.
  case setUp(from: Address?)
  /// The owner's password has been changed from this address; `nil` for the Unix socket.
  case passwordChanged(from: Address?)
  /// The passwords, the sessions and the tokens have been forgotten.
  case reset
  /// A token for scripts has been made.
  case tokenMade(name: String, scope: Scope)
  /// The token of this name has been removed.
  case tokenRemoved(name: String)
  /// All tokens have been removed.
  case tokensRemoved
  /// The operator's password has been set or changed (`isSet`), or has been removed.
  case operatorPassword(isSet: Bool)
  /// The code for setting the first password, as in "ABCD-EFGH", for whoever can read the box's log and console.
  /// `isLost`: whether the box has lost an earlier password.
  case code(String, isLost: Bool)
  /// The number of wrong and refused attempts since the last such report, and the address from which the last attempt
  /// came. Reported at most once in ten minutes.
  case wrongAttempts(count: Int, last: Address)
  /// The box had a password and has lost it.
  case lost
  /// The access file cannot be used; the error says why.
  case unreadable(AccessError)
  /// A login, a logout or the removal of a token has taken effect, but would not survive a restart, since the access
  /// file cannot be written. `directory` holds the file; `reason` is the system's error text. Reported once until
  /// `saved` is reported.
  case notSaved(directory: String, reason: String)
  /// The changes that could not be saved are saved now.
  case saved

  /// The report as a sentence for the log.
  public var sentence: String {
    switch self {
    case .setUp(let address): "The first password has been set\(Self.origin(address))."
    case .passwordChanged(let address):
      "The password has been changed\(Self.origin(address)); all other sessions have ended."
    case .reset:
      "The access has been reset: there is no password, and no session or token counts any more."
    case .tokenMade(let name, let scope):
      "The token \"\(name)\" with the scope \"\(scope.rawValue)\" has been made."
    case .tokenRemoved(let name): "The token \"\(name)\" has been removed."
    case .tokensRemoved: "All tokens have been removed."
    case .operatorPassword(let isSet):
      isSet
        ? "The operator's password has been set; who was logged in with an older one has to log in again."
        : "The operator's password has been removed, and with it who was logged in with it."
    case .code(let code, isLost: true):
      "This box has lost its password. Set a new one on the page with this code: \(code). Or hold the main button "
        + "for 10 s, or write one into onair.toml on the card (password in [page])."
    case .code(let code, isLost: false):
      "This box has no password yet. From outside the local network, set it with this code: \(code)"
    case .lost:
      "This box had a password, and has lost it with its other settings. To set a new one on the page, "
        + "give the code of the box's log, hold the main button for 10 s first, or write it into onair.toml on the card (password in [page])."
    case .wrongAttempts(let count, let address):
      "\(count) attempts with a wrong password or code, or too soon after one, the last from "
        + "\(address)."
    case .unreadable(let error): error.sentence
    case .notSaved(let directory, let reason):
      "Who is logged in cannot be saved in \(directory) (\(reason)), so a restart would bring back "
        + "the old state: free some space there, or make it writable."
    case .saved: "Who is logged in has been saved again."
    }
  }

  /// Where a change came from, as the end of a sentence. `address` is `nil` for the Unix socket.
  private static func origin(_ address: Address?) -> String {
    address.map { " from \($0)" } ?? " by command"
  }
}
