// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Adapts the video bit rate to the capacity of the link. Reads no clock and does no I/O: readings, times and limits
/// are passed in.
///
/// A queue delay that does not vanish between two frames means congestion, and the throughput during congestion is
/// the capacity. The controller then backs off below the capacity, far enough to drain the backlog. Without
/// congestion it ramps up as long as the encoder uses the rate. A rate that caused congestion is a ceiling for a
/// while, unless a burst (each keyframe is one) arrives faster than the assumed capacity.
public struct BitrateController: Sendable {
  /// The audio bit rate in kbit/s while the link is too slow for the usual audio bit rate.
  public static let reducedAudioKbps = 32

  /// Congestion is a queue delay that stays above `delay` for `span`. A single keyframe or a moment of radio noise
  /// delays data for a shorter time.
  static let congestion = (delay: Duration.milliseconds(80), span: Duration.milliseconds(200))
  /// Replaces `congestion` while `RateSearch` probes above a rate that has caused congestion before: the first sign of
  /// congestion ends such a probe.
  static let probeCongestion = (delay: Duration.milliseconds(60), span: Duration.milliseconds(150))
  /// A queue delay above this counts as congestion at once, however short it lasts.
  static let suddenDelay = Duration.milliseconds(450)
  /// Below this queue delay the rate may ramp up.
  static let clearDelay = Duration.milliseconds(50)
  /// After this time without congestion, the rate may ramp up in spite of a queue delay: such a lasting delay comes
  /// from the path, not from this stream.
  static let calmSpan = Duration.seconds(5)
  /// Above this backlog (in seconds of throughput) queued video is dropped: it would arrive too late.
  static let maxBacklogSeconds = 1.0
  /// Above this backlog (in seconds of throughput) the audio bit rate is reduced, for at least `audioReductionSpan`.
  static let audioBacklogSeconds = 0.7
  /// The minimum time for which the audio bit rate stays reduced.
  static let audioReductionSpan = Duration.seconds(4)
  /// How many bytes a traffic shaper or an idle radio passes at once. They are subtracted from each burst, because they
  /// say nothing about the capacity.
  static let burstBytes: UInt64 = 4_096
  /// The spans over which the throughput of a burst is measured.
  static let burstSpans = [Duration.milliseconds(100), .milliseconds(250)]
  /// A probe burst is made larger than needed by this factor, since its edges may lie outside the measured span.
  static let probeMargin = 1.3
  /// From this share of the target bit rate on, no probe burst is needed.
  static let fullShare = 0.95
  /// The throughput is the larger of its means over these two spans, so that data that has just started to flow again
  /// counts.
  static let throughputSpans = [Duration.milliseconds(150), .milliseconds(300)]
  /// The span of the long mean of the throughput. A shorter mean does not show the capacity, because TCP
  /// retransmissions arrive in bursts.
  static let longSpan = Duration.milliseconds(1_900)
  /// If this share of the encoded bytes has arrived, all of them count as delivered: the rest may be in flight.
  static let deliveredShare = 0.9
  /// How long the rate must have been reduced before the link counts as weak. The recovery from a moment of congestion
  /// takes a second, and is not worth a report.
  static let weakAfter = Duration.milliseconds(1_500)

  /// The bit rates and bounds from the settings.
  public var limits: Limits { search.limits }
  /// The requests to the encoders and the packet queue, as `note` or `change` last renewed them.
  public private(set) var plan: LinkPlan

  /// Searches for the video bit rate that the link can take.
  private var search: RateSearch
  /// The last readings of the present connection.
  private var history = LinkHistory()
  /// The number of the present connection; `nil` without a connection.
  private var connection: UInt64?
  /// Since when the video bit rate has been well below the target, or the throughput too low for live video; `nil`
  /// while neither is so.
  private var reducedSince: Duration?
  /// Decides whether a still replaces live video.
  private var starvation = LinkStarvation()
  /// Chooses the picture size and the frame rate for the video bit rate.
  private var shape = PictureShape()
  /// Decides when a probe burst is sent.
  private var probe = LinkProbe()
  /// When there was last congestion on this connection; far in the past if there was none.
  private var congestedAt = Duration.seconds(-1_000)
  /// When queued video last had to be dropped on this connection; far in the past if never.
  private var droppedAt = Duration.seconds(-1_000)
  /// Until this time the audio bit rate stays reduced, because of a large backlog.
  private var audioReducedUntil = Duration.zero

