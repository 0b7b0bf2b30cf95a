// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Has the bit rate follow what the link carries. Pure: readings, times and limits are handed in.
///
/// A delay that does not go away between two pictures is a queue, and what arrives while there is one is what
/// the link carries: the rate falls below that at once, by as much as it takes to empty the queue. It rises
/// while there is none, as long as the encoder makes use of it; a rate that failed is left alone for a while,
/// unless a burst, as each key picture is one, arrives faster than the link was thought to be.
public struct BitrateController: Sendable {
  /// A rate that the link did not carry.
  private struct Ceiling {
    var kbps: Double
    /// Until when it is not tried again.
    var until: Duration
  }

  /// kbit/s of sound that saves.
  public static let reducedAudioKbps = 32

  // Thresholds, and what they are for.

  /// A queue: longer than a key picture or a moment of noise on the radio takes to pass.
  static let queue = (delay: Duration.milliseconds(80), span: Duration.milliseconds(200))
  /// After a rate that failed is tried again, the first sign is enough.
  static let tryQueue = (delay: Duration.milliseconds(60), span: Duration.milliseconds(150))
  static let trySpan = Duration.seconds(2)
  /// So much at once is a queue without waiting for it to last.
  static let suddenDelay = Duration.milliseconds(450)
  /// No queue to speak of.
  static let clearDelay = Duration.milliseconds(50)
  /// A delay that is longer, and no queue, is the path's own when it stays for so long.
  static let calmSpan = Duration.seconds(5)
  /// A fall shows in what arrives only after so long.
  static let fallPause = Duration.milliseconds(300)
  static let risePause = Duration.milliseconds(400)
  static let stillPause = Duration.seconds(2)
  /// The share of what arrives that is used, so that the queue can empty.
  static let usedShare = 0.95
  /// How fast a queue is emptied.
  static let emptyingSeconds = 1.2
  /// What takes longer to pass is not worth sending: with what comes meanwhile it would be too late.
  static let mostQueueSeconds = 1.0
  /// With more before it than passes in so long, sound leaves the link to what waits, and for a while after.
  static let soundQueueSeconds = 0.7
  static let soundPause = Duration.seconds(4)
  /// What a shaper or an idle radio lets through at once proves nothing.
  static let burstBytes: UInt64 = 4_096
  static let burstSpans = [Duration.milliseconds(100), .milliseconds(250)]
  /// What has just begun to flow again counts from then.
  static let flowSpans = [Duration.milliseconds(150), .milliseconds(300)]
  /// What TCP sends again comes in bursts: only so long a time tells what the link carries in the mean.
  static let longSpan = Duration.milliseconds(1_900)
  /// So much of what is encoded has to have arrived, headers and all; the rest may still be under way.
  static let wholeShare = 0.9
  /// Less than this share of the rate is as good as nothing.
  static let stallShare = 0.05
  static let pauses: ClosedRange<Duration> = .seconds(1) ... .seconds(16)
  /// A link is called weak only when it has been for so long: a moment's queue takes a second to be made up for, and
  /// is nothing to tell a person of.
  static let weakAfter = Duration.milliseconds(1_500)

  public private(set) var limits: Limits
  public private(set) var plan: LinkPlan

  private var rate: Double
  private var history = LinkHistory()
  private var connection: UInt64?
  private var ceiling: Ceiling?
  /// For how long the next rate that fails is left alone.
  private var pause = BitrateController.pauses.lowerBound
  private var changedAt = Duration.zero
  private var fellAt = Duration.seconds(-1_000)
  /// The rate before the fall that has not been made up for.
  private var proven: Double
  /// Since when there has been a ceiling, and when the rate was last raised beyond it.
  private var weakSince = Duration.zero
  private var triedAt: Duration?
  /// The rate before nothing passed any more.
  private var beforeStall: Double?
  /// Since when less is sent than is meant to be.
  private var reducedSince: Duration?
  private var starvation = LinkStarvation()
  private var shape = PictureShape()
  private var congestedAt = Duration.seconds(-1_000)
  private var skippedAt = Duration.seconds(-1_000)
  private var soundSavesUntil = Duration.zero

  /// From so much delay on it matters what is still to come.
  static let lateDelay = Duration.milliseconds(300)

  public init(_ limits: Limits) {
    self.limits = limits
    rate = Double(limits.mode == .fixed ? limits.targetKbps : limits.initialKbps)
    proven = rate
    plan = LinkPlan(
      videoKbps: Int(rate), frameStep: 1, rung: nil, reducesAudio: false, link: .good)
  }

  /// A person wants something else, from now on.
  public mutating func change(_ limits: Limits, at now: Duration) {
    self.limits = limits
    rate = bounded(limits.mode == .fixed ? Double(limits.targetKbps) : rate)
    proven = bounded(proven)
    renewPlan(at: now)
  }

