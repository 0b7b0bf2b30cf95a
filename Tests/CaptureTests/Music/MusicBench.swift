// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Synchronization
import TestSupport
import Testing

@testable import Capture

extension MusicServer {
  /// These tests have only the loopback interface; all its addresses but that of the server are refused, as in the
  /// program.
  static let rules = AddressRules(own: { [] }, verdict: { $0 == [127, 0, 0, 2] ? .global : nil })

  func address(_ path: String) throws -> MusicAddress { try #require(MusicAddress(url(path))) }
}

/// A player on a virtual clock, and what is heard of it.
final class MusicBench {
  static let step: Int64 = .milliseconds(20)

  let time = VirtualClock()
  /// Real time in nanoseconds that each step takes at least.
  private let pause: Int64
  let player: MusicPlayer
  let queue: PCMQueue
  private(set) var feed: (any Source)?
  private let list: Reporting
  /// All samples so far, in order of time, and the time of the first.
  private(set) var heard: [Float] = []
  private(set) var begin: MediaTime?
  private(set) var next: MediaTime?
  /// Breaks in the sequence of chunks.
  private(set) var breaks = 0

  private final class Reporting: Sendable {
    let all = Mutex<[(report: MusicReport, at: MediaTime)]>([])
  }

  /// - Parameter isOnNetwork: whether sockets need real time.
  init(
    _ net: MusicNet = MusicNet(rules: MusicServer.rules), channels: Int = 1,
    isOnNetwork: Bool = false
  ) {
    _ = TestSound.samples(seconds: 1)
    pause = isOnNetwork ? .milliseconds(2) : .milliseconds(1) / 2
    let list = Reporting()
    self.list = list
    let clock = time.clock
    player = MusicPlayer(net: net, clock: clock) { report in
      list.all.withLock { $0.append((report, clock.now)) }
    }
    queue = PCMQueue(channels: channels, capacity: 400, clock: clock)
  }

  deinit {
    player.stop()
    feed?.stop(by: .now() + .seconds(30))
  }

  var reports: [MusicReport] { list.all.withLock { $0.map(\.report) } }
  var times: [(report: MusicReport, at: MediaTime)] { list.all.withLock { $0 } }

  func open() {
    let feed = player.makeSource(into: queue)
    self.feed = feed
    feed.start()
  }

  func close() {
    #expect(feed?.stop(by: .now() + .seconds(30)) ?? true)
    feed = nil
    next = nil
  }

  func play(_ source: MusicSource, loops: Bool = false, name: String = "it") {
    player.start(MusicRequest(source: source, loops: loops, name: name))
  }

  /// Moves the clock in steps, each when the feed has done its work, and gives sockets a moment of real time.
  func run(seconds: Double, step: Int64 = MusicBench.step, until isDone: () -> Bool = { false }) {
    let end = time.now + Int64(seconds * 1e9)
    while time.now < end, !isDone() {
      (MediaTime.now() + pause).sleepUntil()
      time.advance(by: step)
      let patience = MediaTime.now() + .seconds(60)
      while feed != nil, time.waitingThreads == 0, MediaTime.now() < patience {
        (MediaTime.now() + 50_000).sleepUntil()
      }
      // The thread that reads may be at work, or at its end.
      let soon = MediaTime.now() + .milliseconds(4)
      while feed != nil, time.waitingThreads < 2, MediaTime.now() < soon {
        (MediaTime.now() + 50_000).sleepUntil()
      }
      for chunk in queue.takeAll() { take(chunk) }
    }
  }

  private func take(_ chunk: AudioChunk) {
    if begin == nil { begin = chunk.startsAt }
    if let next, abs(chunk.startsAt - next) > 1_000 { breaks += 1 }
    next = chunk.startsAt + PCM.nanos(frames: chunk.samples.count / queue.channels)
    heard += chunk.samples
  }

  /// The largest amplitude in each 20 ms.
  var levels: [Float] {
    stride(from: 0, to: heard.count - 959, by: 960).map { start in
      heard[start..<start + 960].reduce(0) { max($0, abs($1)) }
    }
  }

  /// The seconds in which anything is heard.
  var soundSeconds: Double { Double(levels.count { $0 > 0.05 }) * 0.02 }
}