  /// Above this queue delay `LinkPlan.capacityKbps` is set during congestion. The packet queue uses the capacity to
  /// drop packets that would arrive too late.
  static let lateDelay = Duration.milliseconds(300)

  public init(_ limits: Limits) {
    search = RateSearch(limits)
    plan = LinkPlan(
      videoKbps: Int(search.rate), frameStep: 1, rung: nil, reducesAudio: false, link: .good)
  }

  /// Adopts new limits, after a person has changed the settings.
  public mutating func change(_ limits: Limits, at now: Duration) {
    search.limits = limits
    renewPlan(at: now)
  }

  /// Processes a reading and renews the plan. To be called 20 times a second.
  /// - Parameter reading: `nil` while there is no connection.
  @discardableResult
  public mutating func note(_ reading: LinkReading?, at now: Duration) -> LinkPlan {
    guard let reading else {
      // Without a connection nothing is learned about the link. If a still replaces live video, the still stays.
      connection = nil
      renewPlan(at: now)
      return plan
    }
    if reading.connection != connection { beginConnection(reading.connection, at: now) }
    history.add(reading, at: now)
    judge(reading, at: now)
    renewPlan(at: now)
    return plan
  }

  /// Begins anew on the connection with this number: forgets the readings of the previous connection.
  private mutating func beginConnection(_ number: UInt64, at now: Duration) {
    search.begin(
      again: connection != nil || number > 1, isShowingStill: starvation.isShowingStill, at: now)
    connection = number
    plan.capacityKbps = nil
    plan.throughputKbps = 0
    history.clear()
    plan.dropsVideo = false
    starvation.beginAgain(at: now)
    droppedAt = .seconds(-1_000)
    congestedAt = .seconds(-1_000)
  }

  /// Judges the link by a reading: changes the rate, and decides on dropped video, the still and probe bursts.
  private mutating func judge(_ reading: LinkReading, at now: Duration) {
    let delay = max(.zero, reading.oldestAge - reading.roundTrip)
    let limit =
      search.isProbing(at: now) ? BitrateController.probeCongestion : BitrateController.congestion
    guard let standing = history.standingDelay(over: limit.span),
      let throughput = history.maxThroughput(over: BitrateController.throughputSpans),
      let burst = history.maxThroughput(
        over: BitrateController.burstSpans, less: BitrateController.burstBytes)
    else { return }
    plan.throughputKbps = Int(throughput)
    let isFlowing = throughput > RateSearch.stallShare * search.rate
    let backlogSeconds = Double(reading.backlogBytes) * 0.008 / max(throughput, 1)
    // Without a long queue delay the backlog may be one large frame on a path with a long round trip.
    let isDelayed = isFlowing && delay > .milliseconds(200)
    // No video is dropped while a still is shown: only the still's keyframes are large, and each dropped one would have
    // to be sent again.
    plan.dropsVideo =
      isDelayed && !starvation.isShowingStill
      && backlogSeconds > BitrateController.maxBacklogSeconds
    if plan.dropsVideo { droppedAt = now }
    if isDelayed, backlogSeconds > BitrateController.audioBacklogSeconds {
      audioReducedUntil = now + BitrateController.audioReductionSpan
    }
    let isCongested =
      standing > limit.delay || delay > BitrateController.suddenDelay
    if isCongested {
      congestedAt = now
      probe.noteCongestion(at: now)
      search.noteCongestion(
        RateSearch.Congestion(
          throughput: throughput, delay: delay, backlogBytes: reading.backlogBytes),
        audioKbps: audioKbps, at: now)
    } else if standing < BitrateController.clearDelay
      || now - congestedAt > BitrateController.calmSpan
    {
      noteCalm(burst: burst, at: now)
    }
    // Use the mean over a second: a shorter stall, which every link has now and then, is no evidence of the capacity.
    let lastSecond = history.throughput(over: .seconds(1)) ?? .infinity
    let isKnown = lastSecond.isFinite && lastSecond > RateSearch.stallShare * search.rate
    plan.capacityKbps =
      isCongested && delay > BitrateController.lateDelay && isKnown ? Int(lastSecond) : nil
    let wasShowingStill = starvation.isShowingStill
    starvation.update(
      LinkStarvation.Evidence(
        wasCongested: now - congestedAt < .seconds(1), deliversAll: deliversAll(at: now),
        queueDelay: delay, minimumRoundTrip: reading.roundTrip,
        throughput: lastSecond,
        longThroughput: history.throughput(over: BitrateController.longSpan) ?? .infinity,
        burst: burst),
      needed: neededKbps, patience: limits.poorAfter, at: now)
    if !wasShowingStill, starvation.isShowingStill { search.set(0) }
    if wasShowingStill, !starvation.isShowingStill {
      search.set(0.7 * burst - audioKbps)
      if burst > neededKbps { probe.noteCapacity(at: now) }
    }
    probe.update(
      bytes: probeBytes,
      load: starvation.isShowingStill
        ? .still
        : .live(
          rate: search.rate, encoded: history.encoded(over: .seconds(1)) ?? search.rate),
      isClear: !isCongested && max(delay, standing) < BitrateController.clearDelay, at: now)
    plan.burst = probe.burst
  }

