// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A part of the program that applies settings which change while it runs.
public protocol SettingsFollower: Sendable {
  /// Applies changed settings. It is called on any thread, with locks held, so it must neither block nor call back into
  /// the caller.
  func change(_ settings: Settings)
}
