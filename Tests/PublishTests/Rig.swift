// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Media
import Synchronization

@testable import Publish

/// A destination with what a program has around it: a supervisor, a listener and encoders.
final class Rig: Sendable {
  static let key = "test-Schlüssel-4711"

  let destination: Destination
  private let reports: Told
  private let ended = Atomic(false)
  /// Nanoseconds for which the destination's thread has not been heard of, at most.
  private let silence = Atomic<Int64>(0)

  private final class Told: Sendable {
    let list = Mutex<[DestinationReport]>([])
  }

  init(
    port: Int, host: String = "127.0.0.1", transport: RTMPTarget.Transport = .plain,
    app: String = "live", key: String = Rig.key,
    hasVideo: Bool = true, queueBytes: Int = 8 << 20, deadlines: RTMPDeadlines = Rig.deadlines,
    backupPort: Int? = nil
  ) throws {
    let reports = Told()
    self.reports = reports
    destination = Destination(
      name: "rtmp test",
      target: try RTMPTarget(
        transport: transport, host: host, port: port, app: app, streamKey: key),
      backup: try backupPort.map {
        try RTMPTarget(transport: transport, host: host, port: $0, app: app, streamKey: key)
      },
      hasVideo: hasVideo, queueBytes: queueBytes, encoder: "OnAir test", deadlines: deadlines
    ) { report in
      reports.list.withLock { $0.append(report) }
    }
    if hasVideo { destination.setVideo(Sample.video) }
    destination.setAudio(Sample.audio)
    _ = MediaThread(name: "supervisor", urgency: .ordinary) { [self] in
      while !ended.load(ordering: .relaxed) {
        let now = MediaTime.now()
        let aliveAt = destination.counters.aliveAt
        if aliveAt > .distantPast { silence.max(now - aliveAt, ordering: .relaxed) }
        destination.supervise(now: now)
        (MediaTime.now() + .milliseconds(20)).sleepUntil()
      }
    }
  }

  /// The program's own deadlines, which a loaded machine keeps too, and short pauses.
  static var deadlines: RTMPDeadlines {
    var deadlines = RTMPDeadlines()
    deadlines.goodbye = .milliseconds(1_500)
    deadlines.retryPause = .milliseconds(200)
    return deadlines
  }

  /// The same, with the step short in which the server is to be given up, so that the test is.
  static func deadlines(short step: RTMPStep) -> RTMPDeadlines {
    var deadlines = deadlines
    switch step {
    case .resolve: deadlines.resolve = .milliseconds(400)
    case .connect: deadlines.connect = .milliseconds(400)
    case .tls: deadlines.tls = .milliseconds(400)
    case .handshake: deadlines.handshake = .milliseconds(400)
    case .connectReply: deadlines.connectReply = .milliseconds(400)
    case .publishReply: deadlines.publishReply = .milliseconds(400)
    case .send: deadlines.send = .milliseconds(800)
    case .goodbye: deadlines.goodbye = .milliseconds(400)
    }
    return deadlines
  }

  /// Nanoseconds for which the destination's thread has not been heard of, at most.
  var longestSilence: Int64 { silence.load(ordering: .relaxed) }

  var told: [DestinationReport] { reports.list.withLock { $0 } }

  /// Waits for a report, or anything else.
  static func wait(seconds: Int64 = 15, _ isDone: () -> Bool) -> Bool {
    let deadline = MediaTime.now() + .seconds(seconds)
    while !isDone() {
      guard MediaTime.now() < deadline else { return false }
      (MediaTime.now() + .milliseconds(5)).sleepUntil()
    }
    return true
  }

  func waitForCause(seconds: Int64 = 15) -> DestinationReport? {
    var found: DestinationReport?
    _ = Rig.wait(seconds: seconds) {
      found = told.first { $0.cause != nil }
      return found != nil
    }
    return found
  }

  func waitForPublishing(seconds: Int64 = 15) -> Bool {
    Rig.wait(seconds: seconds) { destination.counters.state.isOnAir }
  }

  /// Offers everything, as fast as the queue empties.
  func offer(_ pieces: [Piece]) -> Bool {
    for piece in pieces {
      guard Rig.wait({ destination.counters.queuedBytes < 1 << 20 }) else { return false }
      piece.lent { destination.offer($0) }
    }
    return Rig.wait { destination.counters.queuedBytes == 0 }
  }

  /// Offers pictures and sound in real time until the end, a key picture where one is wanted.
  func encode() {
    _ = MediaThread(name: "encoder", urgency: .ordinary) { [self] in
      var noise = Noise(seed: 11)
      var next = MediaTime.now()
      while !ended.load(ordering: .relaxed) {
        let isKey = destination.needsKeyframe
        Piece(
          kind: isKey ? .keyframe : .frame, time: next, bytes: noise.bytes(8_000)
        ).lent { destination.offer($0) }
        Piece(kind: .audio, time: next + 1, bytes: noise.bytes(300))
          .lent { destination.offer($0) }
        next = next + 33_333_333
        next.sleepUntil()
      }
    }
  }

  /// Offers more than any server takes.
  func flood() {
    _ = MediaThread(name: "encoder", urgency: .ordinary) { [self] in
      let bytes = [UInt8](repeating: 1, count: 50_000)
      while !ended.load(ordering: .relaxed) {
        let now = MediaTime.now()
        let kind: PacketKind = destination.needsKeyframe ? .keyframe : .frame
        Piece(kind: kind, time: now, bytes: bytes).lent { destination.offer($0) }
        (now + .milliseconds(5)).sleepUntil()
      }
    }
  }

  @discardableResult func stop(goodbye: Bool = false, seconds: Int64 = 2) -> Bool {
    ended.store(true, ordering: .relaxed)
    return destination.stop(goodbye: goodbye, by: MediaTime.now() + .seconds(seconds))
  }
}

/// What threads of a test have found.
final class Found<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  func set(_ new: Value) { value.withLock { $0 = new } }
  var now: Value? { value.withLock { $0 } }
  func wait(seconds: Int64 = 15) -> Value? {
    _ = Rig.wait(seconds: seconds) { now != nil }
    return now
  }
}
