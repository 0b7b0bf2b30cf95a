// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Publish
internal import RateControl

// The relays: the destinations besides the main one, which they must not harm.

extension Broadcast {
  /// Nanoseconds that a removed relay may take to send what is queued and to close its stream at the server.
  static let goodbyePatience = Int64.milliseconds(1_500)
  /// The number of ending relays at which no other relay is started: a person who starts and stops relays again and
  /// again must not use up all threads.
  private static let mostLeaving = 8

  /// Starts the relays that wait to be started. A relay whose server or key has changed waits until its predecessor of
  /// the same name has ended, because a server might take the two for rivals.
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

  /// Supervises relays that are ending, and decides how much of the stream the other relays get.
  func superviseOthers(_ now: MediaTime) {
    let leaving = others.withLock { $0.leaving }
    for (named, _) in leaving { named.destination.supervise(now: now) }
    let present = others.withLock { others in
      // If the thread of a relay hangs, it ends by itself later.
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

  /// Whether any relay is in trouble, or gets nothing of the stream.
  var isRelayFailing: Bool {
    others.withLock { $0.present }.contains { named in
      named.destination.trouble != nil || named.destination.thinning == .nothing
    }
  }

  /// Whether the main server takes nothing, while a relay gets the whole stream: only viewers of relays see the
  /// picture.
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

/// Detects that a server has stopped reading: its TCP receive window is full, and no bytes arrive. On a link that is
/// merely full, some bytes always arrive.
struct ReadingHalt {
  private static let patience = Int64.milliseconds(200)
  /// Nanoseconds for which a server that has stopped reading counts as halted after it reads again: it may only have
  /// taken a new connection, and stop reading once more.
  private static let haltNanos = Int64.seconds(10)

  /// When bytes last arrived on the present connection, and for how many nanoseconds of the connection the receive
  /// window had been full by then; `nil` without a connection.
  private var last: (at: MediaTime, heldBackNanos: Int64)?
  private var connection: UInt64 = 0
  private var arrivedBytes: UInt64 = 0
  private var haltedAt = MediaTime.distantPast

  /// - Parameter link: `nil` while the server does not take the stream.
  /// - Returns: whether the server has stopped reading within the last ten seconds. Time without a connection does not
  ///   count.
  mutating func look(_ link: LinkFigures?, now: MediaTime) -> Bool {
    let isHalted = haltedAt != .distantPast && now - haltedAt < Self.haltNanos
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

/// Measures the bit rate at which bytes have arrived in the last half second, at all servers together.
struct ArrivalRate {
  private static let window = Int64.milliseconds(500)

  private var last: [ObjectIdentifier: (connection: UInt64, bytes: UInt64)] = [:]
  private var total: UInt64 = 0
  private var samples: [(at: MediaTime, total: UInt64)] = []
  private(set) var kbps = 0

  /// - Parameter arrived: for each server, the number of its connection, and the bytes that have arrived since that
  ///   connection began.
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
