// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// Decides how much of the stream each relay (a further server that gets the same stream) gets, so that none harms the
/// main destination. Reads no clock and does no I/O: the time is passed in.
///
/// A relay that does not keep up gets less (`RelayBacklog`). Relays may also compete with the main destination for a
/// thin line. So if the main destination has too low a bit rate or falls behind while relays send, the relays give way
/// at once (a retreat). From the throughput of the line, the full bit rate of the main destination is set aside, and
/// the relays share the remainder. If that does not help the main destination, the relays get nothing. If even this
/// does not help, the relays were not the cause, and get the whole stream again. If it helps, the relays get more
/// again, one step at a time: soon if the line has proved to be fast enough, else from time to time, since the line may
/// have become faster.
public struct RelayRules: Sendable {
  /// The state of the main destination at one moment.
  public struct Main: Sendable {
    /// The age, in nanoseconds, of the main destination's oldest packet that has not arrived; `nil` while the main
    /// server does not accept the stream.
    public var behind: Int64?
    /// The present bit rate of the main destination's video and audio, as the link allows, in kbit/s.
    public var kbps: Int
    /// The bit rate of the main destination's video and audio that the settings ask for, in kbit/s.
    public var targetKbps: Int
    /// Identifies the main destination's connection: another number means that it has connected anew.
    public var connection: UInt64
    /// Whether the main server has stopped reading, so that the line is not what limits the stream.
    public var hasStoppedReading: Bool

    public init(
      behind: Int64?, kbps: Int, targetKbps: Int, connection: UInt64 = 0,
      hasStoppedReading: Bool = false
    ) {
      self.behind = behind
      self.kbps = kbps
      self.targetKbps = targetKbps
      self.connection = connection
      self.hasStoppedReading = hasStoppedReading
    }

    /// Whether the main destination has its full bit rate, or nearly so.
    var hasFullRate: Bool { kbps >= targetKbps * 95 / 100 }
  }

  /// The state of a relay at one moment.
  public struct Relay: Sendable {
    public var name: String
    /// Whether the relay's server accepts the stream.
    public var isSending: Bool
    /// How often the relay's queue has begun to drop frames, since the queue was made.
    public var drops: UInt64
    /// Whether the relay's queue holds back video.
    public var isHoldingVideo: Bool
    /// The bit rate of the whole stream that the relay gets, in kbit/s; `nil` for that of the main destination.
    public var targetKbps: Int?

    public init(
      name: String, isSending: Bool, drops: UInt64, isHoldingVideo: Bool = false,
      targetKbps: Int? = nil
    ) {
      self.name = name
      self.isSending = isSending
      self.drops = drops
      self.isHoldingVideo = isHoldingVideo
      self.targetKbps = targetKbps
    }

    /// The approximate bit rate, in kbit/s, that the relay uses for this part of its stream.
    fileprivate func kbps(_ thinning: Thinning?, _ main: Main) -> Int {
      let whole = targetKbps ?? main.targetKbps
      return switch thinning ?? .whole {
      case .whole: whole
      case .keyframes: Int(Double(whole) * keyframeShare)
      case .nothing: 0
      }
    }
  }

  /// A retreat: the relays get less of the stream, in favour of the main destination.
  private struct Retreat {
    /// How much of the stream each relay gets, by name.
    var given: [String: Thinning]
    /// When the retreat began.
    var since: MediaTime
    /// When a relay's share of the stream last changed.
    var steppedAt: MediaTime
    /// The highest throughput of the line to all servers together since relays last had to give way, in kbit/s.
    var lineKbps: Int
    /// The lowest bit rate of the main destination in this retreat, in kbit/s.
    var leastKbps: Int
    /// The highest bit rate of the main destination in this retreat, in kbit/s.
    var mostKbps: Int
    /// The bit rate of the main destination when a relay first got more again, in kbit/s; `nil` before that.
    var kbpsAtReturn: Int?
    /// Whether this retreat has helped the main destination.
    var hasHelped = false

    /// How much of the stream a relay gets: nothing if it was added during this retreat.
    func thinning(_ name: String) -> Thinning { given[name] ?? .nothing }
  }

