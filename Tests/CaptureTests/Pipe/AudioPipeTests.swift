// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Glibc
import Media
import TestSupport
import Testing

@testable import Capture

@Suite struct AudioPipeTests {
  static func bytes(_ samples: [Float], _ format: PipeSamples) -> [UInt8] {
    func raw(_ number: some FixedWidthInteger) -> [UInt8] {
      unsafe withUnsafeBytes(of: number.littleEndian) { unsafe Array($0) }
    }
    return samples.flatMap { sample in
      switch format {
      case .s16: raw(Int16((sample * 32_767).rounded()))
      case .s32: raw(Int32((Double(sample) * 2_147_483_000).rounded()))
      case .float: raw(sample.bitPattern)
      }
    }
  }

  /// A reader of a pipe on virtual time, without a thread.
  final class Rig {
    let pipe = TestPipe()
    let time = VirtualClock()
    let queue: PCMQueue
    let reader: PipeSamplesReader
    let format: AudioPipeFormat
    private var chunk: [Float]
    /// The samples that came, and when the first of them begins.
    var heard: [Float] = []
    var start: MediaTime?
    var end: MediaTime?
    /// The nanoseconds by which the times of two chunks did not fit.
    var gaps: [Int64] = []
    /// The sample frames that were read.
    var jumps = 0

    init(_ format: AudioPipeFormat, channels: Int = 1) throws {
      self.format = format
      queue = PCMQueue(channels: channels)
      chunk = Array(repeating: 0, count: PCMQueue.chunkFrames * channels)
      reader = try PipeSamplesReader(
        PipeEnd(path: pipe.path, bytes: format.bufferBytes), format, path: pipe.path,
        channels: channels, floor: .distantPast)
      pipe.comeNonblocking()
    }

    func read() throws {
      let outcome = unsafe reader.read(time.now, into: queue)
      if case .read(.jump) = outcome { jumps += 1 }
      try unsafe chunk.withUnsafeMutableBufferPointer { buffer in
        let base = try unsafe #require(buffer.baseAddress)
        while let taken = unsafe queue.takeNow(into: base) {
          if let end, abs(taken.startsAt - end) > 1_000 { gaps.append(taken.startsAt - end) }
          start = start ?? taken.startsAt
          end = taken.startsAt + PCM.nanos(frames: taken.frames)
          unsafe heard += Array(buffer.prefix(taken.frames * queue.channels))
        }
      }
    }
  }

  @Test(arguments: [
    (PipeSamples.s16, 48_000, 2), (.s32, 48_000, 1), (.float, 48_000, 2), (.s16, 44_100, 2),
    (.s16, 8_000, 1), (.s32, 96_000, 2), (.float, 192_000, 2),
  ])
  func anyFormatAndRate(samples: PipeSamples, rate: Int, channels: Int) throws {
    let format = AudioPipeFormat(samples: samples, rate: rate, channels: channels)
    let rig = try Rig(format, channels: 2)
    var written = 0
    for tick in 1...200 {
      rig.time.advance(by: .milliseconds(10))
      let count = tick * rate / 100 - written
      written += count
      let frame: [Float] = channels == 2 ? [0.5, -0.25] : [0.5]
      let level = Array(repeating: frame, count: count).flatMap(\.self)
      rig.pipe.write(AudioPipeTests.bytes(level, samples))
      try rig.read()
    }
    // Two seconds, less what the filter holds; placed when it was written.
    #expect((95_000...96_200).contains(rig.heard.count / 2))
    #expect(abs(try #require(rig.start) - (rig.time.now - .seconds(2))) < .milliseconds(3))
    #expect(rig.gaps.isEmpty && rig.jumps == 0)
    let middle = rig.heard[80_000..<80_002]
    #expect(abs(middle.first ?? 0) - 0.5 < 0.01)
    #expect(abs((middle.last ?? 0) - (channels == 2 ? -0.25 : 0.5)) < 0.01)
  }

