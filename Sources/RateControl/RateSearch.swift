// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Searches for the video bit rate that the link can take: backs off during congestion and ramps up without it. Reads
/// no clock and does no I/O: the time is passed in.
///
/// A rate that caused congestion is a ceiling for a while, unless a burst arrives faster than the assumed capacity.
struct RateSearch: Sendable {
  /// A measurement of the link during congestion.
  struct Congestion {
    /// The throughput in kbit/s, which during congestion is the capacity.
    var throughput: Double
    var delay: Duration
    var backlogBytes: Int
  }

  /// A video bit rate above which there was congestion.
  private struct Ceiling {
    var kbps: Double
    /// Before this time the rate is not raised above the ceiling, unless a burst shows more capacity.
    var until: Duration
  }

  /// For this time after the rate was raised above a ceiling (a rate that has caused congestion), the first sign of
  /// congestion ends the attempt.
  static let probeSpan = Duration.seconds(2)
  /// Minimum time from a back-off to the next change of the rate: only then does the throughput show the effect.
  static let backOffPause = Duration.milliseconds(300)
  /// Minimum time between two steps in which the rate ramps up.
  static let rampPause = Duration.milliseconds(400)
  /// Minimum time between two steps of the ramp in a quiet scene, in which only keyframes use the whole rate.
  static let quietRampPause = Duration.seconds(2)
  /// The share of the capacity that the rate may use during congestion, so that the queue can drain.
  static let capacityShare = 0.95
  /// The time, in seconds, in which the backlog is to be drained.
  static let drainSeconds = 1.2
  /// The share of a burst's throughput that counts as capacity.
  static let burstShare = 0.9
  /// The factor by which a burst has to exceed the assumed capacity before the rate is raised at once.
  static let burstMargin = 1.25
  /// A throughput below this share of the video bit rate is a stall.
  static let stallShare = 0.05
  /// The bounds of the time for which a ceiling limits the rate. The time doubles with each failed probe above the
  /// ceiling.
  static let ceilingPauses: ClosedRange<Duration> = .seconds(1) ... .seconds(16)

  /// The bit rates and bounds from the settings. A change applies to `rate` at once.
  var limits: BitrateController.Limits {
    didSet {
      // If the link has not limited the rate, a rate above the old target is tried at once, as at the start of a
      // broadcast.
      let isUnlimited = ceiling == nil && rate >= Double(oldValue.targetKbps)
      rate = bounded(isUnlimited ? max(rate, Double(limits.initialKbps)) : rate)
      provenKbps = bounded(provenKbps)
    }
  }
  /// The video bit rate to use now, in kbit/s.
  private(set) var rate: Double
  /// The last video bit rate that worked for two seconds before a back-off, in kbit/s; at first the initial rate.
  private var provenKbps: Double
  /// The rate above which there was congestion, as a limit; `nil` while no congestion limits the rate.
  private var ceiling: Ceiling?
  /// How long the next ceiling limits the rate.
  private var ceilingPause = RateSearch.ceilingPauses.lowerBound
  /// When the rate last changed because of the link's state, or a connection began.
  private var changedAt = Duration.zero
  /// When the rate was last reduced because of congestion; far in the past if never.
  private var backedOffAt = Duration.seconds(-1_000)
  /// When congestion set the first ceiling after a time without any ceiling.
  private var weakSince = Duration.zero
  /// When the rate was first raised above the last ceiling, as a probe; `nil` before that.
  private var probedAt: Duration?
  /// The video bit rate, in kbit/s, before a stall that has not ended yet; `nil` if there is no stall.
  private var beforeStall: Double?

  init(_ limits: BitrateController.Limits) {
    self.limits = limits
    rate = Double(limits.mode == .fixed ? limits.targetKbps : limits.initialKbps)
    provenKbps = rate
  }

  /// The assumed capacity for video in kbit/s; `nil` while no congestion limits the rate.
  var ceilingKbps: Double? { ceiling?.kbps }

  /// The video bit rate, in kbit/s, that the link can take lastingly. `rate` is lower while a backlog is drained.
  var sustained: Double { bounded(max(rate, ceiling?.kbps ?? 0)) }

  /// Whether the rate was raised above a ceiling within the last `probeSpan`.
  func isProbing(at now: Duration) -> Bool {
    probedAt.map { now - $0 < RateSearch.probeSpan } ?? false
  }

  /// The throughput for video, in kbit/s, that a burst has to show before the rate is raised at once.
  var neededBurst: Double { RateSearch.burstMargin * max(rate, ceiling?.kbps ?? 0) }

  /// Begins anew on another connection, which may use another path.
  /// - Parameters:
  ///   - again: whether there was a connection before.
  ///   - isShowingStill: whether a still is shown.
  mutating func begin(again: Bool, isShowingStill: Bool, at now: Duration) {
    if again { rate = isShowingStill ? bounded(0) : bounded(max(rate, provenKbps) * 0.75) }
    ceiling = nil
    ceilingPause = RateSearch.ceilingPauses.lowerBound
    beforeStall = nil
    changedAt = now
  }

  /// Sets the rate, in kbit/s. To be called when a still replaces live video, and when live video resumes.
  mutating func set(_ kbps: Double) { rate = bounded(kbps) }

  // MARK: Back off

