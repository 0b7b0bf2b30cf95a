// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What is to be sent, as far as the link has a say in it.
public struct LinkPlan: Equatable, Sendable {
  /// Bit rate of the pictures, in kbit/s.
  public var videoKbps: Int
  /// Every how many pictures one is sent: 1 for all.
  public var pictureStep: Int
  /// The size to give up the picture to; `nil` for the one that is set.
  public var rung: VideoLadder.Rung?
  /// Sound is to take as little as it can.
  public var savesSound: Bool
  /// The pictures that wait would be too old once they arrived: they are to be left out, up to a key picture.
  public var skips = false
  public var link: Conditions.Link
}

/// Has the bit rate follow what the link carries. Pure: readings, times and wishes are handed in.
///
/// A delay that does not go away between two pictures is a queue, and what arrives while there is one is what
/// the link carries: the rate falls below that at once, by as much as it takes to empty the queue. It rises
/// while there is none, as long as the encoder makes use of it; a rate that failed is left alone for a while,
/// unless a burst, as each key picture is one, arrives faster than the link was thought to be.
public struct BitrateController: Sendable {
  /// What gives way first when the link is weak.
  public enum Mode: String, Sendable, CaseIterable {
    /// Keeps the size of the picture, and gives up pictures a second last.
    case resolution
    /// Keeps the pictures a second, and gives up the size first, where it may change.
    case fluency
    /// As `resolution`, with bounds that a person has set.
    case custom
    /// Never changes the bit rate.
    case fixed
  }

  /// What a person wants of it.
  public struct Wishes: Equatable, Sendable {
    public var mode: Mode
    /// kbit/s of pictures: what a good link gets, what the weakest gets, and what the broadcast begins with.
    public var targetKbps: Int
    public var leastKbps: Int
    public var initialKbps: Int
    /// kbit/s of sound.
    public var soundKbps: Int
    /// The picture as set, in pixels.
    public var width: Int
    public var height: Int
    /// Whether the size may change.
    public var mayResize: Bool
    /// How long the link may carry less than the least before a still takes the picture's place.
    public var poorAfter: Duration

    public init(
      mode: Mode, targetKbps: Int, leastKbps: Int, initialKbps: Int, soundKbps: Int,
      width: Int, height: Int, mayResize: Bool, poorAfter: Duration
    ) {
      self.mode = mode
      self.targetKbps = targetKbps
      self.leastKbps = min(leastKbps, targetKbps)
      self.initialKbps = min(max(initialKbps, leastKbps), targetKbps)
      self.soundKbps = soundKbps
      self.width = width
      self.height = height
      self.mayResize = mayResize && mode != .custom
      self.poorAfter = poorAfter
    }
  }

  /// A rate that the link did not carry.
  private struct Ceiling {
    var kbps: Double
    /// Until when it is not tried again.
    var until: Duration
  }

  /// kbit/s of sound that saves.
  public static let savedSoundKbps = 32

  // Thresholds, and what they are for.

  /// A queue: longer than a key picture or a moment of noise on the radio takes to pass.
  static let queue = (delay: Duration.milliseconds(110), span: Duration.milliseconds(300))
  /// After a rate that failed is tried again, the first sign is enough.
  static let tryQueue = (delay: Duration.milliseconds(60), span: Duration.milliseconds(150))
  static let trySpan = Duration.seconds(2)
  /// So much at once is a queue without waiting for it to last.
  static let suddenDelay = Duration.milliseconds(450)
  /// No queue to speak of.
  static let clearDelay = Duration.milliseconds(50)
  /// A fall shows in what arrives only after so long.
  static let fallPause = Duration.milliseconds(300)
  static let risePause = Duration.milliseconds(400)
  static let stillPause = Duration.seconds(2)
  /// The share of what arrives that is used, so that the queue can empty.
  static let usedShare = 0.95
  /// How fast a queue is emptied.
  static let emptyingSeconds = 1.2
  /// What takes longer to pass is not worth sending.
  static let mostQueueSeconds = 2.0
  /// What takes less is gone soon.
  static let leastQueueSeconds = 0.5
  /// What a shaper or an idle radio lets through at once proves nothing.
  static let burstBytes: UInt64 = 4_096
  static let burstSpans = [Duration.milliseconds(100), .milliseconds(250)]
  /// What has just begun to flow again counts from then.
  static let flowSpans = [Duration.milliseconds(150), .milliseconds(300)]
  /// Less than this share of the rate is as good as nothing.
  static let stallShare = 0.05
  static let pauses: ClosedRange<Duration> = .seconds(1) ... .seconds(16)
  static let tries: ClosedRange<Duration> = .seconds(30) ... .seconds(120)

