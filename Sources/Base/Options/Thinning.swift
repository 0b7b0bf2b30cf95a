// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// How much of the stream a relay gets. A relay whose link does not keep up gets less, so that it does not slow down
/// the other destinations.
public enum Thinning: Int, Sendable, Comparable {
  /// The relay gets all packets.
  case whole
  /// The relay gets only keyframes and audio.
  case keyframes
  /// The relay gets no packets.
  case nothing

  public static func < (a: Thinning, b: Thinning) -> Bool { a.rawValue < b.rawValue }

  /// The next step towards the whole stream; `whole` stays `whole`.
  public var fuller: Thinning { Thinning(rawValue: rawValue - 1) ?? .whole }
}
