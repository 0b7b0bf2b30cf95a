// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// Decides how much of the stream each relay gets, so that none harms the main destination. Pure: the caller passes the
/// time.
///
/// A relay that does not keep up gets less (`RelayBacklog`). Where the main destination falls behind while relays send,
/// they may share a thin line: then they give way at once, as far as the line's proven rate does not carry them beside the
/// main one. If that does not help the main one, they were not in its way, and go on. Otherwise they come back one step at
/// a time, once the main one has its whole rate again; or after a while, since its server alone may be slow.
public struct RelayRules: Sendable {
  /// The main destination at one moment.
  public struct Main: Sendable {
    /// Age of its oldest packet that has not arrived, in nanoseconds; `nil` while its server does not take the stream.
    public var behind: Int64?
    /// Whether it has the whole bit rate that the settings ask for.
    public var isWhole: Bool
    /// That bit rate, video and audio, in kbit/s.
    public var targetKbps: Int

    public init(behind: Int64?, isWhole: Bool, targetKbps: Int) {
      self.behind = behind
      self.isWhole = isWhole
      self.targetKbps = targetKbps
    }
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

  /// From so far behind on, the main destination needs the line for itself.
  private static let tooFarBehind = Int64.milliseconds(400)
  /// For so long it has to be too far behind, or no longer.
  private static let patience = Int64.milliseconds(200)
  /// After so long it shows whether it helps that relays give way.
  private static let effect = Int64.seconds(4)
  /// For so long they go on if it did not.
  private static let immunity = Int64.seconds(60)
  /// Between two steps back.
  private static let step = Int64.seconds(5)
  /// How long they give way, at first. Twice as long after each time that a step back was too much.
  private static let firstWait = Int64.seconds(10)
  private static let longestWait = Int64.seconds(80)
  /// A relay's share of its bit rate when it gets keyframes and sound alone, about.
  private static let keyframeShare = 0.3

  private var backlogs: [String: RelayBacklog] = [:]
  /// What the relays get while they give way; `nil` while they do not.
  private var given: [String: Thinning]?
  private var behindSince: MediaTime?
  private var freshSince: MediaTime?
  private var givenAt = MediaTime.distantPast
  /// Whether the main destination has caught up since.
  private var hasHelped = false
  private var steppedAt = MediaTime.distantPast
  private var immuneUntil = MediaTime.distantPast
  private var wait = firstWait

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
        return (relay.name, max(own, given?[relay.name] ?? .whole))
      })
  }

  private mutating func follow(
    _ main: Main, _ relays: [Relay], _ provenKbps: Int, _ now: MediaTime
  ) {
    guard let behind = main.behind else {
      // Nothing is sent to it that needs the line.
      (given, behindSince, freshSince) = (nil, nil, nil)
      return
    }
    behindSince = behind > Self.tooFarBehind ? behindSince ?? now : nil
    freshSince = behind <= Self.tooFarBehind ? freshSince ?? now : nil
    let isBehind = behindSince.map { now - $0 >= Self.patience } ?? false
    guard let given else {
      if isBehind, now >= immuneUntil, relays.contains(where: \.isSending) {
        giveWay(main, relays, provenKbps, now)
      }
      return
    }
    if let freshSince, now - freshSince >= Self.patience { hasHelped = true }
    if !hasHelped {
      guard now - givenAt >= Self.effect else { return }
      self.given = nil
      immuneUntil = now + Self.immunity
    } else if isBehind {
      guard given.values.contains(where: { $0 < .nothing }) else { return }
      wait = min(wait * 2, Self.longestWait)
      giveWay(main, relays, main.targetKbps, now)
    } else if now - givenAt >= (main.isWhole ? wait : Self.longestWait),
      now - steppedAt >= Self.step
    {
      steppedAt = now
      guard let next = relays.first(where: { given[$0.name] ?? .whole > .whole }) else {
        self.given = nil
        wait = Self.firstWait
        return
      }
      self.given?[next.name] = (given[next.name] ?? .whole).fuller
    }
  }

  private mutating func giveWay(
    _ main: Main, _ relays: [Relay], _ provenKbps: Int, _ now: MediaTime
  ) {
    var spare = Double(provenKbps - main.targetKbps)
    let whole = Double(main.targetKbps)
    var given: [String: Thinning] = [:]
    for relay in relays {
      let keyframes = whole * Self.keyframeShare
      let thinning: Thinning = spare >= whole ? .whole : spare >= keyframes ? .keyframes : .nothing
      switch thinning {
      case .whole: spare -= whole
      case .keyframes: spare -= keyframes
      case .nothing: break
      }
      given[relay.name] = thinning
    }
    // Something has to change.
    if !given.values.contains(where: { $0 > .whole }), let last = relays.last {
      given[last.name] = .keyframes
    }
    self.given = given
    (givenAt, steppedAt, hasHelped, behindSince) = (now, now, false, nil)
  }
}
