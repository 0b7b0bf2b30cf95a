// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Publish
internal import RateControl

// The relays are the destinations besides the main one. They must never disturb the main destination.

extension Broadcast {
  /// The maximum time, in nanoseconds, for a removed relay to send its queued packets and to close its stream.
  static let relayGoodbyeNanos = Int64.milliseconds(1_500)
  /// The number of relays being stopped at which no further relay is started. A person who starts and stops relays
  /// repeatedly can therefore not use up all threads.
  private static let maxLeavingRelays = 8

  /// Starts the relays that have not been started yet. A relay whose server or key has changed is started once the
  /// earlier relay of the same name has ended, because a server may refuse a second connection for the same stream. One
  /// that gets the box's own picture is started while that is encoded.
  func startWaitingRelays(_ relayState: inout RelayState) {
    let hasCamera = studio.cameraProgramme == .running
    for named in relayState.present where relayState.waiting.contains(named.name) {
      guard relayState.leaving.count < Broadcast.maxLeavingRelays,
        !relayState.leaving.contains(where: { $0.0.name == named.name }),
        hasCamera || !named.isCamera
      else { continue }
      user.add(named.destination, isMain: false, choice: named.isCamera ? .camera : .programme)
      guard named.destination.tryStart() else {
        user.remove(named.destination)
        continue
      }
      relayState.waiting.remove(named.name)
    }
  }

  /// Stops a relay. It is removed once its thread has ended.
  func leave(
    _ named: NamedDestination, goodbye: Bool, by deadline: MediaTime, _ relayState: inout RelayState
  ) {
    user.silence(named.destination)
    named.destination.beginStop(goodbye: goodbye, by: deadline)
    relayState.leaving.append((named, deadline))
  }

  /// Stops the relays that get the box's own picture when that is not encoded any more, until it is encoded again.
  private func haltCameraRelays(_ relayState: inout RelayState, _ now: MediaTime) {
    guard cameraRefusal != nil else {
      return (relayState.cameraRefusedAt, relayState.toldRefusals) = (nil, [])
    }
    relayState.cameraRefusedAt = relayState.cameraRefusedAt ?? now
    let deadline = now + Broadcast.relayGoodbyeNanos
    for (index, named) in relayState.present.enumerated()
    where named.isCamera && !relayState.waiting.contains(named.name) {
      leave(named, goodbye: false, by: deadline, &relayState)
      relayState.present[index] = makeRelay(named.plan, settings)
      relayState.waiting.insert(named.name)
    }
  }

  /// Why there is no picture of the camera for relays; `nil` while there is, or no relay gets it.
  private var cameraRefusal: DestinationCause? {
    guard case .refused(let refusal) = studio.cameraProgramme else { return nil }
    switch refusal {
    case .processor: return .noCameraPicture(.processor)
    case .filter: return .noCameraPicture(.filter)
    case .guest: return .noCameraPicture(.guest)
    }
  }

  /// Reports the relays that wait for the picture of the camera, each once.
  private func reportWaiting() {
    guard let cause = cameraRefusal else { return }
    let new = relayState.withLock { relayState in
      relayState.present.filter { named in
        named.isCamera && relayState.waiting.contains(named.name)
          && !relayState.leaving.contains { $0.0.name == named.name }
          && relayState.toldRefusals.insert(named.name).inserted
      }
    }
    for named in new {
      let target = named.destination.target
      listener(.destination(named.name, DestinationReport(waitingFor: target, cause: cause)))
    }
  }

  /// The figures of the relays.
  public var relayFigures: [DestinationFigures] {
    let cause = cameraRefusal
    return relayState.withLock { relayState in
      relayState.present.map { named in
        var figures = DestinationFigures(named)
        if let cause, named.isCamera, relayState.waiting.contains(named.name) {
          figures.counters.obstacle = cause
          figures.trouble = DestinationTrouble(
            waitingFor: figures.target, cause: cause, since: relayState.cameraRefusedAt ?? startedAt
          )
        }
        return figures
      }
    }
  }

