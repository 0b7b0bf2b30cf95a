// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What the log and the events tell of the network, with a sentence for people.
package enum NetworkReport: Sendable, Equatable {
  /// There is a network again, or for the first time.
  case up(String)
  /// There is none, and why.
  case down(String)
  /// The box has changed from one network link (cable, Wi-Fi, modem) to another.
  case way(String)
  /// A Wi-Fi could not be joined: the cause for programs, and why.
  case failed(cause: String, String)
  case hotspotStarted(String)
  case hotspotEnded(String)
  case undone(String)
  /// For the log only.
  case note(String)
}
