// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Adapts the video bit rate to the capacity of the link. Pure: readings, times and limits are passed in.
///
/// A queue delay that does not vanish between two frames means congestion, and the throughput during congestion is
/// the capacity. The controller then backs off below the capacity, far enough to drain the backlog. Without
/// congestion it ramps up as long as the encoder uses the rate. A rate that caused congestion is a ceiling for a
/// while, unless a burst (each keyframe is one) arrives faster than the assumed capacity.
public struct BitrateController: Sendable {
  /// A rate that caused congestion.
  private struct Ceiling {
    var kbps: Double
    /// No probe above it before this time.
    var until: Duration
  }

  /// The audio bit rate when audio has to be reduced, in kbit/s.
  public static let reducedAudioKbps = 32

  /// A queue delay that stays above `delay` for `span` is congestion: longer than a keyframe or a moment of radio
  /// noise causes.
  static let congestion = (delay: Duration.milliseconds(80), span: Duration.milliseconds(200))
  /// The same during a probe, where the first sign is enough.
  static let probeCongestion = (delay: Duration.milliseconds(60), span: Duration.milliseconds(150))
  static let probeSpan = Duration.seconds(2)
  /// A queue delay above this is congestion at once.
  static let suddenDelay = Duration.milliseconds(450)
  /// Below this queue delay the rate may ramp up.
  static let clearDelay = Duration.milliseconds(50)
  /// A longer delay without congestion for this time belongs to the path, and the rate may ramp up.
  static let calmSpan = Duration.seconds(5)
  /// Minimum time from a back-off to the next change: its effect on the throughput shows only then.
  static let backOffPause = Duration.milliseconds(300)
  /// Minimum time between two steps of the ramp.
  static let rampPause = Duration.milliseconds(400)
  /// The same in a quiet scene, in which only keyframes use the rate.
  static let quietRampPause = Duration.seconds(2)
  /// Share of the capacity that is used during congestion, so that the queue can drain.
  static let capacityShare = 0.95
  /// Time in which the backlog is to be drained.
  static let drainSeconds = 1.2
  /// Above this backlog (in seconds of throughput) waiting video is dropped: it would arrive too late.
  static let maxBacklogSeconds = 1.0
  /// Above this backlog (in seconds of throughput) the audio bit rate is reduced, for at least `audioPause`.
  static let audioBacklogSeconds = 0.7
  static let audioPause = Duration.seconds(4)
  /// Bytes that a traffic shaper or an idle radio passes at once. They are no evidence of capacity.
  static let burstBytes: UInt64 = 4_096
  static let burstSpans = [Duration.milliseconds(100), .milliseconds(250)]
  /// The throughput is the larger of these two means, so that data that has just started to flow again counts.
  static let throughputSpans = [Duration.milliseconds(150), .milliseconds(300)]
  /// TCP retransmissions arrive in bursts. Only a mean over this time shows the capacity.
  static let longSpan = Duration.milliseconds(1_900)
  /// When this share of the encoded bytes has arrived, all of it has: the rest may be in flight.
  static let deliveredShare = 0.9
  /// A throughput below this share of the rate is a stall.
  static let stallShare = 0.05
  /// How long a ceiling lasts. The time doubles with each failed probe.
  static let ceilingPauses: ClosedRange<Duration> = .seconds(1) ... .seconds(16)
  /// A link is reported as weak after this time. Recovering from a moment of congestion takes a second, and is not
  /// worth a report.
  static let weakAfter = Duration.milliseconds(1_500)

  public private(set) var limits: Limits
  public private(set) var plan: LinkPlan

  private var rate: Double
  private var history = LinkHistory()
  private var connection: UInt64?
  private var ceiling: Ceiling?
  /// How long the next ceiling lasts.
  private var ceilingPause = BitrateController.ceilingPauses.lowerBound
  private var changedAt = Duration.zero
  private var backedOffAt = Duration.seconds(-1_000)
  /// The rate that worked before the last back-off.
  private var proven: Double
  /// When the first of the present ceilings was found, and when the present probe above it began.
  private var weakSince = Duration.zero
  private var probedAt: Duration?
  /// The rate before a stall.
  private var beforeStall: Double?
  /// Since when the rate has been well below the target.
  private var reducedSince: Duration?
  private var starvation = LinkStarvation()
  private var shape = PictureShape()
  private var congestedAt = Duration.seconds(-1_000)
  private var droppedAt = Duration.seconds(-1_000)
  private var audioReducedUntil = Duration.zero

  /// Above this queue delay the capacity is given to the queue, which drops what would arrive too late.
  static let lateDelay = Duration.milliseconds(300)

