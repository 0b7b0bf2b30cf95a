// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The audio tracks that a pause or a mute silences.
public enum SilencedTracks: Hashable, Sendable {
  case none
  /// By name.
  case named(Set<String>)
  /// Those that join later, too.
  case all

  /// The name of the track that is always there: the source of `audio.source`.
  public static let main = "main"

  public func contains(_ track: String) -> Bool {
    switch self {
    case .none: false
    case .named(let names): names.contains(track)
    case .all: true
    }
  }

  /// The tracks of both.
  public func union(_ other: SilencedTracks) -> SilencedTracks {
    switch (self, other) {
    case (.all, _), (_, .all): .all
    case (.none, let tracks), (let tracks, .none): tracks
    case (.named(let some), .named(let others)): .named(some.union(others))
    }
  }

  /// Whether some track may be in it that is not in `other`.
  public func exceeds(_ other: SilencedTracks) -> Bool {
    switch (self, other) {
    case (.none, _), (_, .all): false
    case (.all, _): true
    case (.named(let names), _): names.contains { !other.contains($0) }
    }
  }
}
