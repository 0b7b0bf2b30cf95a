// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Director
internal import Media

/// The audio that is sent after a cut.
///
/// It has all that the audio thread has to know of scenes that were over before the thread saw them.
struct AudioScene: Sendable {
  /// Rises by one with each cut. Every packet carries the number of its scene (`Packet.scene`).
  private(set) var number: UInt32 = 0
  private(set) var silenced = SilencedTracks.none
  /// Sinks take no packets of scenes before this one: they may hold what it silences.
  private(set) var hiddenBefore: UInt32 = 0
  /// Samples captured before this time are not heard.
  private var since = MediaTime.distantPast
  /// The same for tracks that were silenced by name after it.
  private var sinceOfTrack: [String: MediaTime] = [:]

  /// Silences these tracks, and no others.
  /// - Returns: whether it silences any that could be heard before.
  mutating func cut(to silenced: SilencedTracks, now: MediaTime) -> Bool {
    number += 1
    let hides = silenced.exceeds(self.silenced)
    if hides { hiddenBefore = number }
    switch self.silenced {
    case .none: break
    case .named(let names):
      for name in names where !silenced.contains(name) { sinceOfTrack[name] = now }
    case .all: begin(now)
    }
    self.silenced = silenced
    return hides
  }

  /// Silences the same tracks. What the others had before is not for those who join from now on.
  mutating func renew(now: MediaTime) {
    number += 1
    hiddenBefore = number
    begin(now)
  }

  private mutating func begin(_ now: MediaTime) {
    since = now
    sinceOfTrack = [:]
  }

  /// The time from which on the samples of a track are heard; `nil` if it is silenced.
  func heardSince(_ track: String) -> MediaTime? {
    silenced.contains(track) ? nil : max(since, sinceOfTrack[track] ?? .distantPast)
  }
}
