// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// An object that applies changed settings while the program runs.
public protocol SettingsFollower: Sendable {
  /// Applies changed settings. The function is called on any thread, with locks held, so it must neither block nor call
  /// back into the caller.
  func change(_ settings: Settings)
}
