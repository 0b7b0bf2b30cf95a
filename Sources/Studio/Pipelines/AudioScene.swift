// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Director
internal import Media

/// Which audio tracks are heard between two cuts, and from which capture time on.
///
/// A scene also contains what all earlier scenes have hidden: the audio thread may miss a scene that is replaced
/// quickly.
struct AudioScene: Sendable {
  /// The number of the scene, which rises by one with each cut. Every packet has the number of its scene
  /// (`Packet.scene`).
  private(set) var number: UInt32 = 0
  /// The tracks that are not heard.
  private(set) var silenced = SilencedTracks.none
  /// Sinks discard the packets of scenes with a number lower than this, since such packets may contain tracks that have
  /// been silenced.
  private(set) var hiddenBefore: UInt32 = 0
  /// Samples that were captured before this time are not heard, of any track that is not in `sinceOfTrack`.
  private var since = MediaTime.distantPast
  /// The capture time from which on a track is heard, by the name of the track. Contains only tracks that are heard
  /// again after they were silenced while other tracks were heard, and tracks that were heard while all others were
  /// silenced.
  private var sinceOfTrack: [String: MediaTime] = [:]

  /// Begins another scene, in which these tracks are silenced and all other tracks are heard.
  /// - Returns: whether the new scene silences any track that could be heard before.
  mutating func cut(to silenced: SilencedTracks, now: MediaTime) -> Bool {
    number += 1
    let hides = silenced.exceeds(self.silenced)
    if hides { hiddenBefore = number }
    switch self.silenced {
    case .none: break
    case .named(let names):
      for name in names where !silenced.contains(name) { sinceOfTrack[name] = now }
    case .allBut(let heard):
      let kept = heard.map { ($0, sinceOfTrack[$0] ?? since) }
      hideSamples(before: now)
      for (name, time) in kept { sinceOfTrack[name] = time }
    case .all: hideSamples(before: now)
    }
    self.silenced = silenced
    return hides
  }

  /// Begins another scene, in which the same tracks are silenced. Samples captured before `now` are not heard in the
  /// new scene, so that sinks that join later do not get them.
  mutating func renew(now: MediaTime) {
    number += 1
    hiddenBefore = number
    hideSamples(before: now)
  }

  /// Hides the samples of all tracks that were captured before `time`.
  private mutating func hideSamples(before time: MediaTime) {
    since = time
    sinceOfTrack = [:]
  }

  /// The capture time from which on the samples of a track are heard; `nil` if the track is silenced.
  func heardSince(_ track: String) -> MediaTime? {
    silenced.contains(track) ? nil : sinceOfTrack[track] ?? since
  }
}
