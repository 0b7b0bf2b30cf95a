// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Testing

@testable import Capture

/// The memory of a reader, both sides in one process: what is written to it, and how its audio is put together.
@Suite struct GuestSoundTests {
  /// Both sides of a memory, without a process.
  final class Pair {
    let memory: GuestMemory
    let output: GuestMemoryOutput

    init() throws {
      memory = try GuestMemory()
      output = unsafe GuestMemoryOutput(memory: memory.start, control: -1, event: -1)
    }

    /// Writes a block whose samples all have one value.
    func put(_ value: Float, frames: Int = 480, at time: MediaTime) {
      let samples = [Float](repeating: value, count: frames * 2)
      unsafe output.put(samples, frames: frames, startsAt: time)
    }
  }

  private static let start = MediaTime(nanos: .seconds(77))
  /// 10 ms in nanoseconds.
  private static let block = Int64.milliseconds(10)

  /// The left samples of so many chunks, each made when it has ended.
  private func chunks(
    _ count: Int, of mix: GuestSoundMix, from memory: GuestMemory?, before: (Int) -> Void = { _ in }
  ) -> [Float] {
    (0..<count).flatMap { chunk in
      before(chunk)
      mix.fill(from: memory, at: GuestSoundTests.start + Int64(chunk) * 2 * GuestSoundTests.block)
      return (0..<PCMQueue.chunkFrames).map { unsafe mix.samples[$0 * 2] }
    }
  }

  /// A ramp over blocks of odd sizes and times that are rounded: no sample is missing or twice.
  @Test func blocksFollowEachOtherWithoutAGap() throws {
    let pair = try Pair()
    var written = 0
    let first = GuestSoundTests.start + .milliseconds(5) + 10_417
    let heard = chunks(20, of: GuestSoundMix(channels: 2), from: pair.memory) { chunk in
      while written < (chunk + 3) * PCMQueue.chunkFrames {
        let frames = [480, 333, 1, 441][written % 4]
        let samples = (0..<frames * 2).map { Float(written + $0 / 2) / 100_000 }
        unsafe pair.output.put(
          samples, frames: frames, startsAt: first + PCM.nanos(frames: written))
        written += frames
      }
    }
    let begin = try #require(heard.firstIndex { $0 != 0 })
    // 5 ms and half a sample frame after the start, and the first sample is 0.
    #expect((240...242).contains(begin))
    for index in (begin + 300)..<heard.count {
      #expect(abs(heard[index] - heard[index - 1] - 1 / 100_000) < 1e-6, "\(index)")
    }
  }

