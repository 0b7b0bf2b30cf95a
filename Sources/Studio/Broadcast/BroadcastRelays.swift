// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Publish
internal import RateControl

// The destinations besides the main one, which must not harm it.

extension Broadcast {
  /// How long a relay that is removed may take to say good-bye.
  static let goodbyePatience = Int64.milliseconds(1_500)
  /// While so many end, no other begins: a person who starts and stops again and again must not use up all threads.
  private static let mostLeaving = 8

  /// Begins those that wait. One that has another server or key than before waits until its predecessor is gone: a server
  /// might take the two for rivals.
  func beginWaiting(_ others: inout Others) {
    for named in others.present where others.waiting.contains(named.name) {
      guard others.leaving.count < Broadcast.mostLeaving,
        !others.leaving.contains(where: { $0.0.name == named.name })
      else { continue }
      user.add(named.destination, isMain: false)
      guard named.destination.tryStart() else {
        user.remove(named.destination)
        continue
      }
      others.waiting.remove(named.name)
    }
  }

  /// Looks after relays that leave, and decides how much of the stream the others get.
  func superviseOthers(_ now: MediaTime) {
    let leaving = others.withLock { $0.leaving }
    for (named, _) in leaving { named.destination.supervise(now: now) }
    let present = others.withLock { others in
      // A thread that hangs ends by itself.
      others.leaving.removeAll { named, deadline in
        guard named.destination.hasEnded || now >= deadline else { return false }
        user.remove(named.destination)
        return true
      }
      if !others.isOver { beginWaiting(&others) }
      return others.present
    }
    guard !present.isEmpty else {
      return others.withLock { ($0.rules, $0.isMainHeld) = (RelayRules(), false) }
    }
    let relays = present.map { named in
      let counters = named.destination.counters
      return RelayRules.Relay(
        name: named.name, isSending: named.destination.takesPackets, drops: counters.overflows,
        isHeld: named.destination.isHoldingVideo)
    }
    let arrived = ([main] + present.map(\.destination)).compactMap { destination in
      destination.link.map { (ObjectIdentifier(destination), $0.connection, $0.arrivedBytes) }
    }
    let link = main.link
    var state = mainState(link, now)
    let thinning = others.withLock { others in
      others.rate.note(arrived, now: now)
      let isHalted = others.halt.look(link, now: now)
      others.isMainHeld = isHalted && present.contains { $0.destination.carriesPicture }
      state.isHeld = others.isMainHeld
      return others.rules.look(state, relays, provenKbps: others.rate.kbps, now: now)
    }
    for named in present { named.destination.thin(thinning[named.name] ?? .whole) }
  }

  /// Whether a relay's server does not get the stream.
  var isRelayFailing: Bool {
    others.withLock { $0.present }.contains { named in
      named.destination.trouble != nil || named.destination.thinning == .nothing
    }
  }

  /// Whether the main server takes nothing, while viewers of a relay see the picture.
  var onlyRelaysCarry: Bool {
    others.withLock { others in
      (others.isMainHeld || !main.takesPackets)
        && others.present.contains { $0.destination.carriesPicture }
    }
  }

  private func mainState(_ link: LinkFigures?, _ now: MediaTime) -> RelayRules.Main {
    let (plan, target) = follower.withLock { ($0.plan, $0.asked) }
    let videoKbps = inputs.withLock { $0.video } == nil ? 0 : target.videoKbps
    return RelayRules.Main(
      behind: link.map { link in link.oldestOfferedAt.map { max(0, now - $0) } ?? 0 },
      kbps: min(plan.videoKbps, videoKbps) + target.audioKbps,
      targetKbps: videoKbps + target.audioKbps, connection: link?.connection ?? 0)
  }
}

extension BroadcastDestination {
  fileprivate var carriesPicture: Bool { takesPackets && thinning == .whole }
}

/// Finds a server that has stopped reading: its receive window is full, and nothing arrives. On a line that is merely full,
/// something always does.
struct ReadingHalt {
  private static let patience = Int64.milliseconds(200)
  /// It may take a new connection, and halt again.
  private static let settled = Int64.seconds(10)

  /// When something arrived last on the present connection, and for how long the window had been full until then.
  private var last: (at: MediaTime, heldBackNanos: Int64)?
  private var connection: UInt64 = 0
  private var arrivedBytes: UInt64 = 0
  private var haltedAt = MediaTime.distantPast

  /// - Parameter link: `nil` while the server does not take the stream.
  /// - Returns: whether it has stopped, and has not read for a while since.
  mutating func look(_ link: LinkFigures?, now: MediaTime) -> Bool {
    let isHalted = haltedAt != .distantPast && now - haltedAt < Self.settled
    if let link {
      note(link, now)
    } else {
      last = nil
      if isHalted { haltedAt = now }
    }
    return isHalted || haltedAt == now
  }

  private mutating func note(_ link: LinkFigures, _ now: MediaTime) {
    guard
      let last, link.connection == connection, link.arrivedBytes == arrivedBytes,
      link.inFlightBytes > 0
    else {
      last = (now, link.heldBackNanos)
      (connection, arrivedBytes) = (link.connection, link.arrivedBytes)
      return
    }
    let age = now - last.at
    if age >= Self.patience, link.heldBackNanos - last.heldBackNanos >= age / 2 { haltedAt = now }
  }
}

/// The bit rate at which data has arrived lately, at all servers together.
struct ArrivalRate {
  private static let window = Int64.milliseconds(500)

  private var last: [ObjectIdentifier: (connection: UInt64, bytes: UInt64)] = [:]
  private var total: UInt64 = 0
  private var samples: [(at: MediaTime, total: UInt64)] = []
  private(set) var kbps = 0

  /// - Parameter arrived: the bytes that have arrived at each server, since its connection began.
  mutating func note(
    _ arrived: [(server: ObjectIdentifier, connection: UInt64, bytes: UInt64)], now: MediaTime
  ) {
    for (server, connection, bytes) in arrived {
      guard let before = last[server], before.connection == connection, bytes > before.bytes else {
        continue
      }
      total += bytes - before.bytes
    }
    last = Dictionary(uniqueKeysWithValues: arrived.map { ($0, (connection: $1, bytes: $2)) })
    samples.append((now, total))
    samples.removeAll { now - $0.at > Self.window }
    guard let first = samples.first, now - first.at >= Self.window / 2 else { return }
    kbps = Int(Double(total - first.total) * 8 / Double(now - first.at) * 1_000_000)
  }
}