  /// The age of the main destination's oldest packet, in nanoseconds, above which it is too far behind and needs the
  /// line for itself.
  private static let tooFarBehind = Int64.milliseconds(400)
  /// How long the main destination has to be too far behind before relays give way, in nanoseconds.
  private static let patience = Int64.milliseconds(200)
  /// How long the main destination has to have less than its full bit rate before relays give way, in nanoseconds.
  private static let ratePatience = Int64.milliseconds(500)
  /// Replaces `patience` and `ratePatience` where the line has proved to be fast enough for all, in nanoseconds.
  private static let provenPatience = Int64.seconds(2)
  /// Nanoseconds after a stall, in which nothing arrives at any server, during which the line's throughput is not
  /// known.
  private static let unknownSpanAfterStall = Int64.seconds(3)
  /// For this time, in nanoseconds, after the line was last fast enough for all, a main destination whose bit rate
  /// rises needs no help.
  private static let recoverySpan = Int64.seconds(30)
  /// The interval, in nanoseconds, at which the bit rate of the main destination is compared with its value before.
  private static let riseInterval = Int64.seconds(1)
  /// Nanoseconds after a reconnection during which the main destination may be behind, since it has to catch up.
  private static let catchUpSpan = Int64.seconds(3)
  /// Nanoseconds after the start of its connection during which the main destination may still search for its bit rate.
  private static let searchSpan = Int64.seconds(10)
  /// When the main server has not accepted or read the stream for this many nanoseconds, the relays get the whole line.
  private static let absencePatience = Int64.seconds(15)
  /// If the main destination is not better off within this time after the last step, in nanoseconds, although no relay
  /// sends, the retreat does not help.
  private static let helpPatience = Int64.seconds(8)
  /// Replaces `helpPatience` while some relays still send: after this time, in nanoseconds, they get nothing either.
  private static let partialHelpPatience = Int64.seconds(4)
  /// If relays gave way without helping the main destination, they do not give way again for this time, in nanoseconds.
  /// The time doubles with each such case.
  private static let firstImmunity = Int64.seconds(60)
  /// The maximum, in nanoseconds, up to which the time that begins with `firstImmunity` doubles.
  private static let longestImmunity = Int64.seconds(960)
  /// The minimum time, in nanoseconds, between two steps that give relays more of the stream again.
  private static let stepPause = Int64.seconds(5)
  /// Minimum time, in nanoseconds, for which relays give way if the line has proved to be fast enough for their return.
  private static let provenPause = Int64.seconds(10)
  /// Minimum time, in nanoseconds, for which relays give way if the line has not proved to be fast enough for their
  /// return. The time doubles whenever the main destination lacks bit rate again after a relay came back.
  private static let firstUnprovenPause = Int64.seconds(30)
  /// The maximum, in nanoseconds, up to which the time that begins with `firstUnprovenPause` doubles.
  private static let longestUnprovenPause = Int64.seconds(240)
  /// The approximate share of its full bit rate that a relay uses for keyframes and audio alone.
  private static let keyframeShare = 0.3

  /// For each relay, by name: decides how much of the stream it gets when its own server or line does not keep up.
  private var backlogs: [String: RelayBacklog] = [:]
  /// The present retreat; `nil` while no relay has to give way.
  private var retreat: Retreat?
  /// Since when the main destination has been too far behind; `nil` while it is not.
  private var behindSince: MediaTime?
  /// Since when the main destination has had less than its full bit rate although it neither searches for its rate nor
  /// recovers; `nil` otherwise.
  private var lessRateSince: MediaTime?
  /// The number of the main destination's connection; `nil` before the first.
  private var connection: UInt64?
  /// Until this time the main destination may be behind, since it catches up after a reconnection.
  private var catchesUpUntil = MediaTime.distantPast
  /// Since when the main server has accepted the stream on its present connection; `nil` while it does not.
  private var mainSince: MediaTime?
  /// Since when the main server has not accepted the stream, or has stopped reading it; `nil` while it accepts and
  /// reads it.
  private var lostSince: MediaTime?
  /// Whether the main destination has had its full bit rate since `mainSince`.
  private var hasHadFullRate = false
  /// When nothing, or almost nothing, last arrived at all servers together.
  private var stalledAt = MediaTime.distantPast
  /// When the line was last fast enough for the main destination and all relays that send.
  private var carriedAllAt = MediaTime.distantPast
  /// The bit rate of the main destination at the last comparison, in kbit/s.
  private var rateBefore: (at: MediaTime, kbps: Int) = (.distantPast, 0)
  /// Whether the bit rate of the main destination had risen at the last comparison.
  private var isRising = false
  /// Until this time relays do not give way, since they have given way without helping the main destination.
  private var immuneUntil = MediaTime.distantPast
  /// Nanoseconds for which relays will not give way again, if they next give way without helping the main destination.
  private var immunityNanos = firstImmunity
  /// The present minimum time, in nanoseconds, for which relays give way if the line has not proved to be fast enough.
  private var unprovenPause = firstUnprovenPause

  public init() {}

