// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// How much of the stream a destination gets that must not cost the others anything.
public enum Thinning: Int, Sendable, Comparable {
  case whole
  /// Keyframes and sound.
  case keyframes
  case nothing

  public static func < (a: Thinning, b: Thinning) -> Bool { a.rawValue < b.rawValue }

  /// One step more of the stream.
  public var fuller: Thinning { Thinning(rawValue: rawValue - 1) ?? .whole }
}
