// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A set of audio tracks that a pause or a mute silences.
public enum SilencedTracks: Hashable, Sendable {
  /// No track is silenced.
  case none
  /// The tracks with these names.
  case named(Set<String>)
  /// All tracks but those with these names, of which there is at least one. Tracks that join later are silenced, too.
  case allBut(Set<String>)
  /// All tracks, including those that join later.
  case all

  /// The name of the main track, which always exists. The setting `audio.source` sets its source.
  public static let main = "main"
  /// The name of the track with the music beside the voice.
  public static let music = "music"

  /// Whether the track with this name is silenced.
  public func contains(_ track: String) -> Bool {
    switch self {
    case .none: false
    case .named(let names): names.contains(track)
    case .allBut(let names): !names.contains(track)
    case .all: true
    }
  }

  /// The tracks that are in this set or in `other`.
  public func union(_ other: SilencedTracks) -> SilencedTracks {
    switch (self, other) {
    case (.all, _), (_, .all): .all
    case (.none, let tracks), (let tracks, .none): tracks
    case (.named(let some), .named(let others)): .named(some.union(others))
    case (.allBut(let heard), .named(let names)), (.named(let names), .allBut(let heard)):
      .silencing(allBut: heard.subtracting(names))
    case (.allBut(let some), .allBut(let others)):
      .silencing(allBut: some.intersection(others))
    }
  }

  /// Whether this set may contain a track that `other` does not contain.
  public func exceeds(_ other: SilencedTracks) -> Bool {
    switch (self, other) {
    case (.none, _), (_, .all): false
    case (.all, _), (.allBut, .none), (.allBut, .named): true
    case (.allBut(let heard), .allBut(let others)): !others.isSubset(of: heard)
    case (.named(let names), _): names.contains { !other.contains($0) }
    }
  }

  /// All tracks but those with these names, if there are any.
  private static func silencing(allBut heard: Set<String>) -> SilencedTracks {
    heard.isEmpty ? .all : .allBut(heard)
  }
}
