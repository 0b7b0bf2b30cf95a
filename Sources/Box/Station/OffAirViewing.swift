// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Decides whether a person or script may see the camera while the box is off air, and keeps the names of these
/// viewers. All of them share one time limit. Reads no clock and does no I/O: the time is passed in.
package struct OffAirViewing {
  /// How a request to see the camera relates to the requests before it.
  package enum Request: Equatable {
    /// The request begins something: a stream, or a single image.
    case first
    /// A person taps "show the camera" after the time limit of off-air viewing has passed.
    case again
    /// The request continues an earlier one: the next piece of a stream, the next image of a series. The case also
    /// stands for every request that does not prove that a person wants to see the camera, such as a request that a
    /// page of another site may have made.
    case more
  }

  /// A person or script that asks to see the camera.
  package struct Viewer: Equatable {
    /// The viewer in words: "the page (192.168.1.20)", "the token NAME (192.168.1.20)", "the command line".
    var name: String
    /// Whether the viewer uses an access token: then the viewer is a script, perhaps with no person behind it.
    var isToken: Bool

    package init(name: String, isToken: Bool) {
      self.name = name
      self.isToken = isToken
    }
  }

  /// The longest time, in nanoseconds, for which the camera may be shown off air before a request has to start the time
  /// limit anew.
  static let limitNanos = Int64.seconds(600)
  /// The time without a request, in nanoseconds, after which the next `Request.first` starts the time limit anew.
  static let pauseNanos = Int64.seconds(60)
  /// The most minutes of the last sixty in which tokens may see the camera.
  package static let tokenMinutes = 30

  /// A viewer whose last request is older than this, in nanoseconds, is no longer counted.
  private static let viewerTimeoutNanos = Int64.seconds(15)
  /// The most viewers whose names are kept.
  private static let mostViewers = 16

  /// The time of the last request of each viewer, by name.
  private var lastRequests: [String: MediaTime] = [:]
  /// When the time limit was last started; `nil` before the first time.
  private var limitStartedAt: MediaTime?
  /// The time of the last request of any viewer.
  private var lastRequestAt = MediaTime.distantPast
  /// The minutes of the last hour in which a token saw the camera, numbered from the start of `MediaTime`.
  private var usedTokenMinutes: Set<Int64> = []

  /// Decides whether the camera may be shown now, and counts the viewer if it may.
  /// - Parameter needsExplicitRequest: whether only `Request.again`, an explicit request of a person, may begin to show
  ///   the camera.
  mutating func verdict(
    _ request: Request, by viewer: Viewer, needsExplicitRequest: Bool = false, now: MediaTime
  ) -> ViewVerdict {
    // A token may neither begin nor go on to show the camera once the minutes of all tokens are used up.
    if viewer.isToken, !mayTokensView(now) { return .spent }
    let wasRunning = isRunning(now)
    let isAfterPause = now - lastRequestAt >= OffAirViewing.pauseNanos
    lastRequestAt = now
    let begins = request == .again || request == .first && isAfterPause && !needsExplicitRequest
    if needsExplicitRequest, !begins, !wasRunning { return .over }
    let start = begins ? now : limitStartedAt ?? now
    limitStartedAt = start
    guard now - start < OffAirViewing.limitNanos else { return .over }
    if viewer.isToken { usedTokenMinutes.insert(OffAirViewing.minute(now)) }
    addViewer(viewer.name, now)
    return .open
  }

  /// The names of the viewers with a request in the last 15 seconds, in alphabetical order.
  func viewers(_ now: MediaTime) -> [String] {
    lastRequests.filter { now - $0.value < OffAirViewing.viewerTimeoutNanos }.keys.sorted()
  }

  /// Whether the camera is being shown off air. While it is, a request that may not start to show the camera may still
  /// continue to show it.
  func isRunning(_ now: MediaTime) -> Bool {
    guard let start = limitStartedAt else { return false }
    return now - start < OffAirViewing.limitNanos && now - lastRequestAt < OffAirViewing.pauseNanos
  }

  /// Notes that a viewer sees the camera now. If there are too many viewers, the one with the oldest request is
  /// dropped.
  private mutating func addViewer(_ name: String, _ now: MediaTime) {
    lastRequests = lastRequests.filter { now - $0.value < OffAirViewing.viewerTimeoutNanos }
    if lastRequests[name] == nil, lastRequests.count >= OffAirViewing.mostViewers,
      let oldest = lastRequests.min(by: { $0.value < $1.value })?.key
    {
      lastRequests[oldest] = nil
    }
    lastRequests[name] = now
  }

  /// Whether tokens may see the camera in the present minute: if a token has seen it in this minute already, or
  /// if tokens have seen it in fewer than `tokenMinutes` of the last sixty minutes.
  private mutating func mayTokensView(_ now: MediaTime) -> Bool {
    let minute = OffAirViewing.minute(now)
    usedTokenMinutes = usedTokenMinutes.filter { $0 > minute - 60 }
    return usedTokenMinutes.contains(minute) || usedTokenMinutes.count < OffAirViewing.tokenMinutes
  }

  /// The number of the minute that `now` is in, counted from the start of `MediaTime`.
  private static func minute(_ now: MediaTime) -> Int64 { now.nanos / .seconds(60) }
}

/// The decision whether a caller may see the preview.
package enum ViewVerdict {
  /// The caller may see the preview.
  case open
  /// Refused: off air the preview opens camera and microphone, for which the caller needs the scope "control".
  case needsControl
  /// Refused off air, for one of two reasons. Either the camera has been shown for the longest time allowed. Or the box
  /// was paused and then lost its server, and no person has tapped "show the camera" since.
  case over
  /// Refused off air: tokens have used up their minutes of the last hour.
  case spent
  /// Refused off air: a page of another site may have made the request.
  case needsPage
}