  /// The clock of the writer is 100 ppm fast, or slow: after five minutes its samples are still in time.
  @Test(arguments: [100.0, -100, 0]) func aDriftingWriterIsFollowed(ppm: Double) throws {
    let rig = try Rig(AudioPipeFormat(samples: .s16, rate: 48_000, channels: 1))
    var (written, worst) = (0, Int64(0))
    let began = rig.time.now
    let silence = [UInt8](repeating: 0, count: 4_096)
    for tick in 1...30_000 {
      rig.time.advance(by: .milliseconds(10))
      let count = Int(Double(tick) * 480 * (1 + ppm / 1e6)) - written
      written += count
      #expect(rig.pipe.write(Array(silence.prefix(2 * count))) == 2 * count)
      try rig.read()
      rig.heard.removeAll(keepingCapacity: true)
      // All that was written has been captured by now.
      if tick > 6_000 { worst = max(worst, abs(rig.time.now - (try #require(rig.end)))) }
    }
    #expect(worst < .milliseconds(3), "\(worst)")
    #expect(abs((rig.reader.resampler.driftPPM ?? 0) - ppm) < 5)
    #expect(rig.gaps.isEmpty && rig.jumps == 0)
    #expect(rig.time.now - began == .seconds(300))
  }

  /// Programs write every 10 ms, or 256 or 1,024 sample frames. A pipe that is read as seldom as `AudioPipe` does
  /// gives samples that are in time, and no drift that the writer does not have.
  @Test(arguments: [480, 256, 1_024]) func readingsDoNotLookLikeAnotherClock(frames: Int) throws {
    let rig = try Rig(AudioPipeFormat(samples: .s16, rate: 48_000, channels: 1))
    let began = rig.time.now
    let chunk = [UInt8](repeating: 0, count: 2 * frames)
    var (written, due) = (0, MediaTime.distantPast)
    while rig.time.now - began < .seconds(300) {
      // The time of the next write, or of the next reading of what has been written.
      let write = began + PCM.nanos(frames: written + frames)
      let read = rig.reader.end.waitingBytes > 0 ? max(due, rig.time.now) : .distantFuture
      if write <= read {
        rig.time.advance(by: max(0, write - rig.time.now))
        #expect(rig.pipe.write(chunk) == chunk.count)
        written += frames
        continue
      }
      // A thread wakes a little late.
      rig.time.advance(by: max(0, read - rig.time.now) + 60_000)
      due = rig.time.now + AudioPipe.restNanos
      try rig.read()
      rig.heard.removeAll(keepingCapacity: true)
      // In the first seconds, the writer might be ahead of time: it is read in small parts.
      if rig.time.now - began > .seconds(120) {
        let end = began + PCM.nanos(frames: written)
        #expect(abs(end - (try #require(rig.end))) < .milliseconds(22))
        #expect(abs(rig.reader.resampler.driftPPM ?? 0) < 10)
      }
    }
    #expect(rig.gaps.isEmpty && rig.jumps == 0)
  }

  /// A program that converts a file writes as fast as it can, and its sound comes in time, without a gap.
  @Test func aFastWriterIsHeldBack() throws {
    let rig = try Rig(AudioPipeFormat(samples: .s16, rate: 48_000, channels: 2))
    var accepted = 0
    let piece = [UInt8](repeating: 0, count: 4_096)
    for _ in 0..<4_000 {
      rig.time.advance(by: .milliseconds(5))
      while true {
        let count = rig.pipe.write(piece)
        if count <= 0 { break }
        accepted += count
      }
      try rig.read()
      rig.heard.removeAll(keepingCapacity: true)
    }
    let seconds = Double(accepted) / 192_000
    #expect((19.98...20.1).contains(seconds), "\(seconds)")
    #expect(rig.gaps.isEmpty && rig.jumps == 0)
    #expect(abs(rig.time.now - (try #require(rig.end))) < .milliseconds(60))
  }

  /// A writer that hangs goes on where it was: what it did not send is a gap, and what it sends is in time.
  @Test func aWriterThatHangsIsInTimeAgain() throws {
    let rig = try Rig(AudioPipeFormat(samples: .s16, rate: 48_000, channels: 1))
    func play(_ ticks: Int) throws {
      for _ in 0..<ticks {
        rig.time.advance(by: .milliseconds(10))
        rig.pipe.write([UInt8](repeating: 0, count: 960))
        try rig.read()
      }
    }
    try play(200)
    rig.time.advance(by: .milliseconds(300))
    try play(200)
    #expect(rig.jumps == 1)
    #expect(rig.gaps.map { $0 / 1_000_000 } == [300])
    #expect(abs(rig.time.now - (try #require(rig.end))) < .milliseconds(3))
  }

  /// A sample frame may come in pieces; numbers that are none are silence.
  @Test func piecesOfASampleFrameAndOddNumbers() throws {
    let rig = try Rig(AudioPipeFormat(samples: .float, rate: 48_000, channels: 2), channels: 2)
    var bytes = AudioPipeTests.bytes(
      (0..<9_600).map { index in
        index / 2 % 100 == 50 ? (index % 2 == 0 ? Float.nan : .infinity) : [0.25, -0.5][index % 2]
      }, .float)
    while !bytes.isEmpty {
      let count = min(bytes.count, 517)
      rig.pipe.write(Array(bytes.prefix(count)))
      bytes.removeFirst(count)
      rig.time.advance(by: 1_340_000)
      try rig.read()
    }
    #expect(rig.heard.count > 8_000 && rig.heard.allSatisfy(\.isFinite))
    #expect(stride(from: 0, to: rig.heard.count, by: 2).allSatisfy { rig.heard[$0] >= -30 })
    #expect(abs(rig.heard[7_048] - 0.25) < 0.3 && rig.heard[7_049] < 0)
  }

  @Test func aWriterThatLeavesIsLostAndTheNextIsFound() throws {
    let (pipe, queue, reports) = (TestPipe(), PCMQueue(channels: 2), Reports())
    let source = AudioPipe(
      path: pipe.path, AudioPipeFormat(samples: .s16, rate: 48_000, channels: 2), queue: queue,
      report: reports.listener)
    source.start()
    for round in 1...3 {
      pipe.come()
      // A sample frame is torn: the next writer's channels are not swapped.
      pipe.write([UInt8](repeating: 1, count: 3_841))
      #expect(eventually { reports.codes.count == round * 2 - 1 })
      pipe.leave()
      #expect(eventually { reports.codes.count == round * 2 })
    }
    #expect(reports.codes == Array(repeating: ["running", "no_writer"], count: 3).flatMap(\.self))
    unsafe unlink(pipe.path)
    #expect(eventually { reports.all.last?.code == "missing" })
    #expect(reports.all.last?.state == .trouble)
    #expect(source.stop(by: .now() + .seconds(30)))
  }
}