  /// Takes a reading, twenty times a second.
  /// - Parameter reading: `nil` while there is no connection.
  @discardableResult
  public mutating func note(_ reading: LinkReading?, at now: Duration) -> LinkPlan {
    guard let reading else {
      // Nobody sees what is sent. A link that was too weak for pictures is not thought better for that.
      connection = nil
      renewPlan(at: now)
      return plan
    }
    if reading.connection != connection { begin(reading.connection, at: now) }
    history.note(reading, at: now)
    judge(reading, at: now)
    renewPlan(at: now)
    return plan
  }

  private mutating func begin(_ number: UInt64, at now: Duration) {
    if connection != nil || number > 1 {
      rate = starvation.isPoor ? bounded(0) : bounded(max(rate, proven) * 0.75)
    }
    connection = number
    plan.capacityKbps = nil
    plan.throughputKbps = 0
    history.clear()
    ceiling = nil
    pause = BitrateController.pauses.lowerBound
    beforeStall = nil
    plan.dropsVideo = false
    starvation.beginAgain(at: now)
    skippedAt = .seconds(-1_000)
    congestedAt = .seconds(-1_000)
    changedAt = now
  }

  private mutating func judge(_ reading: LinkReading, at now: Duration) {
    let delay = max(.zero, reading.oldestAge - reading.roundTrip)
    let isTry = triedAt.map { now - $0 < BitrateController.trySpan } ?? false
    let queue = isTry ? BitrateController.tryQueue : BitrateController.queue
    guard let standing = history.standingDelay(over: queue.span),
      let arrival = history.mostArrival(over: BitrateController.flowSpans),
      let burst = history.mostArrival(
        over: BitrateController.burstSpans, less: BitrateController.burstBytes)
    else { return }
    plan.throughputKbps = Int(arrival)
    let isFlowing = arrival > BitrateController.stallShare * rate
    let waitingSeconds = Double(reading.backlogBytes) * 0.008 / max(arrival, 1)
    // Else what waits may be one large picture on a path that is only long.
    let isHeldUp = isFlowing && delay > .milliseconds(200)
    // Of a still only the key picture is large: to leave out what follows would have another one sent.
    plan.dropsVideo =
      isHeldUp && !starvation.isPoor && waitingSeconds > BitrateController.mostQueueSeconds
    if plan.dropsVideo { skippedAt = now }
    if isHeldUp, waitingSeconds > BitrateController.soundQueueSeconds {
      soundSavesUntil = now + BitrateController.soundPause
    }
    let isCongested =
      standing > queue.delay || delay > BitrateController.suddenDelay
    if isCongested {
      congestedAt = now
      if isTry, let before = ceiling?.kbps {
        endTry(before, backlogBytes: reading.backlogBytes, at: now)
      } else if now - fellAt >= BitrateController.fallPause {
        fall(to: arrival, delay: delay, backlogBytes: reading.backlogBytes, at: now)
      }
    } else if standing < BitrateController.clearDelay
      || now - congestedAt > BitrateController.calmSpan
    {
      rise(burst: burst, at: now)
    }
    let arrivalNow = history.arrival(over: .seconds(1)) ?? .infinity
    // A second of it: for a moment nothing passes on any link, which says nothing of what will after that.
    let isKnown = arrivalNow.isFinite && arrivalNow > BitrateController.stallShare * rate
    plan.capacityKbps =
      isCongested && delay > BitrateController.lateDelay && isKnown ? Int(arrivalNow) : nil
    let wasPoor = starvation.isPoor
    starvation.take(
      LinkStarvation.Look(
        wasCongested: now - congestedAt < .seconds(1), carriesAll: carriesAll(at: now),
        delay: delay, roundTrip: reading.roundTrip,
        arrival: arrivalNow,
        longArrival: history.arrival(over: BitrateController.longSpan) ?? .infinity, burst: burst),
      needed: Double(limits.floorKbps + BitrateController.reducedAudioKbps),
      patience: limits.poorAfter, at: now)
    if !wasPoor, starvation.isPoor { rate = bounded(0) }
    if wasPoor, !starvation.isPoor { rate = bounded(0.7 * burst - audioKbps) }
  }

  /// Whether all that is encoded arrives, and nothing is said to be left out.
  private func carriesAll(at now: Duration) -> Bool {
    guard now - skippedAt >= .seconds(1) else { return false }
    return history.carriedAll(over: wholeSpan, share: BitrateController.wholeShare) ?? false
  }

  /// Whole key intervals, and what one may be longer than asked for: within less there may be none of the key
  /// pictures that it takes, and what is encoded seem to be little.
  private var wholeSpan: Duration {
    let intervals = (BitrateController.longSpan / limits.keyframeInterval).rounded(.up)
    return limits.keyframeInterval * Int(intervals) + .milliseconds(100)
  }

  // MARK: Down

