// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import CTurboJPEG
import Media
import Testing

@testable import Preview

struct SnapshotTests {
  /// A decoded JPEG: its size, and its colour in the middle.
  private func decode(_ jpeg: [UInt8]) throws -> (size: PictureSize, rgb: [Int]) {
    let decoder = unsafe tjInitDecompress()
    defer { unsafe tjDestroy(decoder) }
    var (width, height, sampling, space) = (Int32(0), Int32(0), Int32(0), Int32(0))
    let status = unsafe tjDecompressHeader3(
      decoder, jpeg, UInt(jpeg.count), &width, &height, &sampling, &space)
    try #require(status == 0)
    #expect(sampling == Int32(TJSAMP_420.rawValue))
    var pixels = [UInt8](repeating: 0, count: Int(width * height) * 3)
    let decoded = unsafe tjDecompress2(
      decoder, jpeg, UInt(jpeg.count), &pixels, width, 0, height, Int32(TJPF_RGB.rawValue), 0)
    try #require(decoded == 0)
    let middle = (Int(height) / 2 * Int(width) + Int(width) / 2) * 3
    return (
      PictureSize(width: Int(width), height: Int(height)),
      pixels[middle..<middle + 3].map { Int($0) }
    )
  }

  /// A store with video of one colour, each frame a little brighter than the one before.
  private func bench(frames: Int, colour: Colour) throws -> SinkBench {
    let bench = SinkBench()
    let video = try Encoded.video(
      frames: frames, from: bench.now + .milliseconds(100), colour: colour, chroma: (90, 200)
    ) { UInt8(60 + $0) }
    bench.sink.setVideo(video.header)
    bench.play(video.packets)
    bench.advance(by: .seconds(1))
    return bench
  }

  @Test func theNewestFrameHasTheRightColour() async throws {
    for (colour, expected) in [
      // Y 119, Cb 90, Cr 200 by ITU-T H.273: 8.3, matrix coefficients and range.
      (Colour.bt709, [249, 89, 40]), (Colour.webcam, [234, 76, 43]), (Colour.jpeg, [220, 81, 52]),
    ] {
      let bench = try bench(frames: 60, colour: colour)
      let snapshots = Snapshots(fragments: bench.fragments, clock: bench.clock.clock)
      let (size, rgb) = try decode(try await snapshots.snapshot())
      bench.stop()
      #expect(size == Encoded.small)
      #expect(zip(rgb, expected).allSatisfy { abs($0 - $1) <= 4 }, "\(colour): \(rgb)")
    }
  }

  @Test func aSnapshotIsReusedForAMoment() async throws {
    let bench = try bench(frames: 40, colour: .bt709)
    let snapshots = Snapshots(fragments: bench.fragments, clock: bench.clock.clock)
    let first = try await snapshots.snapshot()
    let more = try Encoded.video(
      frames: 20, from: bench.now, keyEvery: 100, colour: .bt709, chroma: (90, 200)
    ) { UInt8(180 + $0) }
    // Nobody notices that it is not the same encoder: the header is the same.
    bench.play(more.packets)
    bench.advance(by: .milliseconds(300))
    let second = try await snapshots.snapshot()
    #expect(first != second)
    #expect(try decode(second).rgb[1] > decode(first).rgb[1] + 50)
    #expect(try await snapshots.snapshot() == second)
    bench.stop()
  }

  /// Only the frames since the last snapshot are decoded for the next one.
  @Test func manyAtOnceAndOneAfterAnother() async throws {
    let bench = try bench(frames: 25, colour: .bt709)
    let snapshots = Snapshots(fragments: bench.fragments, clock: bench.clock.clock)
    let taken = try await withThrowingTaskGroup(of: [UInt8].self) { group in
      for _ in 0..<20 { group.addTask { try await snapshots.snapshot() } }
      return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
    }
    #expect(taken.count == 1)
    for _ in 0..<5 {
      bench.clock.advance(by: .milliseconds(150))
      #expect(try await snapshots.snapshot() == taken.first)
    }
    bench.stop()
  }

  @Test func aCutHidesTheSnapshot() async throws {
    let bench = try bench(frames: 25, colour: .bt709)
    let snapshots = Snapshots(fragments: bench.fragments, clock: bench.clock.clock)
    _ = try await snapshots.snapshot()
    bench.sink.cut(video: 1, audio: 1)
    await #expect(throws: PreviewError.noPicture) { try await snapshots.snapshot() }
    bench.stop()
  }

  @Test func damageIsReported() async throws {
    let fragments = Fragments()
    let snapshots = Snapshots(fragments: fragments, clock: .system)
    await #expect(throws: PreviewError.noPicture) { try await snapshots.snapshot() }
    Made.fill(fragments, count: 3)
    await #expect(throws: PreviewError.undecodable) { try await snapshots.snapshot() }
  }
}
