// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// How long camera and microphone have been open off air for somebody who looks, which is one time for the whole box, and
/// who that is. Pure: the caller passes the time.
package struct Aiming {
  package enum Request: Equatable {
    case first
    /// A person asks to see the camera again.
    case again
    /// What was begun earlier goes on: the next piece of a stream, the next image of a series. Also all that does not show
    /// that a person wants it, as a request that a page of another site may have made.
    case more
  }

  /// Somebody who may look.
  package struct Viewer: Equatable {
    /// "the page (192.168.1.20)", "the token NAME (192.168.1.20)", "the command line".
    var name: String
    /// A script, that nobody may watch over.
    var isToken: Bool

    package init(name: String, isToken: Bool) {
      self.name = name
      self.isToken = isToken
    }
  }

  /// The longest time.
  static let lengthNanos = Int64.seconds(600)
  /// After so long without a request, the next one begins anew.
  static let restNanos = Int64.seconds(60)
  /// Minutes of the last sixty in which tokens may look.
  package static let tokenMinutes = 30

  /// Time for which whoever has asked for the picture counts as looking.
  private static let lookNanos = Int64.seconds(15)
  private static let mostViewers = 16

  /// When each of those who look asked last, by name.
  private var looks: [String: MediaTime] = [:]
  private var since: MediaTime?
  private var askedAt = MediaTime.distantPast
  /// Those of the last hour in which a token looked.
  private var minutes: Set<Int64> = []

  /// Whether the camera may be shown now.
  /// - Parameter needsWord: only a person who asks for it may begin.
  mutating func verdict(
    _ request: Request, by viewer: Viewer, needsWord: Bool = false, now: MediaTime
  ) -> ViewVerdict {
    // Nothing begins, and nothing goes on, for whoever may not look.
    if viewer.isToken, !maySpend(now) { return .spent }
    let wasRunning = isRunning(now)
    let hasRested = now - askedAt >= Aiming.restNanos
    askedAt = now
    let begins = request == .again || request == .first && hasRested && !needsWord
    if needsWord, !begins, !wasRunning { return .over }
    let since = begins ? now : since ?? now
    self.since = since
    guard now - since < Aiming.lengthNanos else { return .over }
    if viewer.isToken { minutes.insert(Aiming.minute(now)) }
    note(viewer.name, now)
    return .open
  }

  /// The names of those who look, in alphabetical order.
  func viewers(_ now: MediaTime) -> [String] {
    looks.filter { now - $0.value < Aiming.lookNanos }.keys.sorted()
  }

  /// Whether it is open for somebody, so that what does not begin it may go on.
  func isRunning(_ now: MediaTime) -> Bool {
    guard let since else { return false }
    return now - since < Aiming.lengthNanos && now - askedAt < Aiming.restNanos
  }

  /// Whoever looks now is told of, in the place of who looked longest ago if there are too many.
  private mutating func note(_ name: String, _ now: MediaTime) {
    looks = looks.filter { now - $0.value < Aiming.lookNanos }
    if looks[name] == nil, looks.count >= Aiming.mostViewers,
      let oldest = looks.min(by: { $0.value < $1.value })?.key
    {
      looks[oldest] = nil
    }
    looks[name] = now
  }

  private mutating func maySpend(_ now: MediaTime) -> Bool {
    let minute = Aiming.minute(now)
    minutes = minutes.filter { $0 > minute - 60 }
    return minutes.contains(minute) || minutes.count < Aiming.tokenMinutes
  }

  private static func minute(_ now: MediaTime) -> Int64 { now.nanos / .seconds(60) }
}

/// Whether somebody may see what the preview has.
package enum ViewVerdict {
  case open
  /// Off air it opens camera and microphone.
  case needsControl
  /// Off air it has been open for as long as it may.
  case over
  /// Tokens have looked for as long as they may in an hour.
  case spent
  /// A page of another site may have made the request.
  case needsPage
}