  /// Backs off, or ends the present probe, since there is congestion.
  mutating func noteCongestion(_ found: Congestion, audioKbps: Double, at now: Duration) {
    if isProbing(at: now), let before = ceiling?.kbps {
      endProbe(before, backlogBytes: found.backlogBytes, at: now)
    } else if now - backedOffAt >= RateSearch.backOffPause {
      backOff(found, audioKbps: audioKbps, at: now)
    }
  }

  /// Reduces the rate below the measured throughput, so that the backlog drains, or halves the rate in a stall.
  private mutating func backOff(_ found: Congestion, audioKbps: Double, at now: Duration) {
    if found.throughput < RateSearch.stallShare * rate {
      // A stall says nothing about the capacity after the stall. Until the stall ends, halve the rate.
      guard found.delay > .milliseconds(700), now - backedOffAt >= .milliseconds(500) else {
        return
      }
      if beforeStall == nil { beforeStall = rate }
      rate = bounded(rate / 2)
      backedOffAt = now
      changedAt = now
      return
    }
    beforeStall = nil
    let usable = found.throughput * RateSearch.capacityShare - audioKbps
    if now - changedAt > .seconds(2) { provenKbps = max(rate, usable) }
    if ceiling == nil { weakSince = now }
    probedAt = nil
    ceiling = Ceiling(kbps: max(usable, 0), until: now + ceilingPause)
    rate = bounded(min(rate, usable - drainKbps(found.backlogBytes)))
    backedOffAt = now
    changedAt = now
  }

  /// Ends a probe that has caused congestion: lowers the rate below `before`, in kbit/s, the ceiling that the probe
  /// tried to exceed. That ceiling now lasts twice as long as the last one, up to a maximum. The maximum is an eighth
  /// of the time since the link became weak, but at least three and at most 16 seconds.
  private mutating func endProbe(_ before: Double, backlogBytes: Int, at now: Duration) {
    let longest = max(
      .seconds(3), min(RateSearch.ceilingPauses.upperBound, (now - weakSince) / 8))
    ceilingPause = min(ceilingPause * 2, longest)
    probedAt = nil
    ceiling = Ceiling(kbps: before, until: now + ceilingPause)
    rate = bounded(before - drainKbps(backlogBytes))
    backedOffAt = now
    changedAt = now
  }

  /// The bit rate, in kbit/s, that has to stay unused for a backlog to drain in `drainSeconds`.
  private func drainKbps(_ backlogBytes: Int) -> Double {
    Double(backlogBytes) * 0.008 / RateSearch.drainSeconds
  }

  // MARK: Ramp up

  /// Raises the rate, since there is no congestion.
  /// - Parameters:
  ///   - burst: the throughput of the fastest burst, in kbit/s.
  ///   - encoded: the bit rate that the encoder produced in the last second, in kbit/s; `nil` if it is not known.
  /// - Returns: whether the burst has shown more capacity than was assumed.
  mutating func noteCalm(
    burst: Double, encoded: Double?, audioKbps: Double, at now: Duration
  ) -> Bool {
    if let before = beforeStall {
      rate = bounded(max(rate, 0.75 * before))
      beforeStall = nil
      changedAt = now
    }
    guard now - backedOffAt >= RateSearch.backOffPause else { return false }
    let shown = burst * RateSearch.burstShare - audioKbps
    if shown > neededBurst {
      ceiling = nil
      ceilingPause = RateSearch.ceilingPauses.lowerBound
      rate = bounded(max(rate, min(shown, max(2.5 * rate, 0.9 * provenKbps))))
      changedAt = now
      return true
    }
    rampUp(encoded: encoded, at: now)
    return false
  }

  /// Raises the rate by one step if that is due. Before the ceiling expires, only up to the ceiling.
  private mutating func rampUp(encoded: Double?, at now: Duration) {
    if let bound = ceiling, now < bound.until {
      // The backlog has drained: return to the ceiling.
      if rate < bound.kbps { raise(by: .infinity, to: bound.kbps, at: now) }
      return
    }
    guard now - changedAt >= RateSearch.rampPause else { return }
    if ceiling != nil, probedAt == nil { probedAt = now }
    if let encoded, encoded > 0.6 * rate {
      raise(by: rate < 0.9 * provenKbps ? 1.5 : 1.15, to: .infinity, at: now)
    } else if now - changedAt >= RateSearch.quietRampPause {
      // In a quiet scene only keyframes use the whole rate, and each keyframe probes the link.
      raise(by: 1.5, to: .infinity, at: now)
    }
    if now - (ceiling?.until ?? now) > .seconds(3) {
      ceiling = nil
      ceilingPause = RateSearch.ceilingPauses.lowerBound
    }
  }

  /// Multiplies the rate by a factor, up to `limit`, in kbit/s, and within the limits of the settings.
  private mutating func raise(by factor: Double, to limit: Double, at now: Duration) {
    let raised = bounded(min(rate * factor, limit))
    guard raised > rate else { return }
    rate = raised
    changedAt = now
  }

  /// The bit rate nearest to `kbps` that the settings allow; in the mode `fixed` always the target.
  private func bounded(_ kbps: Double) -> Double {
    if limits.mode == .fixed { return Double(limits.targetKbps) }
    return min(max(kbps, Double(limits.floorKbps)), Double(limits.targetKbps))
  }
}
