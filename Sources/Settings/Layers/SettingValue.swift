// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A setting with its effective value and the origin of that value, for listings of the settings.
public struct SettingValue: Sendable, Equatable {
  /// The setting's declaration: key, type, default and help.
  public let declaration: Declaration
  /// The value as a TOML literal, which is also valid JSON. A secret is shown only as "(set)" or as empty, and an
  /// address without its stream key.
  public let text: String
  /// Where the effective value was given, or that it is the default.
  public let origin: Origin
  /// For `video.bitrate_kbps`, where 0 lets OnAir choose: the bit rate in effect, in kbit/s. `nil` for all other
  /// settings.
  public var effective: String?
}
