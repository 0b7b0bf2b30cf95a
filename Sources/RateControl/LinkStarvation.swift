// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Decides whether the link is so slow that a still replaces live video. Reads no clock and does no I/O: the time is
/// passed in.
struct LinkStarvation: Sendable {
  /// Measurements of the link at one moment.
  struct Evidence {
    /// Whether there was congestion within the last second.
    var wasCongested: Bool
    /// Whether everything that is encoded arrives. If so, a low throughput is no shortage: a quiet scene needs less
    /// than the floor.
    var deliversAll: Bool
    /// How long data waits in queues on the path, beyond the minimum round-trip time.
    var queueDelay: Duration
    var minimumRoundTrip: Duration
    /// The throughput of the last second, in kbit/s.
    var throughput: Double
    /// The throughput of the last two seconds, in kbit/s.
    var longThroughput: Double
    /// The throughput of the fastest burst, in kbit/s.
    var burst: Double
  }

  /// The bounds of the minimum time between attempts to resume live video when no burst has shown spare capacity. The
  /// time starts anew whenever data of the still is late, and doubles with each attempt.
  private static let retryPauses: ClosedRange<Duration> = .milliseconds(4_500) ... .seconds(120)
  /// Data of the still counts as late if the queue delay is above three round trips; these are the bounds of that
  /// limit. On a lossy path, retransmissions take up to three round trips, and must not keep the still for ever. A
  /// round-trip time of seconds is itself caused by a queue.
  private static let lateDelay: ClosedRange<Duration> = .milliseconds(150) ... .milliseconds(600)
  /// For this time after a still, live video is on probation: the still returns after a shortage of
  /// `probationPatience`.
  private static let probationSpan = Duration.seconds(6)
  /// The time of too low throughput after which the still returns, while live video is on probation.
  private static let probationPatience = Duration.milliseconds(500)
  /// After this time of live video without a still, earlier failed attempts are forgotten.
  private static let stableSpan = Duration.seconds(30)

  /// Whether a still replaces live video.
  private(set) var isShowingStill = false
  /// Since when the throughput has been too low for live video, or since when the still has been shown; `nil` if
  /// neither is so.
  private var starvedSince: Duration?
  /// Since when no data of the still (the image that replaces live video) has been late.
  private var clearSince = Duration.zero
  /// When live video last resumed after a still; far in the past if never.
  private var liveSince = Duration.seconds(-1_000)
  /// The factor by which a burst has to exceed the bit rate that live video needs, before live video resumes.
  private var requiredMargin = 1.25
  /// How long no data of the still (the image that replaces live video) must have been late before live video is tried
  /// again. The time is within `retryPauses`, and doubles with each attempt.
  private var retryPause = LinkStarvation.retryPauses.lowerBound

  /// Whether the throughput is too low for live video, or the still is shown.
  var isStarved: Bool { starvedSince != nil }

  /// The throughput of a burst, in kbit/s, that ends the still.
  /// - Parameter needed: the least that live video needs, in kbit/s.
  func neededBurst(_ needed: Double) -> Double { requiredMargin * needed }

  /// Decides by new measurements whether a still replaces live video.
  /// - Parameters:
  ///   - needed: the least that live video needs, in kbit/s: the video floor and reduced audio.
  ///   - patience: how long the throughput may be below `needed` before the still is shown.
  mutating func update(_ link: Evidence, needed: Double, patience: Duration, at now: Duration) {
    if isShowingStill {
      considerLiveVideo(link, needed, now)
    } else {
      considerStill(link, needed, patience, now)
    }
  }

  /// Starts anew on another connection, which may use another path. If a still is shown, the time until live video is
  /// tried again is as short as after the first failure.
  mutating func beginAgain(at now: Duration) {
    clearSince = now
    retryPause = LinkStarvation.retryPauses.lowerBound
    if !isShowingStill { end(at: now) }
  }

  /// Ends the still, so that live video resumes. If no still is shown, ends the shortage that would have led to one.
  mutating func end(at now: Duration) {
    if isShowingStill { liveSince = now }
    isShowingStill = false
    starvedSince = nil
  }

  /// Decides whether a still has to replace live video, because the throughput has been too low for too long.
  private mutating func considerStill(
    _ link: Evidence, _ needed: Double, _ patience: Duration, _ now: Duration
  ) {
    // TCP retransmissions arrive in bursts: one good second does not end the shortage.
    let isShort = link.throughput < needed || starvedSince != nil && link.longThroughput < needed
    guard link.wasCongested, isShort, !link.deliversAll else {
      starvedSince = nil
      return
    }
    let begun = starvedSince ?? now
    starvedSince = begun
    let age = now - liveSince
    let limit =
      age < LinkStarvation.probationSpan
      ? min(patience, LinkStarvation.probationPatience) : patience
    // On a link that carries almost nothing (5 kbit/s) a still does not help either.
    guard now - begun >= limit, link.throughput > 5 else { return }
    if age > LinkStarvation.stableSpan {
      retryPause = LinkStarvation.retryPauses.lowerBound
      requiredMargin = 1.25
    } else {
      requiredMargin = min(requiredMargin * 1.5, 4)
    }
    isShowingStill = true
    starvedSince = now
    clearSince = now
  }

  /// Decides whether live video can resume: after a fast burst, or after `retryPause` without late data.
  private mutating func considerLiveVideo(_ link: Evidence, _ needed: Double, _ now: Duration) {
    let range = LinkStarvation.lateDelay
    let late = min(max(link.minimumRoundTrip * 3, range.lowerBound), range.upperBound)
    if link.queueDelay > late { clearSince = now }
    guard let starvedSince, now - starvedSince > .seconds(1) else { return }
    if link.burst > requiredMargin * needed {
      end(at: now)
    } else if now - clearSince >= retryPause {
      retryPause = min(retryPause * 2, LinkStarvation.retryPauses.upperBound)
      end(at: now)
    }
  }
}
