// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Synchronization
import Testing

@testable import Media

struct FrameTests {
  static let format = FrameFormat(
    pixelFormat: .i420, size: PictureSize(width: 4, height: 4), colour: .bt709)

  /// Whether a pool has a free buffer.
  static func hasFree(_ pool: FramePool) -> Bool {
    switch pool.borrow() {
    case .some: true
    case .none: false
    }
  }

  @Test func aBufferOfAPoolIsUsedOnceAtATime() throws {
    let pool = FramePool(count: 2, capacity: 24)
    do {
      guard let a = pool.borrow(), let b = pool.borrow() else {
        Issue.record("two buffers are free")
        return
      }
      let apart = unsafe a.bytes.baseAddress != b.bytes.baseAddress
      #expect(apart)
      #expect(!FrameTests.hasFree(pool))
      let frame = a.finish(format: FrameTests.format, capturedAt: MediaTime(nanos: 1))
      #expect(!FrameTests.hasFree(pool), "a finished frame still holds its buffer")
      _ = consume frame
      #expect(FrameTests.hasFree(pool))
      _ = consume b
    }
    #expect(FrameTests.hasFree(pool))
  }

  @Test func bytesOfAFrame() {
    let size = PictureSize(width: 640, height: 360)
    func bytes(_ format: PixelFormat, _ row: Int? = nil) -> Int {
      FrameFormat(pixelFormat: format, size: size, bytesPerRow: row, colour: .webcam).byteCount
    }
    #expect(bytes(.i420) == 345_600 && bytes(.nv12) == 345_600 && bytes(.yuyv) == 460_800)
    #expect(bytes(.nv21, 704) == 704 * 540 && bytes(.uyvy, 1408) == 1408 * 360)
    #expect(bytes(.mjpeg) == 0)
  }
}

struct PCMQueueTests {
  @Test func chunksAreTakenInOrderWithTheirTimes() {
    let queue = PCMQueue(channels: 2, capacity: 4)
    let samples = (0..<2 * 2000).map { Float($0) }
    unsafe queue.put(samples, frames: 2000, startsAt: MediaTime(nanos: 1_000))
    var room = [Float](repeating: 0, count: PCMQueue.chunkFrames * 2)
    var got: [(Int64, Int, Float)] = []
    while let chunk = unsafe queue.take(into: &room, until: .distantPast) {
      got.append((chunk.startsAt.nanos, chunk.frames, room[0]))
    }
    #expect(got.map(\.1) == [960, 960, 80])
    #expect(got.map(\.0) == [1_000, 20_001_000, 40_001_000])
    #expect(got.map(\.2) == [0, 1920, 3840])
  }

  @Test func aFullQueueDropsTheOldestChunk() {
    let queue = PCMQueue(channels: 1, capacity: 3)
    for index in 0..<5 {
      unsafe queue.put([Float(index)], frames: 1, startsAt: MediaTime(nanos: Int64(index)))
    }
    var room = [Float](repeating: 0, count: PCMQueue.chunkFrames)
    #expect(unsafe queue.take(into: &room, until: .distantPast)?.startsAt.nanos == 2)
    #expect(queue.dropped == 2)
  }
}
