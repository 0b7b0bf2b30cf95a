// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Synchronization
import Testing

@testable import Capture

/// A virtual clock for one source whose thread waits for nothing but deadlines. Time stands still until the source has
/// done all its work, so what it does at each instant is exact on any machine.
struct SourceClock {
  private let time = VirtualClock()

  var clock: MediaClock { time.clock }
  var now: MediaTime { time.now }

  /// Waits until the source has done all its work until now.
  /// - Returns: the next deadline that it waits for; `nil`, with an issue, after ten minutes.
  func nextDeadline() -> MediaTime? {
    let patience = MediaTime.now() + .seconds(600)
    while time.awaitedDeadline <= time.now {
      guard .now() < patience else {
        Issue.record("the source does not wait for a deadline")
        return nil
      }
      (MediaTime.now() + 100_000).sleepUntil()
    }
    return time.awaitedDeadline
  }

  /// Moves the clock from deadline to deadline, up to `end`. Calls `body` each time when the source has done its work.
  func run(until end: MediaTime, _ body: () -> Void = {}) {
    while let next = nextDeadline() {
      body()
      guard next <= end else {
        time.advance(by: end - time.now)
        return
      }
      time.advance(by: next - time.now)
    }
  }

  /// Moves the clock past the deadlines in between, as a stall of the machine does.
  func stall(nanos: Int64) { time.advance(by: nanos) }
}

/// A source's reports, in order.
final class Reports: Sendable {
  private let list = Mutex<[SourceReport]>([])
  var all: [SourceReport] { list.withLock { $0 } }
  var codes: [String] { all.map(\.code) }
  var listener: SourceListener { { report in self.list.withLock { $0.append(report) } } }
}

/// What the tests look at in a frame.
struct Seen {
  var format: FrameFormat
  var capturedAt: MediaTime
  /// When it could be taken.
  var arrivedAt: MediaTime
  /// Samples in the middle of the frame.
  var y: UInt8
  var cb: UInt8
  var cr: UInt8
  /// Y in the middle of the upper, lower, left and right edge, an eighth of the side away from it.
  var edges: [UInt8]
  /// Y in the middle column.
  var column: [UInt8]
  /// A hash of the picture.
  var digest: Int
}

extension SourceClock {
  /// All frames that the source puts until `end`.
  func frames(of place: FrameQueue, until end: MediaTime) -> [Seen] {
    var seen: [Seen] = []
    run(until: end) {
      while let frame = place.takeNow() {
        let size = frame.format.size
        let row = frame.format.bytesPerRow
        let middle = row * (size.height / 2) + size.width / 2
        let chroma = row * size.height
        let within = row / 2 * (size.height / 4) + size.width / 4
        seen.append(
          Seen(
            format: frame.format, capturedAt: frame.capturedAt, arrivedAt: now,
            y: unsafe frame.bytes[middle], cb: unsafe frame.bytes[chroma + within],
            cr: unsafe frame.bytes[chroma + row / 2 * (size.height / 2) + within],
            edges: [
              unsafe frame.bytes[row * (size.height / 8) + size.width / 2],
              unsafe frame.bytes[row * (size.height * 7 / 8) + size.width / 2],
              unsafe frame.bytes[row * (size.height / 2) + size.width / 8],
              unsafe frame.bytes[row * (size.height / 2) + size.width * 7 / 8],
            ],
            column: (0..<size.height).map { unsafe frame.bytes[row * $0 + size.width / 2] },
            digest: stride(from: 0, to: chroma * 3 / 2, by: 3).reduce(5381) {
              $0 &* 33 &+ (unsafe Int(frame.bytes[$1]))
            }))
      }
    }
    return seen
  }

  /// All chunks that the source puts until `end`.
  func chunks(of queue: PCMQueue, until end: MediaTime) -> [AudioChunk] {
    var chunks: [AudioChunk] = []
    run(until: end) { chunks += queue.takeAll() }
    return chunks
  }
}

struct AudioChunk {
  var startsAt: MediaTime
  /// Interleaved.
  var samples: [Float]
}

extension PCMQueue {
  func takeAll() -> [AudioChunk] {
    var chunks: [AudioChunk] = []
    var room = [Float](repeating: 0, count: PCMQueue.chunkFrames * channels)
    while true {
      let chunk = unsafe room.withUnsafeMutableBufferPointer { buffer in
        unsafe buffer.baseAddress.flatMap { unsafe take(into: $0, until: .distantPast) }
      }
      guard let chunk else { return chunks }
      chunks.append(
        AudioChunk(startsAt: chunk.startsAt, samples: Array(room.prefix(chunk.frames * channels))))
    }
  }
}
