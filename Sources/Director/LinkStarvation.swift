// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Whether the link carries so little that a still takes the place of pictures. Pure.
struct LinkStarvation: Sendable {
  /// What the link shows at one look.
  struct Look {
    /// There was a queue within the last second.
    var wasCongested: Bool
    /// All that is encoded arrives, sooner or later: a quiet scene takes less than the least.
    var carriesAll: Bool
    /// What the link adds to the time that a byte takes at the least, and that time.
    var delay: Duration
    var roundTrip: Duration
    /// kbit/s that arrived within the last second, within the last two, and in a burst at the most.
    var arrival: Double
    var longArrival: Double
    var burst: Double
  }

  /// Pictures are tried without a burst that shows room for them when not even the still's key pictures, each few
  /// seconds, have been late for so long, each time a longer one.
  private static let tries: ClosedRange<Duration> = .milliseconds(4_500) ... .seconds(120)
  /// Late by so much; or by three round trips, in which what was lost is there after all: else a long way that
  /// loses some would keep the still for ever. But a round trip of seconds is a queue.
  private static let lateDelay: ClosedRange<Duration> = .milliseconds(150) ... .milliseconds(600)
  /// For so long after a still it is only a try.
  private static let trySpan = Duration.seconds(6)
  private static let tryPatience = Duration.milliseconds(500)
  /// Pictures that have lasted for so long make up for what failed before.
  private static let lastingSpan = Duration.seconds(30)

  private(set) var isPoor = false
  /// Since when less than the least has passed, and not all there is, or since when the still has been on.
  private var since: Duration?
  /// Since when nothing has been late.
  private var clearSince = Duration.zero
  private var pictureSince = Duration.seconds(-1_000)
  /// How much more than the least has to arrive in a burst before pictures are tried again.
  private var proof = 1.25
  private var nextTry = LinkStarvation.tries.lowerBound

  /// Less than the least passes, and not all there is; or the still is on.
  var isStarved: Bool { since != nil }

  /// - Parameter needed: kbit/s of the least picture with sound.
  mutating func take(_ look: Look, needed: Double, patience: Duration, at now: Duration) {
    if isPoor { leave(look, needed, now) } else { enter(look, needed, patience, now) }
  }

  /// Another connection, by another way perhaps: a still stays for no longer than after the first failure.
  mutating func beginAgain(at now: Duration) {
    clearSince = now
    nextTry = LinkStarvation.tries.lowerBound
    if !isPoor { end(at: now) }
  }

  /// Pictures are on, whatever was before.
  mutating func end(at now: Duration) {
    if isPoor { pictureSince = now }
    isPoor = false
    since = nil
  }

  private mutating func enter(
    _ look: Look, _ needed: Double, _ patience: Duration, _ now: Duration
  ) {
    // TCP makes up for losses in bursts: one good second is no end of it.
    let isShort = look.arrival < needed || since != nil && look.longArrival < needed
    guard look.wasCongested, isShort, !look.carriesAll else {
      since = nil
      return
    }
    let begun = since ?? now
    since = begun
    let age = now - pictureSince
    let limit =
      age < LinkStarvation.trySpan ? min(patience, LinkStarvation.tryPatience) : patience
    // With a link that carries nothing at all a still does not help either.
    guard now - begun >= limit, look.arrival > 5 else { return }
    if age > LinkStarvation.lastingSpan {
      nextTry = LinkStarvation.tries.lowerBound
      proof = 1.25
    } else {
      proof = min(proof * 1.5, 4)
    }
    isPoor = true
    since = now
    clearSince = now
  }

  private mutating func leave(_ look: Look, _ needed: Double, _ now: Duration) {
    let range = LinkStarvation.lateDelay
    let late = min(max(look.roundTrip * 3, range.lowerBound), range.upperBound)
    if look.delay > late { clearSince = now }
    guard let since, now - since > .seconds(1) else { return }
    if look.burst > proof * needed {
      end(at: now)
    } else if now - clearSince >= nextTry {
      nextTry = min(nextTry * 2, LinkStarvation.tries.upperBound)
      end(at: now)
    }
  }
}