  public private(set) var wishes: Wishes
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
  private var starvedSince: Duration?
  private var congestedAt = Duration.seconds(-1_000)
  private var poorSince: Duration?
  private var resizeSince: Duration?
  private var goodSince = Duration.seconds(-1_000)
  /// How much more than the least has to arrive in a burst before pictures are tried again.
  private var proof = 1.25
  private var nextTry = BitrateController.tries.lowerBound

  public init(_ wishes: Wishes) {
    self.wishes = wishes
    rate = Double(wishes.mode == .fixed ? wishes.targetKbps : wishes.initialKbps)
    proven = rate
    plan = LinkPlan(
      videoKbps: Int(rate), pictureStep: 1, rung: nil, savesSound: false, link: .good)
  }

  /// A person wants something else, from now on.
  public mutating func change(_ wishes: Wishes, at now: Duration) {
    self.wishes = wishes
    rate = bounded(wishes.mode == .fixed ? Double(wishes.targetKbps) : rate)
    proven = bounded(proven)
    renewPlan(at: now)
  }

  /// Takes a reading, twenty times a second.
  /// - Parameter reading: `nil` while there is no connection.
  @discardableResult
  public mutating func note(_ reading: LinkReading?, at now: Duration) -> LinkPlan {
    guard let reading else {
      // Nobody sees what is sent; the next connection begins anew.
      connection = nil
      endPoor(at: now)
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
    if connection != nil || number > 1 { rate = bounded(max(rate, proven) * 0.75) }
    connection = number
    history.clear()
    ceiling = nil
    pause = BitrateController.pauses.lowerBound
    beforeStall = nil
    starvedSince = nil
    congestedAt = .seconds(-1_000)
    changedAt = now
  }

  private mutating func judge(_ reading: LinkReading, at now: Duration) {
    let delay = max(.zero, reading.oldestWait - reading.roundTrip)
    let isTry = triedAt.map { now - $0 < BitrateController.trySpan } ?? false
    let queue = isTry ? BitrateController.tryQueue : BitrateController.queue
    guard let standing = history.standingDelay(over: queue.span),
      let arrival = history.mostArrival(over: BitrateController.flowSpans),
      let burst = history.mostArrival(
        over: BitrateController.burstSpans, less: BitrateController.burstBytes)
    else { return }
    let room = plan.skips ? BitrateController.leastQueueSeconds : BitrateController.mostQueueSeconds
    plan.skips =
      delay > .milliseconds(200) && arrival > BitrateController.stallShare * rate
      && Double(reading.waitingBytes) * 0.008 > arrival * room
    let isCongested =
      standing > queue.delay || delay > BitrateController.suddenDelay
    if isCongested {
      congestedAt = now
      if isTry, let before = ceiling?.kbps {
        endTry(before, waitingBytes: reading.waitingBytes, at: now)
      } else if now - fellAt >= BitrateController.fallPause {
        fall(to: arrival, delay: delay, waitingBytes: reading.waitingBytes, at: now)
      }
    } else if standing < BitrateController.clearDelay {
      rise(burst: burst, at: now)
    }
    starve(isCongested: isCongested, standing: standing, burst: burst, at: now)
  }

  // MARK: Down

  private mutating func fall(
    to arrival: Double, delay: Duration, waitingBytes: Int, at now: Duration
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
    let carried = arrival * BitrateController.usedShare - soundKbps
    let queued = Double(waitingBytes) * 0.008 / BitrateController.emptyingSeconds
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
  private mutating func endTry(_ before: Double, waitingBytes: Int, at now: Duration) {
    let most = max(.seconds(3), min(BitrateController.pauses.upperBound, (now - weakSince) / 8))
    pause = min(pause * 2, most)
    triedAt = nil
    ceiling = Ceiling(kbps: before, until: now + pause)
    rate = bounded(before - Double(waitingBytes) * 0.008 / BitrateController.emptyingSeconds)
    fellAt = now
    changedAt = now
  }

  // MARK: Up

  private mutating func rise(burst: Double, at now: Duration) {
    guard poorSince == nil else { return }
    if let before = beforeStall {
      rate = bounded(max(rate, 0.75 * before))
      beforeStall = nil
      changedAt = now
    }
    guard now - fellAt >= .milliseconds(500) else { return }
    let shown = burst * 0.9 - soundKbps
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

  // MARK: The still

  private mutating func starve(
    isCongested: Bool, standing: Duration, burst: Double, at now: Duration
  ) {
    if poorSince != nil {
      look(standing: standing, burst: burst, at: now)
      return
    }
    let arrival = history.arrival(over: .seconds(1)) ?? .infinity
    let needed = Double(wishes.leastKbps + BitrateController.savedSoundKbps)
    if now - congestedAt < .seconds(1), arrival < needed {
      let since = starvedSince ?? now
      starvedSince = since
      let isTry = now - goodSince < .seconds(6)
      // With a link that carries nothing at all a still does not help either.
      if now - since >= (isTry ? min(wishes.poorAfter, .milliseconds(500)) : wishes.poorAfter),
        arrival > 5
      {
        if now - goodSince > .seconds(30) {
          nextTry = BitrateController.tries.lowerBound
          proof = 1.25
        } else {
          proof = min(proof * 1.5, 4)
        }
        poorSince = now
        rate = Double(wishes.mode == .fixed ? wishes.targetKbps : wishes.leastKbps)
      }
    } else {
      starvedSince = nil
    }
  }

  /// Whether there is room for pictures again.
  private mutating func look(standing: Duration, burst: Double, at now: Duration) {
    guard let since = poorSince, now - since > .seconds(1) else { return }
    let needed = Double(wishes.leastKbps + BitrateController.savedSoundKbps)
    if burst > proof * needed {
      endPoor(at: now)
      if wishes.mode != .fixed { rate = bounded(0.7 * burst - soundKbps) }
    } else if now - since >= nextTry, standing < BitrateController.clearDelay {
      nextTry = min(nextTry * 2, BitrateController.tries.upperBound)
      endPoor(at: now)
    }
  }

  private mutating func endPoor(at now: Duration) {
    if poorSince != nil { goodSince = now }
    poorSince = nil
    starvedSince = nil
  }

  // MARK: What follows

  private func bounded(_ kbps: Double) -> Double {
    if wishes.mode == .fixed { return Double(wishes.targetKbps) }
    return min(max(kbps, Double(wishes.leastKbps)), Double(wishes.targetKbps))
  }

  private var savesSound: Bool {
    guard poorSince == nil, starvedSince == nil else { return true }
    // Where pictures have nothing left to give.
    let carried = ceiling?.kbps ?? .infinity
    return carried < (plan.savesSound ? 1.5 : 1) * Double(wishes.leastKbps)
  }

  private var soundKbps: Double {
    Double(
      plan.savesSound ? min(BitrateController.savedSoundKbps, wishes.soundKbps) : wishes.soundKbps)
  }

  private mutating func renewPlan(at now: Duration) {
    plan.savesSound = savesSound
    renewRung(at: now)
    plan.pictureStep = pictureStep
    plan.videoKbps = Int(rate)
    let share = rate / Double(wishes.targetKbps)
    plan.link =
      if poorSince != nil { .poor } else if connection == nil {
        .good
      } else if starvedSince != nil || share < (plan.link == .weak ? 0.9 : 0.7) { .weak } else {
        .good
      }
  }

  /// A new size costs a key picture, and shows: it comes when the rate has asked for it for a while.
  private mutating func renewRung(at now: Duration) {
    let wanted = wantedRung
    guard wanted != plan.rung else {
      resizeSince = nil
      return
    }
    let since = resizeSince ?? now
    resizeSince = since
    let isSmaller = (wanted?.kbps ?? .max) < (plan.rung?.kbps ?? .max)
    guard now - since >= (isSmaller ? .milliseconds(1_500) : .seconds(5)) else { return }
    plan.rung = wanted
    resizeSince = nil
  }

  /// The size that the rate is enough for.
  private var wantedRung: VideoLadder.Rung? {
    guard wishes.mayResize else { return nil }
    // While a queue is emptied the rate is less than the link carries.
    let lasting = bounded(max(rate, ceiling?.kbps ?? 0))
    var upper = Double(wishes.targetKbps)
    var chosen: VideoLadder.Rung?
    for rung in VideoLadder.rungs
    where rung.width * rung.height < wishes.width * wishes.height && Double(rung.kbps) < upper {
      let half = (upper + Double(rung.kbps)) / 2
      let bound = wishes.mode == .fluency ? half : Double(rung.kbps) * 1.2
      // The way up is a little longer than the way down.
      let isThere = plan.rung.map { $0.kbps <= rung.kbps } ?? false
      guard lasting < (isThere ? bound * 1.1 : bound) else { break }
      chosen = rung
      upper = Double(rung.kbps)
    }
    return chosen
  }

  private var pictureStep: Int {
    guard wishes.mode == .resolution || wishes.mode == .custom else { return 1 }
    let size = plan.rung.map { ($0.width, $0.height) } ?? (wishes.width, wishes.height)
    let good = VideoLadder.goodKbps(width: size.0, height: size.1)
    let share = rate / min(good, Double(wishes.targetKbps))
    return switch plan.pictureStep {
    case 1: share < 0.4 ? 2 : 1
    case 2: share < 0.25 ? 3 : share > 0.5 ? 1 : 2
    default: share > 0.32 ? 2 : 3
    }
  }
}
