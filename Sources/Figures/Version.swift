// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// OnAir's version.
public enum Version {
  public static let current = "0.3.0"
}
