// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// Decides how much of the stream each relay gets, so that none harms the main destination. Pure: the caller passes the
/// time.
///
/// A relay that does not keep up gets less (`RelayBacklog`). Where the main destination has too little while relays send,
/// they may share a thin line: then they give way at once, as far as the line's proven rate does not carry them beside the
/// main one's whole rate, and wholly where that is not enough. If that does not help it, they were not in its way, and go
/// on. Otherwise they come back one step at a time: soon as far as the line has proved to carry them, else once in a while,
/// since it may carry more again.
public struct RelayRules: Sendable {
  /// The main destination at one moment.
  public struct Main: Sendable {
    /// Age of its oldest packet that has not arrived, in nanoseconds; `nil` while its server does not take the stream.
    public var behind: Int64?
    /// The bit rate that the link lets it have, video and audio, in kbit/s.
    public var kbps: Int
    /// The one that the settings ask for.
    public var targetKbps: Int
    /// Which of its connections this is.
    public var connection: UInt64
    /// Its server has stopped reading, so the line is not what it lacks.
    public var isHeld: Bool

    public init(
      behind: Int64?, kbps: Int, targetKbps: Int, connection: UInt64 = 0, isHeld: Bool = false
    ) {
      self.behind = behind
      self.kbps = kbps
      self.targetKbps = targetKbps
      self.connection = connection
      self.isHeld = isHeld
    }

    var isWhole: Bool { kbps >= targetKbps * 95 / 100 }
  }

  /// A relay at one moment.
  public struct Relay: Sendable {
    public var name: String
    /// Whether its server takes the stream.
    public var isSending: Bool
    /// How often its queue has begun to drop frames, since its start.
    public var drops: UInt64
    /// Whether its queue holds back video at present.
    public var isHeld: Bool

    public init(name: String, isSending: Bool, drops: UInt64, isHeld: Bool = false) {
      self.name = name
      self.isSending = isSending
      self.drops = drops
      self.isHeld = isHeld
    }
  }

  /// Relays that give way.
  private struct Retreat {
    var given: [String: Thinning]
    var since: MediaTime
    var steppedAt: MediaTime
    /// What the line carried when it was full, in kbit/s.
    var lineKbps: Int
    /// The least and the most that the main destination has had since.
    var leastKbps: Int
    var mostKbps: Int
    /// What it had when the first of them came back; `nil` before.
    var kbpsAtReturn: Int?
    /// Whether the main destination has gained by it.
    var hasHelped = false

    /// What one that has come meanwhile gets, too.
    func thinning(_ name: String) -> Thinning { given[name] ?? .nothing }
  }

  /// From so far behind on, the main destination needs the line for itself.
  private static let tooFarBehind = Int64.milliseconds(400)
  /// For so long it has to be too far behind, or to have less than its whole rate.
  private static let patience = Int64.milliseconds(200)
  private static let ratePatience = Int64.milliseconds(500)
  /// The same, where the line has proved to carry all.
  private static let provenPatience = Int64.seconds(2)
  /// After a stall of the line, in which nothing arrives anywhere, its rate is not known.
  private static let afterStall = Int64.seconds(3)
  /// For so long after the line has carried all, a main destination whose rate rises needs no help.
  private static let recovery = Int64.seconds(30)
  private static let rise = Int64.seconds(1)
  /// After its connection has begun, the main destination finds its rate by itself; after a connection before, it also has
  /// to catch up.
  private static let catchUp = Int64.seconds(3)
  private static let search = Int64.seconds(10)
  /// After so long without it they have the line for themselves.
  private static let absence = Int64.seconds(15)
  /// After so long it shows whether it helps that relays give way.
  private static let effect = Int64.seconds(8)
  /// The same, while some of them still send.
  private static let partialEffect = Int64.seconds(4)
  /// For so long they go on if it did not; twice as long the next time.
  private static let firstImmunity = Int64.seconds(60)
  private static let longestImmunity = Int64.seconds(960)
  /// Between two steps back.
  private static let step = Int64.seconds(5)
  /// How long they give way, where the line has proved to carry more.
  private static let wait = Int64.seconds(10)
  /// How long they give way, where it has not; twice as long after each time that a step back was too much.
  private static let firstTrial = Int64.seconds(30)
  private static let longestTrial = Int64.seconds(240)
  /// A relay's share of its bit rate when it gets keyframes and sound alone, about.
  private static let keyframeShare = 0.3