  /// Lets the rate ramp up after a reading without congestion, unless a still is shown. `burst` is the throughput of
  /// the fastest burst, in kbit/s.
  private mutating func noteCalm(burst: Double, at now: Duration) {
    guard !starvation.isShowingStill else { return }
    let showsCapacity = search.noteCalm(
      burst: burst, encoded: history.encoded(over: .seconds(1)), audioKbps: audioKbps, at: now)
    if showsCapacity { probe.noteCapacity(at: now) }
  }

  /// The size, in bytes, of a probe burst that would show enough capacity for a higher rate, or for live video instead
  /// of a still; `nil` close to the target rate.
  private var probeBytes: Int? {
    let target = Double(limits.targetKbps)
    let burstKbps: Double
    if starvation.isShowingStill {
      burstKbps = starvation.neededBurst(neededKbps)
    } else if search.rate < BitrateController.fullShare * target {
      burstKbps = (min(search.neededBurst, target) + audioKbps) / RateSearch.burstShare
    } else {
      return nil
    }
    let seconds = BitrateController.burstSpans[0] / .seconds(1)
    return Int(burstKbps * BitrateController.probeMargin * 125 * seconds)
      + Int(BitrateController.burstBytes)
  }

  /// The least that live video needs, in kbit/s: the video floor and reduced audio.
  private var neededKbps: Double { Double(limits.floorKbps + BitrateController.reducedAudioKbps) }

  /// Whether everything that is encoded arrives, and no video has been dropped within the last second.
  private func deliversAll(at now: Duration) -> Bool {
    guard now - droppedAt >= .seconds(1) else { return false }
    return history.deliversAll(
      over: keyframeSpan, share: BitrateController.deliveredShare) ?? false
  }

  /// The span over which encoded and delivered bytes are compared: a whole number of keyframe intervals, and a margin.
  /// In a shorter span without a keyframe, the encoded bytes would seem too few.
  private var keyframeSpan: Duration {
    let intervals = (BitrateController.longSpan / limits.keyframeInterval).rounded(.up)
    return limits.keyframeInterval * Int(intervals) + .milliseconds(100)
  }

  // MARK: Plan

  /// Whether the audio bit rate has to be reduced at this time.
  private func reducesAudio(at now: Duration) -> Bool {
    if starvation.isStarved { return true }
    if limits.mode == .fixed { return false }
    if now < audioReducedUntil { return true }
    // Reduce audio when the capacity is so low that video is at its floor, and cannot be reduced further.
    let capacity = search.ceilingKbps ?? .infinity
    return capacity < (plan.reducesAudio ? 1.5 : 1) * Double(limits.floorKbps)
  }

  /// The present audio bit rate, reduced or not, in kbit/s.
  private var audioKbps: Double {
    Double(
      plan.reducesAudio
        ? min(BitrateController.reducedAudioKbps, limits.audioKbps) : limits.audioKbps)
  }

  /// Sets the plan's bit rates, picture size, frame rate and link quality.
  private mutating func renewPlan(at now: Duration) {
    plan.reducesAudio = reducesAudio(at: now)
    shape.follow(rate: search.rate, sustained: search.sustained, limits, at: now)
    plan.rung = shape.rung
    plan.frameStep = shape.frameStep
    plan.videoKbps = Int(search.rate)
    let share = search.rate / Double(limits.targetKbps)
    let isReduced = starvation.isStarved || share < (plan.link == .weak ? 0.9 : 0.7)
    reducedSince = isReduced ? reducedSince ?? now : nil
    let isWeak = reducedSince.map { now - $0 >= BitrateController.weakAfter } ?? false
    plan.link =
      if starvation.isShowingStill {
        .poor
      } else if connection != nil, isWeak {
        .weak
      } else {
        .good
      }
  }
}
