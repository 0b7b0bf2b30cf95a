// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import Media

/// A source and a consumer on a virtual timeline, with a queue between them.
private struct Line {
  /// A frame that the consumer took: when it was captured, and how long after that it was encoded.
  struct Encoded: Equatable {
    var number: Int
    var delay: Int64
  }

  let interval: Int64
  let queue = FrameQueue()
  let pool = FramePool(count: FrameQueue.bufferCount, capacity: 24)
  var encoded: [Encoded] = []

  init(framesPerSecond: Int64) { interval = 1_000_000_000 / framesPerSecond }

  /// Captures frames until `end`.
  /// - Parameter encode: the time at which the encoding of a frame ends that begins at the given time.
  mutating func run(until end: Int64, encode: (Int64) -> Int64) {
    var busyUntil: Int64 = 0
    var captured = 0
    var held: Frame?
    while Int64(captured) * interval < end {
      let due = Int64(captured) * interval
      // The consumer takes frames until the next one is captured.
      while busyUntil < due, let frame = queue.takeNow() {
        let time = frame.capturedAt.nanos
        busyUntil = encode(max(busyUntil, time))
        encoded.append(Encoded(number: Int(time / interval), delay: busyUntil - time))
        held = consume frame
      }
      guard let blank = pool.borrow() else {
        Issue.record("frame \(captured) found no buffer")
        return
      }
      queue.put(blank.finish(format: FrameTests.format, capturedAt: MediaTime(nanos: due)))
      captured += 1
    }
    _ = held?.capturedAt
  }
}

struct FrameQueueTests {
  /// The second consumer gets copies: it holds no buffer of the source, and loses frames by itself when it is late.
  @Test func framesAreCopiedForASecondConsumer() {
    let (queue, copies) = (FrameQueue(), FrameQueue())
    let pool = FramePool(count: 1, capacity: 24)
    queue.copyFrames(into: copies)
    for number in 1...20 {
      guard let blank = pool.borrow() else {
        Issue.record("the copies hold a buffer of the source")
        return
      }
      unsafe blank.bytes.initializeMemory(as: UInt8.self, repeating: UInt8(number))
      queue.put(
        blank.finish(
          format: FrameTests.format, capturedAt: MediaTime(nanos: Int64(number) * Self.ms)))
      _ = queue.takeNow()
    }
    #expect(copies.delivered == 20 && copies.dropped == 20 - FrameQueue.capacity)
    #expect(queue.dropped == 0)
    var levels: [UInt8] = []
    while let copy = copies.takeNow() {
      levels.append(unsafe copy.bytes[23])
      #expect(copy.capturedAt.nanos == Int64(levels.last ?? 0) * Self.ms)
    }
    #expect(levels == Array(14...20))
    // Whoever uses the frames keeps the source reading.
    queue.setActive(false)
    #expect(queue.isActive)
    copies.setActive(false)
    #expect(!queue.isActive)
    copies.setActive(true)
    queue.endCopies(into: copies)
    #expect(!queue.isActive)
  }

  private static let ms: Int64 = 1_000_000

  /// The machine stands still for `stall` once a second.
  private static func encode(_ duration: Int64, stall: Int64) -> (Int64) -> Int64 {
    { begin in
      // The stall begins 500 ms into each second.
      let second = 1_000 * ms
      let stallBegin = (begin / second) * second + 500 * ms
      let stalls = stallBegin >= begin && stallBegin < begin + duration
      let inside = stallBegin < begin && begin < stallBegin + stall
      if inside { return stallBegin + stall + duration }
      return begin + duration + (stalls ? stall : 0)
    }
  }

  /// The delay is normal again with the third frame that is captured after the hiccup.
  @Test(arguments: [25, 30, 50, 60] as [Int64])
  func aHiccupLosesNoFrame(framesPerSecond: Int64) {
    let duration = min(12 * FrameQueueTests.ms, 400 * FrameQueueTests.ms / framesPerSecond)
    var line = Line(framesPerSecond: framesPerSecond)
    line.run(
      until: 60_010 * FrameQueueTests.ms,
      encode: FrameQueueTests.encode(duration, stall: 80 * FrameQueueTests.ms))
    #expect(line.queue.dropped == 0)
    // The last frames may still wait.
    #expect(line.encoded.count >= Int(60 * framesPerSecond) - 1)
    #expect(line.encoded.map(\.number) == Array(0..<line.encoded.count))
    #expect(line.encoded.contains { $0.delay >= 60 * FrameQueueTests.ms })
    for frame in line.encoded {
      let time = Int64(frame.number) * line.interval
      let sinceStall = (time + duration + 500 * FrameQueueTests.ms) % (1_000 * FrameQueueTests.ms)
      if sinceStall >= duration + 80 * FrameQueueTests.ms + 3 * line.interval {
        #expect(frame.delay == duration, "frame \(frame.number)")
      }
    }
  }

  /// Each frame takes 1.2 intervals. At first frames wait, until the limit is reached; then the newest is taken each
  /// time, so that no frame waits for longer than an interval.
  @Test func aLastingOverloadDropsToTheNewest() {
    var line = Line(framesPerSecond: 30)
    let duration = 40 * FrameQueueTests.ms
    line.run(until: 60_000 * FrameQueueTests.ms) { $0 + duration }
    let longest = line.encoded.map(\.delay).max() ?? 0
    #expect(longest <= FrameQueue.spanNanos + line.interval + duration)
    let settled = line.encoded.filter { $0.number > 2 * 30 }
    #expect(settled.allSatisfy { $0.delay <= line.interval + duration })
    // Drops are spread evenly: never two in a row.
    #expect(zip(settled, settled.dropFirst()).allSatisfy { $1.number - $0.number <= 2 })
    // The consumer is never idle.
    #expect(line.encoded.count >= 60_000 / 40 - 1)
    #expect(line.queue.dropped >= 60 * 30 - line.encoded.count - FrameQueue.capacity)
  }