  private mutating func fall(
    to arrival: Double, delay: Duration, backlogBytes: Int, at now: Duration
  ) {
    if arrival < BitrateController.stallShare * rate {
      // Nothing passes, which says nothing of what will when it passes again.
      guard delay > .milliseconds(700), now - fellAt >= .milliseconds(500) else { return }
      if beforeStall == nil { beforeStall = rate }
      rate = bounded(rate / 2)
      fellAt = now
      changedAt = now
      return
    }
    beforeStall = nil
    let carried = arrival * BitrateController.usedShare - audioKbps
    let queued = Double(backlogBytes) * 0.008 / BitrateController.emptyingSeconds
    if now - changedAt > .seconds(2) { proven = max(rate, carried) }
    if ceiling == nil { weakSince = now }
    triedAt = nil
    ceiling = Ceiling(kbps: max(carried, 0), until: now + pause)
    rate = bounded(min(rate, carried - queued))
    fellAt = now
    changedAt = now
  }

  /// A rate that fails soon after it was tried again is left alone for longer each time, but not for much longer
  /// than the link has been weak.
  private mutating func endTry(_ before: Double, backlogBytes: Int, at now: Duration) {
    let most = max(.seconds(3), min(BitrateController.pauses.upperBound, (now - weakSince) / 8))
    pause = min(pause * 2, most)
    triedAt = nil
    ceiling = Ceiling(kbps: before, until: now + pause)
    rate = bounded(before - Double(backlogBytes) * 0.008 / BitrateController.emptyingSeconds)
    fellAt = now
    changedAt = now
  }

  // MARK: Up

  private mutating func rise(burst: Double, at now: Duration) {
    guard !starvation.isPoor else { return }
    if let before = beforeStall {
      rate = bounded(max(rate, 0.75 * before))
      beforeStall = nil
      changedAt = now
    }
    guard now - fellAt >= BitrateController.fallPause else { return }
    let shown = burst * 0.9 - audioKbps
    if shown > 1.25 * max(rate, ceiling?.kbps ?? 0) {
      // The link carries more than was thought.
      ceiling = nil
      pause = BitrateController.pauses.lowerBound
      rate = bounded(max(rate, min(shown, max(2.5 * rate, 0.9 * proven))))
      changedAt = now
      return
    }
    if let bound = ceiling, now < bound.until {
      // The queue has gone.
      if rate < bound.kbps { raise(by: .infinity, to: bound.kbps, at: now) }
      return
    }
    guard now - changedAt >= BitrateController.risePause else { return }
    if ceiling != nil, triedAt == nil { triedAt = now }
    if let encoded = history.encoded(over: .seconds(1)), encoded > 0.6 * rate {
      raise(by: rate < 0.9 * proven ? 1.5 : 1.15, to: .infinity, at: now)
    } else if now - changedAt >= BitrateController.stillPause {
      // In a still scene only key pictures make use of the rate: each one is a try.
      raise(by: 1.5, to: .infinity, at: now)
    }
    if now - (ceiling?.until ?? now) > .seconds(3) {
      ceiling = nil
      pause = BitrateController.pauses.lowerBound
    }
  }

  private mutating func raise(by factor: Double, to most: Double, at now: Duration) {
    let raised = bounded(min(rate * factor, most))
    guard raised > rate else { return }
    rate = raised
    changedAt = now
  }

  // MARK: What follows

  private func bounded(_ kbps: Double) -> Double {
    if limits.mode == .fixed { return Double(limits.targetKbps) }
    return min(max(kbps, Double(limits.floorKbps)), Double(limits.targetKbps))
  }

  private func reducesAudio(at now: Duration) -> Bool {
    if starvation.isStarved { return true }
    if limits.mode == .fixed { return false }
    if now < soundSavesUntil { return true }
    // Where pictures have nothing left to give.
    let carried = ceiling?.kbps ?? .infinity
    return carried < (plan.reducesAudio ? 1.5 : 1) * Double(limits.floorKbps)
  }

  private var audioKbps: Double {
    Double(
      plan.reducesAudio
        ? min(BitrateController.reducedAudioKbps, limits.audioKbps) : limits.audioKbps)
  }

  private mutating func renewPlan(at now: Duration) {
    plan.reducesAudio = reducesAudio(at: now)
    shape.follow(
      rate: rate, lasting: bounded(max(rate, ceiling?.kbps ?? 0)), limits, at: now)
    plan.rung = shape.rung
    plan.frameStep = shape.frameStep
    plan.videoKbps = Int(rate)
    let share = rate / Double(limits.targetKbps)
    let isReduced = starvation.isStarved || share < (plan.link == .weak ? 0.9 : 0.7)
    reducedSince = isReduced ? reducedSince ?? now : nil
    let isWeak = reducedSince.map { now - $0 >= BitrateController.weakAfter } ?? false
    plan.link =
      if starvation.isPoor { .poor } else if connection != nil, isWeak { .weak } else { .good }
  }
}
