// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// OnAir's version.
public enum Version {
  /// The version of this program, as major, minor and patch number.
  public static let current = "0.3.0"
}