  public init(_ limits: Limits) {
    self.limits = limits
    rate = Double(limits.mode == .fixed ? limits.targetKbps : limits.initialKbps)
    proven = rate
    plan = LinkPlan(
      videoKbps: Int(rate), frameStep: 1, rung: nil, reducesAudio: false, link: .good)
  }

  /// A person has changed the settings.
  public mutating func change(_ limits: Limits, at now: Duration) {
    self.limits = limits
    rate = bounded(limits.mode == .fixed ? Double(limits.targetKbps) : rate)
    proven = bounded(proven)
    renewPlan(at: now)
  }

  /// Takes a reading; to be called 20 times a second.
  /// - Parameter reading: `nil` while there is no connection.
  @discardableResult
  public mutating func note(_ reading: LinkReading?, at now: Duration) -> LinkPlan {
    guard let reading else {
      // Without a connection nothing is learned about the link. A poor one stays poor.
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
    ceilingPause = BitrateController.ceilingPauses.lowerBound
    beforeStall = nil
    plan.dropsVideo = false
    starvation.beginAgain(at: now)
    droppedAt = .seconds(-1_000)
    congestedAt = .seconds(-1_000)
    changedAt = now
  }

  private mutating func judge(_ reading: LinkReading, at now: Duration) {
    let delay = max(.zero, reading.oldestAge - reading.roundTrip)
    let isProbe = probedAt.map { now - $0 < BitrateController.probeSpan } ?? false
    let limit =
      isProbe ? BitrateController.probeCongestion : BitrateController.congestion
    guard let standing = history.standingDelay(over: limit.span),
      let throughput = history.maxThroughput(over: BitrateController.throughputSpans),
      let burst = history.maxThroughput(
        over: BitrateController.burstSpans, less: BitrateController.burstBytes)
    else { return }
    plan.throughputKbps = Int(throughput)
    let isFlowing = throughput > BitrateController.stallShare * rate
    let backlogSeconds = Double(reading.backlogBytes) * 0.008 / max(throughput, 1)
    // Without such a delay the backlog may be one large frame on a path with a long round trip.
    let isDelayed = isFlowing && delay > .milliseconds(200)
    // Not with a still: only its keyframes are large, and after a drop another one would be needed.
    plan.dropsVideo =
      isDelayed && !starvation.isPoor && backlogSeconds > BitrateController.maxBacklogSeconds
    if plan.dropsVideo { droppedAt = now }
    if isDelayed, backlogSeconds > BitrateController.audioBacklogSeconds {
      audioReducedUntil = now + BitrateController.audioPause
    }
    let isCongested =
      standing > limit.delay || delay > BitrateController.suddenDelay
    if isCongested {
      congestedAt = now
      if isProbe, let before = ceiling?.kbps {
        endProbe(before, backlogBytes: reading.backlogBytes, at: now)
      } else if now - backedOffAt >= BitrateController.backOffPause {
        backOff(to: throughput, delay: delay, backlogBytes: reading.backlogBytes, at: now)
      }
    } else if standing < BitrateController.clearDelay
      || now - congestedAt > BitrateController.calmSpan
    {
      rampUp(burst: burst, at: now)
    }
    // A mean over a second: any link stalls for a moment, which is no evidence of its capacity.
    let lastSecond = history.throughput(over: .seconds(1)) ?? .infinity
    let isKnown = lastSecond.isFinite && lastSecond > BitrateController.stallShare * rate
    plan.capacityKbps =
      isCongested && delay > BitrateController.lateDelay && isKnown ? Int(lastSecond) : nil
    let wasPoor = starvation.isPoor
    starvation.update(
      LinkStarvation.Evidence(
        wasCongested: now - congestedAt < .seconds(1), deliversAll: deliversAll(at: now),
        delay: delay, roundTrip: reading.roundTrip,
        throughput: lastSecond,
        longThroughput: history.throughput(over: BitrateController.longSpan) ?? .infinity,
        burst: burst),
      needed: Double(limits.floorKbps + BitrateController.reducedAudioKbps),
      patience: limits.poorAfter, at: now)
    if !wasPoor, starvation.isPoor { rate = bounded(0) }
    if wasPoor, !starvation.isPoor { rate = bounded(0.7 * burst - audioKbps) }
  }

  /// Everything that is encoded arrives, and no video has been dropped for a second.
  private func deliversAll(at now: Duration) -> Bool {
    guard now - droppedAt >= .seconds(1) else { return false }
    return history.deliversAll(
      over: keyframeSpan, share: BitrateController.deliveredShare) ?? false
  }

  /// A whole number of keyframe intervals, and a margin. A shorter time could contain no keyframe, and the encoded
  /// bytes would seem too few.
  private var keyframeSpan: Duration {
    let intervals = (BitrateController.longSpan / limits.keyframeInterval).rounded(.up)
    return limits.keyframeInterval * Int(intervals) + .milliseconds(100)
  }

  // MARK: Back off

  private mutating func backOff(
    to throughput: Double, delay: Duration, backlogBytes: Int, at now: Duration
  ) {
    if throughput < BitrateController.stallShare * rate {
      // A stall is no evidence of the capacity after it. Halve the rate in the meantime.
      guard delay > .milliseconds(700), now - backedOffAt >= .milliseconds(500) else { return }
      if beforeStall == nil { beforeStall = rate }
      rate = bounded(rate / 2)
      backedOffAt = now
      changedAt = now
      return
    }
    beforeStall = nil
    let usable = throughput * BitrateController.capacityShare - audioKbps
    let draining = Double(backlogBytes) * 0.008 / BitrateController.drainSeconds
    if now - changedAt > .seconds(2) { proven = max(rate, usable) }
    if ceiling == nil { weakSince = now }
    probedAt = nil
    ceiling = Ceiling(kbps: max(usable, 0), until: now + ceilingPause)
    rate = bounded(min(rate, usable - draining))
    backedOffAt = now
    changedAt = now
  }

  /// A probe has caused congestion. The next ceiling lasts longer each time, but not much longer than the link has
  /// been weak.
  private mutating func endProbe(_ before: Double, backlogBytes: Int, at now: Duration) {
    let longest = max(
      .seconds(3), min(BitrateController.ceilingPauses.upperBound, (now - weakSince) / 8))
    ceilingPause = min(ceilingPause * 2, longest)
    probedAt = nil
    ceiling = Ceiling(kbps: before, until: now + ceilingPause)
    rate = bounded(before - Double(backlogBytes) * 0.008 / BitrateController.drainSeconds)
    backedOffAt = now
    changedAt = now
  }

  // MARK: Ramp up

  private mutating func rampUp(burst: Double, at now: Duration) {
    guard !starvation.isPoor else { return }
    if let before = beforeStall {
      rate = bounded(max(rate, 0.75 * before))
      beforeStall = nil
      changedAt = now
    }
    guard now - backedOffAt >= BitrateController.backOffPause else { return }
    let provenKbps = burst * 0.9 - audioKbps
    if provenKbps > 1.25 * max(rate, ceiling?.kbps ?? 0) {
      // The burst shows more capacity than was assumed.
      ceiling = nil
      ceilingPause = BitrateController.ceilingPauses.lowerBound
      rate = bounded(max(rate, min(provenKbps, max(2.5 * rate, 0.9 * proven))))
      changedAt = now
      return
    }
    if let bound = ceiling, now < bound.until {
      // The backlog has drained: return to the ceiling.
      if rate < bound.kbps { raise(by: .infinity, to: bound.kbps, at: now) }
      return
    }
    guard now - changedAt >= BitrateController.rampPause else { return }
    if ceiling != nil, probedAt == nil { probedAt = now }
    if let encoded = history.encoded(over: .seconds(1)), encoded > 0.6 * rate {
      raise(by: rate < 0.9 * proven ? 1.5 : 1.15, to: .infinity, at: now)
    } else if now - changedAt >= BitrateController.quietRampPause {
      // In a quiet scene only keyframes use the rate, and each one is a probe.
      raise(by: 1.5, to: .infinity, at: now)
    }
    if now - (ceiling?.until ?? now) > .seconds(3) {
      ceiling = nil
      ceilingPause = BitrateController.ceilingPauses.lowerBound
    }
  }

  private mutating func raise(by factor: Double, to limit: Double, at now: Duration) {
    let raised = bounded(min(rate * factor, limit))
    guard raised > rate else { return }
    rate = raised
    changedAt = now
  }

  // MARK: Plan

  private func bounded(_ kbps: Double) -> Double {
    if limits.mode == .fixed { return Double(limits.targetKbps) }
    return min(max(kbps, Double(limits.floorKbps)), Double(limits.targetKbps))
  }

  private func reducesAudio(at now: Duration) -> Bool {
    if starvation.isStarved { return true }
    if limits.mode == .fixed { return false }
    if now < audioReducedUntil { return true }
    // Video is at its floor, and cannot be reduced further.
    let capacity = ceiling?.kbps ?? .infinity
    return capacity < (plan.reducesAudio ? 1.5 : 1) * Double(limits.floorKbps)
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
