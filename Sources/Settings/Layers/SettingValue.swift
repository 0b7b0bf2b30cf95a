// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The effective value of a setting.
public struct SettingValue: Sendable, Equatable {
  public let declaration: Declaration
  /// As TOML and JSON write it; of a secret only whether it is set, and of an address no stream key.
  public let text: String
  public let origin: Origin
  /// What a value comes to that leaves it to the box; `nil` for all others.
  public var effective: String?
}
