// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Testing

@testable import Video

/// The frame that repeats are composed from, and what is drawn on it.
struct VideoBaseTests {
  /// Shows the number of milliseconds as the luma of four pixels.
  private final class Clock: LayerSource, @unchecked Sendable {
    private let buffer = PlaneBuffer(size: PictureSize(width: 2, height: 2))
    private(set) var times: [MediaTime] = []

    @unsafe func picture(
      _ target: LayerTarget, at time: MediaTime, since: MediaTime
    ) -> LayerPicture? {
      times.append(time)
      buffer.blacken(fullRange: false)
      unsafe buffer.planes().y[0] = UInt8(time.nanos / 1_000_000)
      return unsafe LayerPicture(buffer.picture)
    }
  }

  /// A frame from a pool with one buffer, and that pool.
  private static func pooled(_ format: PixelFormat) throws -> (FramePool, VideoComposer) {
    let bytes = VideoComposerTests.bytes(format)
    let pool = FramePool(count: 1, capacity: bytes.count)
    let composer = VideoComposer(Layout(size: VideoComposerTests.size))
    guard let blank = pool.borrow() else { throw PictureError.malformed }
    unsafe blank.bytes.copyBytes(from: bytes)
    try composer.take(
      blank.finish(
        format: FrameFormat(pixelFormat: format, size: VideoComposerTests.size, colour: .bt709),
        capturedAt: MediaTime(nanos: 1)))
    return (pool, composer)
  }

  private static func isFree(_ pool: FramePool) -> Bool {
    switch pool.borrow() {
    case .some: true
    case .none: false
    }
  }

  /// A clock ticks over a frozen camera, and what it drew before is not drawn over.
  @Test(arguments: [PixelFormat.i420, .nv12])
  func aRepeatIsComposedAnewFromTheCleanBase(format: PixelFormat) throws {
    let clock = Clock()
    var composition = Composition()
    var layer = Layer("clock")
    layer.area = LayerArea(x: 0, y: 0, width: 2.0 / 16, height: 2.0 / 8)
    composition.add(layer, clock)
    let composer = VideoComposer(Layout(size: VideoComposerTests.size), composition)
    try composer.take(VideoComposerTests.frame(VideoComposerTests.bytes(format), format))
    for milliseconds in [33, 66, 99] as [UInt8] {
      let time = MediaTime(nanos: Int64(milliseconds) * 1_000_000)
      let planes = unsafe VideoComposerTests.planes(composer.compose(at: time))
      #expect(planes.y[0][0] == milliseconds)
      #expect(
        planes.y[0][2] == VideoComposerTests.Sample.y(2, 0)
          && planes.cr[1][1] == VideoComposerTests.Sample.cr(1, 1))
    }
    #expect(clock.times.map(\.nanos) == [33_000_000, 66_000_000, 99_000_000])
    composer.forget()
    let black = unsafe VideoComposerTests.planes(
      composer.compose(at: MediaTime(nanos: 200_000_000)))
    #expect(black.y[0][0] == 200 && black.y[0][1] == 16)
  }

  /// A driver gets its buffer back at once if the frame was converted, and otherwise when the frame is replaced.
  @Test func onlyAFrameThatIsNotCopiedIsHeld() throws {
    let (converted, first) = try VideoBaseTests.pooled(.nv12)
    #expect(VideoBaseTests.isFree(converted))
    let (passed, second) = try VideoBaseTests.pooled(.i420)
    #expect(!VideoBaseTests.isFree(passed))
    second.forget()
    #expect(VideoBaseTests.isFree(passed))
    #expect(first.hasPicture && !second.hasPicture)
  }

  /// Half of a JPEG is decoded before the damage is found.
  @Test func aFrameThatCannotBeDecodedLeavesTheBaseWhole() throws {
    let composer = MotionJPEGTests.stage()
    try composer.take(
      VideoComposerTests.frame(
        MotionJPEGTests.jpeg, .mjpeg, size: MotionJPEGTests.size, colour: .jpeg))
    let before = unsafe VideoComposerTests.planes(
      composer.compose(at: .distantPast))
    for damage in [2, 20] {
      let broken = try VideoComposerTests.frame(
        Array(MotionJPEGTests.jpeg.dropLast(damage)), .mjpeg, size: MotionJPEGTests.size,
        colour: .jpeg)
      let isReadable = composer.canRead(broken)
      #expect(damage < 3 || !isReadable)
      do { try composer.take(broken) } catch { #expect(error == .brokenJPEG) }
      let other = try VideoComposerTests.frame(
        [UInt8](repeating: 1, count: 24 * 10), .mjpeg, size: MotionJPEGTests.size, colour: .jpeg)
      let isOtherReadable = composer.canRead(other)
      #expect(!isOtherReadable)
      let after = unsafe VideoComposerTests.planes(
        composer.compose(at: .distantPast))
      #expect(before.y == after.y)
    }
  }

  /// The last frame is placed again, without a new one.
  @Test(arguments: [PixelFormat.i420, .yuyv])
  func aChangeOfTheLayoutKeepsTheBase(format: PixelFormat) throws {
    let composer = VideoComposer(Layout(size: VideoComposerTests.size))
    try composer.take(VideoComposerTests.frame(VideoComposerTests.bytes(format), format))
    composer.change(Layout(size: PictureSize(width: 8, height: 16), VideoLook(rotation: .quarter)))
    let planes = unsafe VideoComposerTests.planes(
      composer.compose(at: .distantPast))
    #expect(
      planes.y
        == VideoComposerTests.expected(VideoComposerTests.Sample.y, 16, 8, .quarter, mirror: false))
  }
}
