// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Synchronization

@testable import Publish

/// A destination together with what a program has around it: a supervisor, a listener and encoders.
final class Rig: Sendable {
  static let key = "test-Schlüssel-4711"

  let destination: Destination
  private let reports: Reports
  private let ended = Atomic(false)
  /// How often the supervisor has looked at the destination.
  private let looks = Atomic(0)

  private final class Reports: Sendable {
    let list = Mutex<[DestinationReport]>([])
  }

  init(
    port: Int, host: String = "127.0.0.1", transport: RTMPTarget.Transport = .plain,
    app: String = "live", key: String = Rig.key,
    hasVideo: Bool = true, queueBytes: Int = 8 << 20, deadlines: RTMPDeadlines = Rig.deadlines,
    backupPort: Int? = nil, login: RTMPTarget.Login? = nil,
    redirects: RTMPTarget.Redirects = .sameHost, clock: MediaClock = .system
  ) throws {
    let reports = Reports()
    self.reports = reports
    destination = Destination(
      name: "rtmp test",
      target: try RTMPTarget(
        transport: transport, host: host, port: port, app: app, streamKey: key, login: login,
        redirects: redirects),
      backup: try backupPort.map {
        try RTMPTarget(transport: transport, host: host, port: $0, app: app, streamKey: key)
      },
      hasVideo: hasVideo, queueBytes: queueBytes, encoder: "OnAir test", deadlines: deadlines,
      clock: clock
    ) { report in
      reports.list.withLock { $0.append(report) }
    }
    if hasVideo { destination.setVideo(Sample.video) }
    destination.setAudio(Sample.audio)
    _ = MediaThread(name: "supervisor", urgency: .ordinary) { [self] in
      while !ended.load(ordering: .relaxed) {
        destination.supervise(now: destination.clock.now)
        looks.add(1, ordering: .relaxed)
        pause(milliseconds: 10)
      }
    }
  }

  /// Lets time pass as for a program that runs: the supervisor looks often enough to see that it has not stood still.
  func pass(_ nanos: Int64, on clock: VirtualClock) {
    var left = nanos
    while left > 0 {
      let step = min(left, .milliseconds(500))
      clock.advance(by: step)
      left -= step
      // A look that has begun may have the time before.
      let next = looks.load(ordering: .relaxed) + 2
      _ = Rig.wait { looks.load(ordering: .relaxed) >= next }
    }
  }

  /// The program's own deadlines, but with short retry pauses.
  static var deadlines: RTMPDeadlines {
    var deadlines = RTMPDeadlines()
    deadlines.goodbye = .milliseconds(1_500)
    deadlines.retryPause = .milliseconds(200)
    return deadlines
  }

  /// For tests in which the good-bye may hang until the stop cuts it.
  static var impatient: RTMPDeadlines {
    var deadlines = deadlines
    deadlines.goodbye = .milliseconds(50)
    return deadlines
  }

  var reported: [DestinationReport] { reports.list.withLock { $0 } }

  /// Waits until a condition holds. The limit is generous because it only matters when the test fails.
  static func wait(seconds: Int64 = 600, _ isDone: () -> Bool) -> Bool {
    let deadline = MediaTime.now() + .seconds(seconds)
    while !isDone() {
      guard MediaTime.now() < deadline else { return false }
      pause(milliseconds: 5)
    }
    return true
  }

  func waitForCause() -> DestinationReport? {
    var found: DestinationReport?
    _ = Rig.wait {
      found = reported.first { $0.cause != nil }
      return found != nil
    }
    return found
  }

  func waitForPublishing() -> Bool {
    Rig.wait { destination.counters.state.isOnAir }
  }

  /// Offers everything as fast as the queue is sent, and waits until it is empty.
  func offer(_ pieces: [Piece]) -> Bool {
    for piece in pieces {
      guard Rig.wait({ destination.counters.queuedBytes < 1 << 20 }) else { return false }
      piece.lent { destination.offer($0) }
    }
    return Rig.wait { destination.counters.queuedBytes == 0 }
  }

  /// Offers about 30 frames and audio packets a second until the end, and keyframes when needed.
  func encode(bytes: Int = 8_000, audioBytes: Int = 300) {
    _ = MediaThread(name: "encoder", urgency: .ordinary) { [self] in
      var noise = Noise(seed: 11)
      while !ended.load(ordering: .relaxed) {
        let now = destination.clock.now
        let isKey = destination.needsKeyframe
        Piece(
          kind: isKey ? .keyframe : .frame, time: now, bytes: noise.bytes(bytes)
        ).lent { destination.offer($0) }
        Piece(kind: .audio, time: now + 1, bytes: noise.bytes(audioBytes))
          .lent { destination.offer($0) }
        pause(milliseconds: 33)
      }
    }
  }

  /// Offers 10 MB/s, more than any server of these tests reads.
  func flood() {
    _ = MediaThread(name: "encoder", urgency: .ordinary) { [self] in
      let bytes = [UInt8](repeating: 1, count: 50_000)
      while !ended.load(ordering: .relaxed) {
        let now = destination.clock.now
        let kind: PacketKind = destination.needsKeyframe ? .keyframe : .frame
        Piece(kind: kind, time: now, bytes: bytes).lent { destination.offer($0) }
        pause(milliseconds: 5)
      }
    }
  }

  @discardableResult func stop(goodbye: Bool = false, seconds: Int64 = 60) -> Bool {
    ended.store(true, ordering: .relaxed)
    return destination.stop(goodbye: goodbye, by: destination.clock.now + .seconds(seconds))
  }
}

func pause(milliseconds: Int64) { (MediaTime.now() + .milliseconds(milliseconds)).sleepUntil() }

/// A value that another thread of a test sets.
final class Found<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  func set(_ new: Value) { value.withLock { $0 = new } }
  var now: Value? { value.withLock { $0 } }
  func wait() -> Value? {
    _ = Rig.wait { now != nil }
    return now
  }
}