  private var backlogs: [String: RelayBacklog] = [:]
  private var retreat: Retreat?
  private var behindSince: MediaTime?
  private var lessSince: MediaTime?
  /// Its connection. When its server took the stream, or no longer did.
  private var connection: UInt64?
  private var catchesUpUntil = MediaTime.distantPast
  private var mainSince: MediaTime?
  private var lostSince: MediaTime?
  /// Whether it has had its whole rate since.
  private var hasBeenWhole = false
  /// When nothing arrived anywhere, and when the line carried all, last.
  private var stalledAt = MediaTime.distantPast
  private var carriedAllAt = MediaTime.distantPast
  /// Its rate a moment ago, and whether it has risen before.
  private var rateBefore: (at: MediaTime, kbps: Int) = (.distantPast, 0)
  private var isRising = false
  private var immuneUntil = MediaTime.distantPast
  private var immunity = firstImmunity
  private var trial = firstTrial

  public init() {}

  /// - Parameters:
  ///   - relays: the first ones come back first.
  ///   - provenKbps: what has arrived at all servers together lately, in kbit/s.
  /// - Returns: how much of the stream each gets.
  public mutating func look(
    _ main: Main, _ relays: [Relay], provenKbps: Int, now: MediaTime
  ) -> [String: Thinning] {
    let names = Set(relays.map(\.name))
    backlogs = backlogs.filter { names.contains($0.key) }
    follow(main, relays, provenKbps, now)
    return Dictionary(
      uniqueKeysWithValues: relays.map { relay in
        let own = backlogs[relay.name, default: RelayBacklog(now: now)]
          .decide(drops: relay.drops, isHoldingVideo: relay.isHeld, now: now)
        return (relay.name, max(own, retreat?.thinning(relay.name) ?? .whole))
      })
  }

  private mutating func follow(
    _ main: Main, _ relays: [Relay], _ provenKbps: Int, _ now: MediaTime
  ) {
    guard let behind = main.behind, !main.isHeld else { return wait(now) }
    if let lostSince {
      // It needs the line for its start.
      if now - lostSince > Self.absence { retreat = nil }
      retreat?.since = now
      retreat?.steppedAt = now
    }
    if main.connection != connection {
      if connection != nil { catchesUpUntil = now + Self.catchUp }
      connection = main.connection
      (mainSince, behindSince, lessSince, hasBeenWhole) = (nil, nil, nil, false)
    }
    let since = mainSince ?? now
    (lostSince, mainSince) = (nil, since)
    hasBeenWhole = hasBeenWhole || (main.isWhole && now >= catchesUpUntil)
    let isSearching = !hasBeenWhole && now - since < Self.search
    let isTooFarBehind = behind > Self.tooFarBehind && now >= catchesUpUntil
    behindSince = isTooFarBehind ? behindSince ?? now : nil
    note(main, relays, provenKbps, now)
    let isRecovering = isRising && now - carriedAllAt < Self.recovery
    lessSince = main.isWhole || isSearching || isRecovering ? nil : lessSince ?? now
    guard var retreat else { return beginIfNeeded(main, relays, provenKbps, now) }
    retreat.leastKbps = min(retreat.leastKbps, main.kbps)
    retreat.mostKbps = max(retreat.mostKbps, main.kbps)
    retreat.lineKbps = max(retreat.lineKbps, provenKbps)
    let hasGained = main.isWhole || main.kbps >= retreat.leastKbps * 12 / 10
    if hasGained, behindSince == nil { retreat.hasHelped = true }
    self.retreat = retreat
    if !retreat.hasHelped {
      let isPartial = relays.contains { $0.isSending && retreat.thinning($0.name) < .nothing }
      guard now - retreat.steppedAt >= (isPartial ? Self.partialEffect : Self.effect) else {
        return
      }
      if isPartial {
        self.retreat?.given = [:]
        self.retreat?.steppedAt = now
      } else {
        self.retreat = nil
        immuneUntil = now + immunity
        immunity = min(immunity * 2, Self.longestImmunity)
      }
    } else if retreat.kbpsAtReturn != nil, isWorse(main, retreat, now) {
      trial = min(trial * 2, Self.longestTrial)
      self.retreat = begin(main, relays, provenKbps, now)
      self.retreat?.hasHelped = true
    } else if isWorse(main, retreat, now),
      relays.contains(where: { retreat.thinning($0.name) < .nothing })
    {
      // The line carries less than when they gave way.
      let given = begin(main, relays, provenKbps, now).given
      self.retreat?.given = given.merging(retreat.given) { max($0, $1) }
      self.retreat?.lineKbps = provenKbps
      self.retreat?.steppedAt = now
    } else if behindSince == nil, now - retreat.steppedAt >= Self.step {
      comeBack(main, relays, &retreat, now)
    }
  }