  /// Supervises the relays that are being stopped, and decides how much of the stream the other relays get.
  func superviseRelays(_ now: MediaTime) {
    let leaving = relayState.withLock { $0.leaving }
    for (named, _) in leaving { named.destination.supervise(now: now) }
    let present = relayState.withLock { relayState in
      // A relay is removed when its thread has ended. A thread that hangs is not waited for after the deadline: it ends
      // by itself later.
      relayState.leaving.removeAll { named, deadline in
        guard named.destination.hasEnded || now >= deadline else { return false }
        user.remove(named.destination)
        return true
      }
      if !relayState.isEnding {
        haltCameraRelays(&relayState, now)
        startWaitingRelays(&relayState)
      }
      return relayState.present
    }
    reportWaiting()
    guard !present.isEmpty else {
      return relayState.withLock { ($0.rules, $0.isOnlyMainHalted) = (RelayRules(), false) }
    }
    let asked = follower.withLock { $0.asked }
    let cameraKbps = asked.limited(to: .cameraVideo).videoKbps + asked.audioKbps
    let relays = present.map { named in
      let counters = named.destination.counters
      return RelayRules.Relay(
        name: named.name, isSending: named.destination.takesPackets, drops: counters.overflows,
        isHoldingVideo: named.destination.isHoldingVideo,
        targetKbps: named.isCamera ? cameraKbps : nil)
    }
    let arrived = ([main] + present.map(\.destination)).compactMap { destination in
      destination.link.map { (ObjectIdentifier(destination), $0.connection, $0.arrivedBytes) }
    }
    let link = main.link
    var state = mainState(link, now)
    let thinning = relayState.withLock { relayState in
      relayState.rate.add(arrived, now: now)
      let isHalted = relayState.halt.update(link, now: now)
      relayState.isOnlyMainHalted = isHalted && present.contains { $0.getsProgramme }
      state.hasStoppedReading = relayState.isOnlyMainHalted
      return relayState.rules.decide(state, relays, throughputKbps: relayState.rate.kbps, now: now)
    }
    for named in present { named.destination.thin(thinning[named.name] ?? .whole) }
  }

  /// Whether any relay is in trouble, or gets nothing of the stream.
  var isRelayFailing: Bool {
    cameraRefusal != nil
      || relayState.withLock { $0.present }.contains { named in
        named.destination.trouble != nil || named.destination.thinning == .nothing
      }
  }

  /// Whether only viewers of relays see the video: the main server takes no packets, and at least one relay gets the
  /// whole stream.
  var onlyRelaysGetVideo: Bool {
    relayState.withLock { relayState in
      (relayState.isOnlyMainHalted || !main.takesPackets)
        && relayState.present.contains { $0.getsProgramme }
    }
  }

  /// The state of the main destination as input for `RelayRules`, which decides how much of the stream each relay gets.
  private func mainState(_ link: LinkFigures?, _ now: MediaTime) -> RelayRules.Main {
    let (plan, target) = follower.withLock { ($0.plan, $0.asked) }
    let videoKbps = inputs.withLock { $0.video } == nil ? 0 : target.videoKbps
    return RelayRules.Main(
      behind: link.map { link in link.oldestOfferedAt.map { max(0, now - $0) } ?? 0 },
      kbps: min(plan.videoKbps, videoKbps) + target.audioKbps,
      targetKbps: videoKbps + target.audioKbps, connection: link?.connection ?? 0)
  }
}

extension Broadcast.NamedDestination {
  /// Whether the server takes the programme and gets all packets of it.
  fileprivate var getsProgramme: Bool {
    !isCamera && destination.takesPackets && destination.thinning == .whole
  }
}