  @Test func gapsAreSilenceWithFadesAtTheirEdges() throws {
    let pair = try Pair()
    let start = GuestSoundTests.start
    pair.put(1, at: start)
    pair.put(1, at: start + GuestSoundTests.block)
    pair.put(1, at: start + 5 * GuestSoundTests.block)
    let heard = chunks(4, of: GuestSoundMix(channels: 2), from: pair.memory)
    #expect(heard[0] == 0 && heard[240] == 1 && heard[959] == 1)
    #expect(heard[960..<1_200].allSatisfy { $0 < 1 && $0 >= 0 } && heard[1_080] == 1 - 121.0 / 240)
    #expect(heard[1_200..<2_400].allSatisfy { $0 == 0 })
    #expect(heard[2_640..<2_880].allSatisfy { $0 == 1 })
    #expect(heard[3_120...].allSatisfy { $0 == 0 })
    for index in 1..<heard.count { #expect(abs(heard[index] - heard[index - 1]) < 1 / 200.0) }
  }

  /// A time that is off by up to 2 ms does not make a gap; one that is off by more counts.
  @Test(arguments: [(1_999_999, 480), (-1_990_000, 480), (3_000_000, 624)])
  func blocksJoinIfTheirTimesAreNear(_ shift: Int64, _ place: Int) throws {
    let pair = try Pair()
    pair.put(0.25, at: GuestSoundTests.start)
    pair.put(0.5, at: GuestSoundTests.start + GuestSoundTests.block + shift)
    let heard = chunks(1, of: GuestSoundMix(channels: 2), from: pair.memory)
    let changed = try #require((300..<960).first { heard[$0] != 0.25 })
    #expect(changed == 480)
    let isJoined = heard[480] == 0.5
    #expect(isJoined == (place == 480))
    #expect(heard[place + 250] == 0.5)
  }

  @Test func lateEarlyAndImpossibleBlocksAreLeftOut() throws {
    let pair = try Pair()
    let start = GuestSoundTests.start
    pair.put(1, at: start - .seconds(1))
    pair.put(1, at: .distantFuture)
    pair.put(1, at: MediaTime(nanos: .min))
    pair.put(1, at: MediaTime(nanos: .max))
    pair.put(0.5, at: start)
    // Nothing before its time.
    pair.put(0.75, at: start + 4 * GuestSoundTests.block)
    let mix = GuestSoundMix(channels: 2)
    let heard = chunks(4, of: mix, from: pair.memory)
    #expect(heard[240..<480].allSatisfy { $0 == 0.5 })
    #expect(heard[720..<1_920].allSatisfy { $0 == 0 })
    #expect(heard[2_160..<2_400].allSatisfy { $0 == 0.75 })
  }

  @Test func samplesThatAreNoneBecomeSilence() throws {
    let pair = try Pair()
    for value in [
      Float.nan, .infinity, -.infinity, 1e30, -9, 4, -4, .signalingNaN, .leastNonzeroMagnitude,
    ] {
      pair.put(value, at: GuestSoundTests.start)
      var samples = [Float](repeating: 1, count: 960)
      let block = unsafe pair.memory.copyBlock(pair.memory.newestBlock, into: &samples)
      #expect(block?.frames == 480)
      let expected: Float = value.isNaN ? 0 : max(-4, min(4, value))
      #expect(samples.allSatisfy { $0 == expected }, "\(value)")
    }
    #expect(pair.memory.peak(from: GuestSoundTests.start, until: GuestSoundTests.start + 1) == 4)
    #expect(pair.memory.peak(from: .distantPast, until: GuestSoundTests.start) == 0)
  }

  @Test func monoIsTheMeanOfBothChannels() throws {
    let pair = try Pair()
    let samples: [Float] = (0..<960).map { $0 % 2 == 0 ? 0.5 : 0.25 }
    unsafe pair.output.put(samples, frames: 480, startsAt: GuestSoundTests.start)
    let mix = GuestSoundMix(channels: 1)
    mix.fill(from: pair.memory, at: GuestSoundTests.start)
    #expect(unsafe mix.samples[300] == 0.375)
  }

  /// Another reader begins anew, and no reader is silence.
  @Test func anotherMemoryIsReadFromItsBeginning() throws {
    let (one, other) = (try Pair(), try Pair())
    let start = GuestSoundTests.start
    for block in 0..<8 { one.put(0.5, at: start + Int64(block) * GuestSoundTests.block) }
    for block in 4..<8 { other.put(0.25, at: start + Int64(block) * GuestSoundTests.block) }
    let mix = GuestSoundMix(channels: 2)
    var heard: [Float] = []
    for (chunk, memory) in [one.memory, nil, other.memory, nil, nil].enumerated() {
      mix.fill(from: memory, at: start + Int64(chunk) * 2 * GuestSoundTests.block)
      heard += (0..<PCMQueue.chunkFrames).map { unsafe mix.samples[$0 * 2] }
    }
    #expect(heard[300..<960].allSatisfy { $0 == 0.5 })
    #expect(heard[1_200..<1_920].allSatisfy { $0 == 0 })
    #expect(heard[2_200..<2_880].allSatisfy { $0 == 0.25 })
    #expect(heard[3_200...].allSatisfy { $0 == 0 })
  }

  /// After a standstill only the blocks that the memory still holds are looked at.
  @Test func aMixThatIsLateGoesOn() throws {
    let pair = try Pair()
    let mix = GuestSoundMix(channels: 2)
    let start = GuestSoundTests.start
    mix.fill(from: pair.memory, at: start)
    for block in 0..<1_000 { pair.put(0.5, at: start + Int64(block) * GuestSoundTests.block) }
    mix.fill(from: pair.memory, at: start + 990 * GuestSoundTests.block)
    #expect(unsafe mix.samples[1_000] == 0.5)
  }

  @Test func framesGoFromOneSideToTheOther() throws {
    let pair = try Pair()
    let size = PictureSize(width: 1280, height: 720)
    #expect(unsafe pair.output.beginPicture(size) == nil)
    pair.memory.set(GuestWants(pictures: .all, largest: size, framesPerSecond: 25, sound: false))
    #expect(
      pair.output.wants
        == GuestWants(pictures: .all, largest: size, framesPerSecond: 25, sound: false))
    for refused in [(0, 2), (2, 0), (3, 2), (2, 3), (1282, 2), (1280, 722), (-2, 2), (1 << 40, 2)] {
      let size = PictureSize(width: refused.0, height: refused.1)
      #expect(unsafe pair.output.beginPicture(size) == nil, "\(size)")
    }
    let queue = FrameQueue()
    let copier = GuestFrameCopier(into: queue)
    let now = GuestSoundTests.start
    #expect(copier.copyNew(from: pair.memory, now) == nil)
    for (index, size) in [
      size, PictureSize(width: 720, height: 1280), PictureSize(width: 2, height: 2),
    ].enumerated() {
      guard let room = unsafe pair.output.beginPicture(size) else {
        Issue.record("no room")
        continue
      }
      #expect(room.count == size.width * size.height * 3 / 2)
      unsafe room.initializeMemory(as: UInt8.self, repeating: UInt8(index + 1))
      pair.output.endPicture(dueAt: now + Int64(index) * 1_000, colour: .jpeg)
      let info = try #require(copier.copyNew(from: pair.memory, now))
      #expect(
        info
          == GuestPictureInfo(
            number: UInt64(index + 1), size: size, colour: .jpeg, arrivedAt: now))
      guard let frame = queue.takeNow() else {
        Issue.record("no frame came")
        continue
      }
      #expect(frame.format.size == size && frame.capturedAt == now + Int64(index) * 1_000)
      #expect(unsafe frame.bytes.allSatisfy { $0 == UInt8(index + 1) })
    }
    // A frame that was begun and not ended is none; and times that are far away are now.
    _ = unsafe pair.output.beginPicture(size)
    #expect(copier.copyNew(from: pair.memory, now) == nil)
    for due in [
      MediaTime.distantPast, .distantFuture, MediaTime(nanos: .max), MediaTime(nanos: .min),
    ] {
      _ = unsafe pair.output.beginPicture(PictureSize(width: 2, height: 2))
      pair.output.endPicture(dueAt: due, colour: .bt709)
      _ = copier.copyNew(from: pair.memory, now + 5_000)
      #expect(queue.takeNow()?.capturedAt == now + 5_000)
    }
    // Of many frames at once, the newest.
    for _ in 0..<9 {
      _ = unsafe pair.output.beginPicture(PictureSize(width: 2, height: 2))
      pair.output.endPicture(dueAt: now, colour: .bt709)
    }
    #expect(copier.copyNew(from: pair.memory, now)?.number == 16)
    var count = 0
    while queue.takeNow() != nil { count += 1 }
    #expect(count == 1)
  }
}