  /// Decides how much of the stream each relay gets. To be called regularly.
  /// - Parameters:
  ///   - relays: the relays, in the order in which they get the stream again after a retreat.
  ///   - throughputKbps: the present throughput to all servers together, in kbit/s.
  /// - Returns: how much of the stream each relay gets, by name.
  public mutating func decide(
    _ main: Main, _ relays: [Relay], throughputKbps: Int, now: MediaTime
  ) -> [String: Thinning] {
    let names = Set(relays.map(\.name))
    backlogs = backlogs.filter { names.contains($0.key) }
    follow(main, relays, throughputKbps, now)
    return Dictionary(
      uniqueKeysWithValues: relays.map { relay in
        let own = backlogs[relay.name, default: RelayBacklog(now: now)]
          .decide(drops: relay.drops, isHoldingVideo: relay.isHoldingVideo, now: now)
        return (relay.name, max(own, retreat?.thinning(relay.name) ?? .whole))
      })
  }

  /// Begins, continues or ends a retreat. `throughputKbps` is the throughput to all servers together, in kbit/s.
  private mutating func follow(
    _ main: Main, _ relays: [Relay], _ throughputKbps: Int, _ now: MediaTime
  ) {
    guard let behind = main.behind, !main.hasStoppedReading else { return noteAbsence(now) }
    if let lostSince {
      // The main server accepts the stream again. A retreat begins anew, since the main destination needs the line for
      // its start, unless the long absence has ended the retreat.
      if now - lostSince > Self.absencePatience { retreat = nil }
      retreat?.since = now
      retreat?.steppedAt = now
    }
    if main.connection != connection {
      if connection != nil { catchesUpUntil = now + Self.catchUpSpan }
      connection = main.connection
      (mainSince, behindSince, lessRateSince, hasHadFullRate) = (nil, nil, nil, false)
    }
    let since = mainSince ?? now
    (lostSince, mainSince) = (nil, since)
    hasHadFullRate = hasHadFullRate || (main.hasFullRate && now >= catchesUpUntil)
    let isSearching = !hasHadFullRate && now - since < Self.searchSpan
    let isTooFarBehind = behind > Self.tooFarBehind && now >= catchesUpUntil
    behindSince = isTooFarBehind ? behindSince ?? now : nil
    note(main, relays, throughputKbps, now)
    let isRecovering = isRising && now - carriedAllAt < Self.recoverySpan
    lessRateSince = main.hasFullRate || isSearching || isRecovering ? nil : lessRateSince ?? now
    guard var retreat else { return beginIfNeeded(main, relays, throughputKbps, now) }
    retreat.leastKbps = min(retreat.leastKbps, main.kbps)
    retreat.mostKbps = max(retreat.mostKbps, main.kbps)
    retreat.lineKbps = max(retreat.lineKbps, throughputKbps)
    let hasGained = main.hasFullRate || main.kbps >= retreat.leastKbps * 12 / 10
    if hasGained, behindSince == nil { retreat.hasHelped = true }
    self.retreat = retreat
    if !retreat.hasHelped {
      let isPartial = relays.contains { $0.isSending && retreat.thinning($0.name) < .nothing }
      guard now - retreat.steppedAt >= (isPartial ? Self.partialHelpPatience : Self.helpPatience)
      else { return }
      if isPartial {
        self.retreat?.given = [:]
        self.retreat?.steppedAt = now
      } else {
        self.retreat = nil
        immuneUntil = now + immunityNanos
        immunityNanos = min(immunityNanos * 2, Self.longestImmunity)
      }
    } else if retreat.kbpsAtReturn != nil, isWorse(main, retreat, now) {
      unprovenPause = min(unprovenPause * 2, Self.longestUnprovenPause)
      self.retreat = newRetreat(main, relays, throughputKbps, now)
      self.retreat?.hasHelped = true
    } else if isWorse(main, retreat, now),
      relays.contains(where: { retreat.thinning($0.name) < .nothing })
    {
      // The line is slower than when the relays gave way: they get even less.
      let given = newRetreat(main, relays, throughputKbps, now).given
      self.retreat?.given = given.merging(retreat.given) { max($0, $1) }
      self.retreat?.lineKbps = throughputKbps
      self.retreat?.steppedAt = now
    } else if behindSince == nil, now - retreat.steppedAt >= Self.stepPause {
      comeBack(main, relays, &retreat, now)
    }
  }

  /// Notes whether the line stalls, whether it is fast enough for all, and whether the main destination's bit rate
  /// rises.
  private mutating func note(
    _ main: Main, _ relays: [Relay], _ throughputKbps: Int, _ now: MediaTime
  ) {
    if throughputKbps < main.targetKbps / 8 { stalledAt = now }
    let all = Self.kbpsOfAll(main, relays)
    if throughputKbps >= all * 95 / 100 { carriedAllAt = now }
    if now - rateBefore.at >= Self.riseInterval {
      isRising = main.kbps > rateBefore.kbps * 101 / 100
      rateBefore = (now, main.kbps)
    }
  }

