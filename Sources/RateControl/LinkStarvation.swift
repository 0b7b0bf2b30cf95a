// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Decides whether the link carries so little that a still replaces live video. Pure.
struct LinkStarvation: Sendable {
  /// The state of the link.
  struct Evidence {
    /// There was congestion within the last second.
    var wasCongested: Bool
    /// Everything that is encoded arrives. A quiet scene needs less than the floor.
    var deliversAll: Bool
    /// How long data waits in queues on the way.
    var queueDelay: Duration
    var minimumRoundTrip: Duration
    /// kbit/s in the last second.
    var throughput: Double
    /// kbit/s in the last two seconds.
    var longThroughput: Double
    /// kbit/s in the fastest burst.
    var burst: Double
  }

  /// Minimum time between attempts to resume live video when no burst has shown spare capacity. The time starts anew
  /// whenever a keyframe of the still is late, and doubles with each attempt.
  private static let retryPauses: ClosedRange<Duration> = .milliseconds(4_500) ... .seconds(120)
  /// A queue delay above three round trips, within these bounds, is late. Retransmissions take up to three round
  /// trips, and must not keep the still on a lossy path forever. A round trip of seconds is a queue itself.
  private static let lateDelay: ClosedRange<Duration> = .milliseconds(150) ... .milliseconds(600)
  /// After a still, live video is on probation for this time, with less patience.
  private static let probationSpan = Duration.seconds(6)
  private static let probationPatience = Duration.milliseconds(500)
  /// After this time of live video the failed attempts before it are forgotten.
  private static let stableSpan = Duration.seconds(30)

  private(set) var isPoor = false
  /// Since when the throughput has been below the floor, or since when the still has been shown.
  private var since: Duration?
  /// Since when nothing has been late.
  private var clearSince = Duration.zero
  private var liveSince = Duration.seconds(-1_000)
  /// A burst has to be faster than the floor by this factor before live video resumes.
  private var requiredMargin = 1.25
  private var retryPause = LinkStarvation.retryPauses.lowerBound

  /// The throughput is below the floor, or the still is shown.
  var isStarved: Bool { since != nil }

  /// kbit/s of a burst that ends the still.
  func neededBurst(_ needed: Double) -> Double { requiredMargin * needed }

  /// - Parameter needed: kbit/s of the floor and of reduced audio.
  mutating func update(_ link: Evidence, needed: Double, patience: Duration, at now: Duration) {
    if isPoor { leave(link, needed, now) } else { enter(link, needed, patience, now) }
  }

  /// A new connection may use another path. A still stays no longer than after the first failure.
  mutating func beginAgain(at now: Duration) {
    clearSince = now
    retryPause = LinkStarvation.retryPauses.lowerBound
    if !isPoor { end(at: now) }
  }

  /// Resumes live video.
  mutating func end(at now: Duration) {
    if isPoor { liveSince = now }
    isPoor = false
    since = nil
  }

  private mutating func enter(
    _ link: Evidence, _ needed: Double, _ patience: Duration, _ now: Duration
  ) {
    // TCP retransmissions arrive in bursts: one good second does not end the shortage.
    let isShort = link.throughput < needed || since != nil && link.longThroughput < needed
    guard link.wasCongested, isShort, !link.deliversAll else {
      since = nil
      return
    }
    let begun = since ?? now
    since = begun
    let age = now - liveSince
    let limit =
      age < LinkStarvation.probationSpan
      ? min(patience, LinkStarvation.probationPatience) : patience
    // On a link that carries nothing a still does not help either.
    guard now - begun >= limit, link.throughput > 5 else { return }
    if age > LinkStarvation.stableSpan {
      retryPause = LinkStarvation.retryPauses.lowerBound
      requiredMargin = 1.25
    } else {
      requiredMargin = min(requiredMargin * 1.5, 4)
    }
    isPoor = true
    since = now
    clearSince = now
  }

  private mutating func leave(_ link: Evidence, _ needed: Double, _ now: Duration) {
    let range = LinkStarvation.lateDelay
    let late = min(max(link.minimumRoundTrip * 3, range.lowerBound), range.upperBound)
    if link.queueDelay > late { clearSince = now }
    guard let since, now - since > .seconds(1) else { return }
    if link.burst > requiredMargin * needed {
      end(at: now)
    } else if now - clearSince >= retryPause {
      retryPause = min(retryPause * 2, LinkStarvation.retryPauses.upperBound)
      end(at: now)
    }
  }
}
