// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What a session or token may do. Each scope includes the ones before.
public enum Scope: String, Codable, CaseIterable, Comparable, Sendable {
  /// Status, figures and the preview.
  case read
  /// What a broadcast needs, too: start, pause, resume, mute and end it. Not the camera off air.
  case operate
  /// All commands but "reload", and the camera off air, too.
  case control
  /// Everything: settings, tokens and the password, too.
  case admin

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