  @Test func afterAnOverloadFramesMayWaitAgain() {
    var line = Line(framesPerSecond: 30)
    line.run(until: 20_000 * FrameQueueTests.ms) { begin in
      if begin < 5_000 * FrameQueueTests.ms { return begin + 50 * FrameQueueTests.ms }
      return FrameQueueTests.encode(
        12 * FrameQueueTests.ms, stall: 80 * FrameQueueTests.ms)(begin)
    }
    let after = line.encoded.map(\.number).filter { $0 > 5 * 30 + 5 }
    #expect(zip(after, after.dropFirst()).allSatisfy { $1 == $0 + 1 })
  }

  @Test func aLongHiccupKeepsTheNewestFrames() {
    let (queue, pool) = FrameQueueTests.filled(times: (0..<12).map { $0 * 33 })
    #expect(queue.dropped == 8)
    var times: [Int64] = []
    while let frame = queue.takeNow() { times.append(frame.capturedAt.nanos / FrameQueueTests.ms) }
    #expect(times == [264, 297, 330, 363])
    #expect(FrameTests.hasFree(pool))
  }

  @Test func aSourceWithFewBuffersLimitsHowManyWait() {
    let (queue, _) = FrameQueueTests.filled(times: [0, 10, 20, 30, 40], limit: 2)
    #expect(queue.dropped == 3)
    #expect(queue.takeNow()?.capturedAt.nanos == 30 * FrameQueueTests.ms)
    #expect(queue.takeNow()?.capturedAt.nanos == 40 * FrameQueueTests.ms)
  }

  /// At 10 frames a second or less, one frame waits.
  @Test func howManyFramesASourceHasWaiting() {
    #expect(FrameQueue.maxFrames(every: 1_000_000_000 / 30) == 4)
    #expect(FrameQueue.maxFrames(every: 1_000_000_000 / 60) == 7)
    #expect(FrameQueue.maxFrames(every: 1_000_000_000 / 120) == 7)
    #expect(FrameQueue.maxFrames(every: 1_000_000_000 / 5) == 1)
  }

  @Test func anEmptyFrameIsNotMissed() {
    let (queue, _) = FrameQueueTests.filled(times: [-1, -1, 0, 33, 66])
    #expect(queue.dropped == 0)
    #expect(queue.takeNow()?.capturedAt.nanos == 0)
  }

  @Test func allDeliveredFramesAreCounted() {
    let (queue, _) = FrameQueueTests.filled(times: [0, 10, -1, 20, 500])
    #expect(queue.delivered == 5)
    #expect(queue.count == 1)
    _ = queue.takeNow()
    #expect(queue.delivered == 5 && queue.count == 0)
  }

  @Test func aCutDropsTheFramesThatWait() {
    let (queue, pool) = FrameQueueTests.filled(times: [0, 33, 66], buffers: 3)
    #expect(!FrameTests.hasFree(pool))
    queue.removeAll()
    #expect(FrameTests.hasFree(pool))
    #expect(queue.takeNow()?.capturedAt == nil)
    #expect(queue.dropped == 0)
  }

  @Test func framesAfterTheEndDoNotCountAsDropped() {
    let queue = FrameQueue()
    queue.interrupt()
    let pool = FramePool(count: FrameQueue.bufferCount, capacity: 24)
    for index in 0..<20 { FrameQueueTests.put(Int64(index) * 33, into: queue, from: pool) }
    #expect(queue.dropped == 0)
  }

  @Test func aWakeEndsOneWaitForAFrame() {
    let queue = FrameQueue()
    queue.wake()
    let begun = MediaTime.now()
    #expect(queue.take(until: begun + .seconds(60))?.capturedAt == nil)
    #expect(.now() - begun < .seconds(30))
    // Only one, even if its signal is still pending.
    let deadline = MediaTime.now() + .milliseconds(20)
    #expect(queue.take(until: deadline)?.capturedAt == nil)
    #expect(.now() >= deadline)
  }

  /// - Parameter times: in milliseconds; -1 for an empty frame.
  private static func filled(
    times: [Int64], limit: Int = FrameQueue.capacity, buffers: Int = FrameQueue.bufferCount
  ) -> (FrameQueue, FramePool) {
    let queue = FrameQueue()
    let pool = FramePool(count: buffers, capacity: 24)
    for time in times { put(time, into: queue, from: pool, limit: limit) }
    return (queue, pool)
  }

  private static func put(
    _ time: Int64, into queue: FrameQueue, from pool: FramePool, limit: Int = FrameQueue.capacity
  ) {
    guard let blank = pool.borrow() else {
      Issue.record("no free buffer")
      return
    }
    let capturedAt = time < 0 ? .distantPast : MediaTime(nanos: time * ms)
    queue.put(blank.finish(format: FrameTests.format, capturedAt: capturedAt), limit: limit)
  }

  @Test func queuesWaitOnTheirOwnClock() {
    let time = VirtualClock()
    let frames = FrameQueue(clock: time.clock)
    let deadline = time.now + .seconds(60)
    let ended = Signal()
    let worker = Worker(name: "test")
    worker.start {
      #expect(frames.take(until: deadline)?.capturedAt == nil)
      ended.signal()
    }
    #expect(!ended.wait(until: .now() + .milliseconds(20)))
    time.advance(by: .seconds(60))
    #expect(ended.wait(until: .now() + .seconds(30)))
  }
}