/// Detects that a server has stopped reading: its TCP receive window is full, and no bytes arrive. On a link that is
/// merely full, some bytes always arrive.
struct ReadingHalt {
  /// Nanoseconds without arriving bytes after which the server counts as halted.
  private static let minHaltNanos = Int64.milliseconds(200)
  /// Nanoseconds for which a server still counts as halted after it has begun to read again: after a reconnect, a
  /// server may read for a moment and then stop again.
  private static let afterHaltNanos = Int64.seconds(10)

  /// When bytes last arrived at the server, and for how many nanoseconds of the connection's life its receive window
  /// had been full before that moment; `nil` without a connection.
  private var lastArrival: (at: MediaTime, heldBackNanos: Int64)?
  /// The number of the connection that was last measured (`LinkFigures.connection`).
  private var connection: UInt64 = 0
  /// Bytes that have arrived at the server on this connection.
  private var arrivedBytes: UInt64 = 0
  /// When the server was last found to have stopped reading; the distant past if never.
  private var haltedAt = MediaTime.distantPast

  /// Notes a measurement of the link.
  /// - Parameter link: `nil` while the server does not take the stream.
  /// - Returns: whether the server has stopped reading within the last ten seconds. Time without a connection is not
  ///   part of these ten seconds.
  mutating func update(_ link: LinkFigures?, now: MediaTime) -> Bool {
    let isHalted = haltedAt != .distantPast && now - haltedAt < Self.afterHaltNanos
    if let link {
      note(link, now)
    } else {
      lastArrival = nil
      if isHalted { haltedAt = now }
    }
    return isHalted || haltedAt == now
  }

  /// Finds out whether the server still reads, by comparing the counters with those of the time at which bytes last
  /// arrived.
  private mutating func note(_ link: LinkFigures, _ now: MediaTime) {
    guard
      let lastArrival, link.connection == connection, link.arrivedBytes == arrivedBytes,
      link.inFlightBytes > 0
    else {
      lastArrival = (now, link.heldBackNanos)
      (connection, arrivedBytes) = (link.connection, link.arrivedBytes)
      return
    }
    let age = now - lastArrival.at
    let heldBackNanos = link.heldBackNanos - lastArrival.heldBackNanos
    if age >= Self.minHaltNanos, heldBackNanos >= age / 2 { haltedAt = now }
  }
}

/// Measures the bit rate that has arrived at all servers together in the last half second.
struct ArrivalRate {
  /// The length of the period over which the bit rate is measured.
  private static let windowNanos = Int64.milliseconds(500)

  /// For each server, the number of its connection at the last reading, and the bytes that had arrived on that
  /// connection.
  private var lastReadings: [ObjectIdentifier: (connection: UInt64, bytes: UInt64)] = [:]
  /// Bytes that have arrived at all servers since the first reading.
  private var total: UInt64 = 0
  /// The readings of `total` in the last half second.
  private var samples: [(at: MediaTime, total: UInt64)] = []
  /// The measured bit rate in kbit/s.
  private(set) var kbps = 0

  /// Adds a reading, and updates `kbps`.
  /// - Parameter arrived: for each server, the number of its connection, and the bytes that have arrived on that
  ///   connection.
  mutating func add(
    _ arrived: [(server: ObjectIdentifier, connection: UInt64, bytes: UInt64)], now: MediaTime
  ) {
    for (server, connection, bytes) in arrived {
      guard let before = lastReadings[server], before.connection == connection,
        bytes > before.bytes
      else { continue }
      total += bytes - before.bytes
    }
    lastReadings = Dictionary(
      uniqueKeysWithValues: arrived.map { ($0, (connection: $1, bytes: $2)) })
    samples.append((now, total))
    samples.removeAll { now - $0.at > Self.windowNanos }
    guard let first = samples.first, now - first.at >= Self.windowNanos / 2 else { return }
    kbps = Int(Double(total - first.total) * 8 / Double(now - first.at) * 1_000_000)
  }
}
