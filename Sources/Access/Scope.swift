// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The rights of a session or token. Each scope includes all that come before it.
public enum Scope: String, Codable, CaseIterable, Comparable, Sendable {
  /// May see the status, the statistics and the preview.
  case read
  /// May also start, pause, resume, mute, unmute and end the broadcast, but not open the camera off air.
  case operate
  /// May also give all other commands but "reload", and open the camera off air.
  case control
  /// May do everything: change settings, tokens and passwords, too.
  case admin

  /// The position of the scope in the order of rights. A scope with a higher rank includes all with a lower one.
  private var rank: Int {
    switch self {
    case .read: 0
    case .operate: 1
    case .control: 2
    case .admin: 3
    }
  }

  public static func < (a: Scope, b: Scope) -> Bool { a.rank < b.rank }
}
