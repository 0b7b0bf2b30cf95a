// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// This program's own version.
public enum Version {
  public static let current = "0.1.0"
}