  /// Handles a main destination whose server does not accept the stream, or has stopped reading it. After
  /// `absencePatience` the retreat ends.
  private mutating func noteAbsence(_ now: MediaTime) {
    lostSince = lostSince ?? now
    (mainSince, behindSince, lessRateSince, hasHadFullRate) = (nil, nil, nil, false)
    if let lostSince, now - lostSince > Self.absencePatience { retreat = nil }
  }

  /// Whether `since` is at least `patience` nanoseconds ago; `false` if `since` is `nil`.
  private func has(_ since: MediaTime?, lasted patience: Int64, _ now: MediaTime) -> Bool {
    since.map { now - $0 >= patience } ?? false
  }

  /// Begins a retreat if the main destination has been behind, or below its full bit rate, for too long.
  private mutating func beginIfNeeded(
    _ main: Main, _ relays: [Relay], _ throughputKbps: Int, _ now: MediaTime
  ) {
    guard
      has(behindSince, lasted: Self.patience, now)
        || has(lessRateSince, lasted: Self.ratePatience, now),
      now >= immuneUntil, relays.contains(where: \.isSending),
      now - stalledAt >= Self.unknownSpanAfterStall
        || has(behindSince, lasted: Self.unknownSpanAfterStall, now)
    else { return }
    let carriesAll = Self.kbpsOfAll(main, relays) <= throughputKbps
    guard
      !carriesAll || has(behindSince, lasted: Self.provenPatience, now)
        || has(lessRateSince, lasted: Self.provenPatience, now)
    else { return }
    retreat = newRetreat(main, relays, throughputKbps, now)
  }

  /// Whether the main destination is behind or lacks bit rate again, although relays give way: the line is slower now,
  /// or too slow for a relay that came back.
  private func isWorse(_ main: Main, _ retreat: Retreat, _ now: MediaTime) -> Bool {
    guard now - retreat.steppedAt >= Self.patience else { return false }
    if has(behindSince, lasted: Self.patience, now) { return true }
    let before = retreat.kbpsAtReturn.map { $0 * 95 / 100 } ?? retreat.mostKbps * 80 / 100
    return has(lessRateSince, lasted: Self.ratePatience, now) && main.kbps < before
  }

  /// Gives one relay one step more of the stream, if that is due.
  private mutating func comeBack(
    _ main: Main, _ relays: [Relay], _ retreat: inout Retreat, _ now: MediaTime
  ) {
    let waiting = relays.filter { retreat.thinning($0.name) > .whole }
    // A relay that does not send does not use the line, so it comes back last.
    guard let next = waiting.first(where: \.isSending) ?? waiting.first else {
      self.retreat = nil
      unprovenPause = Self.firstUnprovenPause
      // All relays are back, and the main destination still lacks bit rate: there is another cause.
      if !main.hasFullRate { immuneUntil = now + Self.longestImmunity }
      return
    }
    var fuller = Dictionary(
      uniqueKeysWithValues: relays.map { ($0.name, retreat.thinning($0.name)) })
    fuller[next.name] = retreat.thinning(next.name).fuller
    let needed = main.targetKbps + relays.reduce(0) { $0 + $1.kbps(fuller[$1.name], main) }
    let isProven = main.hasFullRate && needed <= retreat.lineKbps
    guard now - retreat.since >= (isProven ? Self.provenPause : unprovenPause) else { return }
    self.retreat?.given = fuller
    self.retreat?.steppedAt = now
    self.retreat?.kbpsAtReturn = retreat.kbpsAtReturn ?? main.kbps
  }

  /// The bit rate, in kbit/s, of the main destination and of the relays that send, if all get the whole stream.
  private static func kbpsOfAll(_ main: Main, _ relays: [Relay]) -> Int {
    relays.reduce(main.targetKbps) { $0 + ($1.isSending ? $1.kbps(.whole, main) : 0) }
  }

  /// A new retreat, in which the relays share the throughput that the main destination leaves.
  private func newRetreat(
    _ main: Main, _ relays: [Relay], _ throughputKbps: Int, _ now: MediaTime
  ) -> Retreat {
    var spare = throughputKbps - main.targetKbps
    var given: [String: Thinning] = [:]
    // The spare throughput goes first to the relays that send.
    for relay in relays.filter(\.isSending) + relays.filter({ !$0.isSending }) {
      let thinning =
        [Thinning.whole, .keyframes].first { relay.kbps($0, main) <= spare } ?? .nothing
      spare -= relay.kbps(thinning, main)
      given[relay.name] = thinning
    }
    // At least one relay has to get less.
    if let last = relays.last(where: \.isSending),
      !relays.contains(where: { $0.isSending && given[$0.name] != .whole })
    {
      given[last.name] = .keyframes
    }
    return Retreat(
      given: given, since: now, steppedAt: now, lineKbps: throughputKbps, leastKbps: main.kbps,
      mostKbps: main.kbps)
  }
}
