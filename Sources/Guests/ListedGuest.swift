// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// The time in which a guest is there.
struct GuestVisit: Sendable {
  /// When he came.
  var since: MediaTime
  var tracks: ArrivingTracks
  /// When his connection broke; `nil` while there is one.
  var droppedAt: MediaTime?
  /// Whether an event has said that he is there. False while nothing has come over a connection that has replaced an
  /// earlier one.
  var isAnnounced = false
  /// Which tracks arrive, by the events.
  var announcedTracks = (picture: false, sound: false)
}

/// A guest of the settings, as the waiting room keeps him.
struct ListedGuest: Sendable {
  var rule: GuestRules.Guest
  var isRemoved: Bool
  /// Whether a person has taken him off the air, so that he is not admitted by himself.
  var isHidden = false
  /// Since when he may come.
  var connectingSince: MediaTime
  /// The time before which he does not count as lost, since the programme took nothing of him, or something else.
  var lostFrom: MediaTime
  /// `nil` while he is not there.
  var visit: GuestVisit?

  init(rule: GuestRules.Guest, isRemoved: Bool = false, at now: MediaTime) {
    (self.rule, self.isRemoved) = (rule, isRemoved)
    (connectingSince, lostFrom) = (now, now)
  }

  /// Whether he is there, and is admitted without a person.
  var isAdmittedWhenThere: Bool { rule.isAdmittedByItself && !isHidden && visit != nil }

  /// When he came; an instant after all others if he is not there.
  var cameAt: MediaTime { visit?.since ?? .distantFuture }

  /// The tracks that he sends and that the programme takes.
  var takenTracks: [ArrivingTracks.Track] {
    guard let tracks = visit?.tracks else { return [] }
    return [rule.takesPicture ? tracks.picture : .none, rule.takesSound ? tracks.sound : .none]
      .filter { $0 != .none }
  }

  /// Since when nothing has come of what the programme takes; `nil` while something comes, or nothing is taken.
  var lostSince: MediaTime? {
    var newest = takenTracks.isEmpty ? visit?.droppedAt : nil
    for track in takenTracks {
      guard case .stalled(let since) = track else { return nil }
      newest = max(newest ?? since, since)
    }
    return newest.map { max($0, lostFrom) }
  }
}
