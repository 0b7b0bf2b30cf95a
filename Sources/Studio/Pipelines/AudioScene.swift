// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Director
internal import Media

/// Which audio tracks are heard between two cuts, and from which capture time on.
///
/// A scene includes what the audio thread has to know of earlier scenes, since some may be over before the thread sees
/// them.
struct AudioScene: Sendable {
  /// The number of the scene, which rises by one with each cut. Every packet has the number of its scene
  /// (`Packet.scene`).
  private(set) var number: UInt32 = 0
  private(set) var silenced = SilencedTracks.none
  /// Sinks take no packets of scenes with a lower number than this, since they may contain tracks that have been
  /// silenced.
  private(set) var hiddenBefore: UInt32 = 0
  /// Samples captured before this time are not heard.
  private var since = MediaTime.distantPast
  /// For each track that was silenced by name and then brought back after `since`: samples captured before this time
  /// are not heard.
  private var sinceOfTrack: [String: MediaTime] = [:]

  /// Begins another scene, which silences these tracks and no others.
  /// - Returns: whether it silences any track that could be heard before.
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

  /// Begins another scene, which silences the same tracks. Nothing captured before `now` is heard in it, since sinks
  /// that join later must not get it.
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