  private mutating func note(
    _ main: Main, _ relays: [Relay], _ provenKbps: Int, _ now: MediaTime
  ) {
    if provenKbps < main.targetKbps / 8 { stalledAt = now }
    let all = main.targetKbps * (1 + relays.count { $0.isSending })
    if provenKbps >= all * 95 / 100 { carriedAllAt = now }
    if now - rateBefore.at >= Self.rise {
      isRising = main.kbps > rateBefore.kbps * 101 / 100
      rateBefore = (now, main.kbps)
    }
  }

  /// The main destination has no server, or one that takes nothing: what they gave way for may come back.
  private mutating func wait(_ now: MediaTime) {
    lostSince = lostSince ?? now
    (mainSince, behindSince, lessSince, hasBeenWhole) = (nil, nil, nil, false)
    if let lostSince, now - lostSince > Self.absence { retreat = nil }
  }

  private func has(_ since: MediaTime?, lasted patience: Int64, _ now: MediaTime) -> Bool {
    since.map { now - $0 >= patience } ?? false
  }

  private mutating func beginIfNeeded(
    _ main: Main, _ relays: [Relay], _ provenKbps: Int, _ now: MediaTime
  ) {
    guard
      has(behindSince, lasted: Self.patience, now)
        || has(lessSince, lasted: Self.ratePatience, now),
      now >= immuneUntil, relays.contains(where: \.isSending),
      now - stalledAt >= Self.afterStall || has(behindSince, lasted: Self.afterStall, now)
    else { return }
    let carriesAll = main.targetKbps * (1 + relays.count { $0.isSending }) <= provenKbps
    guard
      !carriesAll || has(behindSince, lasted: Self.provenPatience, now)
        || has(lessSince, lasted: Self.provenPatience, now)
    else { return }
    retreat = begin(main, relays, provenKbps, now)
  }

  /// Whether the main destination has too little again, although they give way: the line carries less, or one that came
  /// back was too much.
  private func isWorse(_ main: Main, _ retreat: Retreat, _ now: MediaTime) -> Bool {
    guard now - retreat.steppedAt >= Self.patience else { return false }
    if has(behindSince, lasted: Self.patience, now) { return true }
    let before = retreat.kbpsAtReturn.map { $0 * 95 / 100 } ?? retreat.mostKbps * 80 / 100
    return has(lessSince, lasted: Self.ratePatience, now) && main.kbps < before
  }

  /// One step back, if it is time for one.
  private mutating func comeBack(
    _ main: Main, _ relays: [Relay], _ retreat: inout Retreat, _ now: MediaTime
  ) {
    let waiting = relays.filter { retreat.thinning($0.name) > .whole }
    // One without a server needs no turn of its own.
    guard let next = waiting.first(where: \.isSending) ?? waiting.first else {
      self.retreat = nil
      trial = Self.firstTrial
      // With all of them back it has as little as without: another reason keeps it down.
      if !main.isWhole { immuneUntil = now + Self.longestImmunity }
      return
    }
    var fuller = Dictionary(
      uniqueKeysWithValues: relays.map { ($0.name, retreat.thinning($0.name)) })
    fuller[next.name] = retreat.thinning(next.name).fuller
    let needed = main.targetKbps + relays.reduce(0) { $0 + Self.kbps(fuller[$1.name], main) }
    let isProven = main.isWhole && needed <= retreat.lineKbps
    guard now - retreat.since >= (isProven ? Self.wait : trial) else { return }
    self.retreat?.given = fuller
    self.retreat?.steppedAt = now
    self.retreat?.kbpsAtReturn = retreat.kbpsAtReturn ?? main.kbps
  }

  private static func kbps(_ thinning: Thinning?, _ main: Main) -> Int {
    switch thinning ?? .whole {
    case .whole: main.targetKbps
    case .keyframes: Int(Double(main.targetKbps) * keyframeShare)
    case .nothing: 0
    }
  }

  private func begin(
    _ main: Main, _ relays: [Relay], _ provenKbps: Int, _ now: MediaTime
  ) -> Retreat {
    var spare = provenKbps - main.targetKbps
    var given: [String: Thinning] = [:]
    // What the line carries is for those that send.
    for relay in relays.filter(\.isSending) + relays.filter({ !$0.isSending }) {
      let thinning =
        [Thinning.whole, .keyframes].first { Self.kbps($0, main) <= spare } ?? .nothing
      spare -= Self.kbps(thinning, main)
      given[relay.name] = thinning
    }
    // Something has to change.
    if let last = relays.last(where: \.isSending),
      !relays.contains(where: { $0.isSending && given[$0.name] != .whole })
    {
      given[last.name] = .keyframes
    }
    return Retreat(
      given: given, since: now, steppedAt: now, lineKbps: provenKbps, leastKbps: main.kbps,
      mostKbps: main.kbps)
  }
}
