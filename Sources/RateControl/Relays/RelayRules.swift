// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// Decides how much of the stream each relay gets, so that none harms the main destination. Pure: the caller passes the
/// time.
///
/// A relay that does not keep up gets less (`RelayBacklog`). Where the main destination has too little while relays send,
/// they may share a thin line: then they give way at once, as far as the line's proven rate does not carry them beside the
/// main one's whole rate. If that does not help it, they were not in its way, and go on. Otherwise they come back one step
/// at a time: soon as far as the line has proved to carry them, else once in a while, since it may carry more again.
public struct RelayRules: Sendable {
  /// The main destination at one moment.
  public struct Main: Sendable {
    /// Age of its oldest packet that has not arrived, in nanoseconds; `nil` while its server does not take the stream.
    public var behind: Int64?
    /// The bit rate that the link lets it have, video and audio, in kbit/s.
    public var kbps: Int
    /// The one that the settings ask for.
    public var targetKbps: Int

    public init(behind: Int64?, kbps: Int, targetKbps: Int) {
      self.behind = behind
      self.kbps = kbps
      self.targetKbps = targetKbps
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

    public init(name: String, isSending: Bool, drops: UInt64) {
      self.name = name
      self.isSending = isSending
      self.drops = drops
    }
  }

  /// Relays that give way.
  private struct Retreat {
    var given: [String: Thinning]
    var since: MediaTime
    var steppedAt: MediaTime
    /// What the line carried when it was full, in kbit/s.
    var lineKbps: Int
    /// The least that the main destination has had since.
    var leastKbps: Int
    /// What it had when the first of them came back; `nil` before.
    var kbpsAtReturn: Int?
    /// Whether the main destination has gained by it.
    var hasHelped = false
  }

  /// From so far behind on, the main destination needs the line for itself.
  private static let tooFarBehind = Int64.milliseconds(400)
  /// For so long it has to be too far behind, or to have less than its whole rate.
  private static let patience = Int64.milliseconds(200)
  private static let ratePatience = Int64.milliseconds(500)
  /// After so long it shows whether it helps that relays give way.
  private static let effect = Int64.seconds(8)
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
          .look(drops: relay.drops, now: now)
        return (relay.name, max(own, retreat?.given[relay.name] ?? .whole))
      })
  }

  private mutating func follow(
    _ main: Main, _ relays: [Relay], _ provenKbps: Int, _ now: MediaTime
  ) {
    guard let behind = main.behind else {
      // Nothing is sent to it that needs the line.
      (retreat, behindSince, lessSince) = (nil, nil, nil)
      return
    }
    behindSince = behind > Self.tooFarBehind ? behindSince ?? now : nil
    lessSince = main.isWhole ? nil : lessSince ?? now
    let needsMore =
      behindSince.map { now - $0 >= Self.patience } ?? false
      || lessSince.map { now - $0 >= Self.ratePatience } ?? false
    guard var retreat else {
      guard needsMore, now >= immuneUntil, relays.contains(where: \.isSending) else { return }
      retreat = begin(main, relays, provenKbps, now)
      return
    }
    retreat.leastKbps = min(retreat.leastKbps, main.kbps)
    let hasGained = main.isWhole || main.kbps >= retreat.leastKbps * 12 / 10
    if hasGained, behindSince == nil { retreat.hasHelped = true }
    self.retreat = retreat
    if !retreat.hasHelped {
      guard now - retreat.since >= Self.effect else { return }
      self.retreat = nil
      immuneUntil = now + immunity
      immunity = min(immunity * 2, Self.longestImmunity)
    } else if let before = retreat.kbpsAtReturn, needsMore,
      main.kbps < before * 95 / 100 || behindSince != nil
    {
      trial = min(trial * 2, Self.longestTrial)
      self.retreat = begin(main, relays, provenKbps, now)
      self.retreat?.hasHelped = true
    } else if now - retreat.steppedAt >= Self.step {
      comeBack(main, relays, &retreat, now)
    }
  }

  /// One step back, if it is time for one.
  private mutating func comeBack(
    _ main: Main, _ relays: [Relay], _ retreat: inout Retreat, _ now: MediaTime
  ) {
    guard let next = relays.first(where: { retreat.given[$0.name] ?? .whole > .whole }) else {
      self.retreat = nil
      trial = Self.firstTrial
      // With all of them back it has as little as without: another reason keeps it down.
      if !main.isWhole { immuneUntil = now + Self.longestImmunity }
      return
    }
    var fuller = retreat.given
    fuller[next.name] = (fuller[next.name] ?? .whole).fuller
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
    for relay in relays {
      let thinning =
        [Thinning.whole, .keyframes].first { Self.kbps($0, main) <= spare } ?? .nothing
      spare -= Self.kbps(thinning, main)
      given[relay.name] = thinning
    }
    // Something has to change.
    if !given.values.contains(where: { $0 > .whole }), let last = relays.last {
      given[last.name] = .keyframes
    }
    return Retreat(
      given: given, since: now, steppedAt: now, lineKbps: provenKbps, leastKbps: main.kbps)
  }
}
