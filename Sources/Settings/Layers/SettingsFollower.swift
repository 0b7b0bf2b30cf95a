// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A part of the program that follows settings which change while it runs.
public protocol SettingsFollower: Sendable {
  /// Takes changed settings. It is called on any thread, with locks held: it neither waits nor asks who calls it.
  func change(_ settings: Settings)
}
