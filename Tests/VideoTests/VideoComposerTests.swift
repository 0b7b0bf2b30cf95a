// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Testing

@testable import Video

/// Small frames in every format, compared pixel by pixel with a simple second implementation.
struct VideoComposerTests {
  static let size = PictureSize(width: 16, height: 8)

  /// A frame in which all luma samples differ, and all chroma samples of a plane.
  struct Sample {
    static func y(_ x: Int, _ y: Int) -> UInt8 { UInt8(x * 8 + y) }
    static func cb(_ x: Int, _ y: Int) -> UInt8 { UInt8(100 + x * 4 + y) }
    static func cr(_ x: Int, _ y: Int) -> UInt8 { UInt8(180 + x * 4 + y) }
  }

  /// The sample frame in a format, with `padding` bytes after each row.
  static func bytes(_ format: PixelFormat, padding: Int = 0) -> [UInt8] {
    var out: [UInt8] = []
    let spare = [UInt8](repeating: 7, count: padding)
    let (w, h) = (size.width, size.height)
    switch format {
    case .i420, .nv12, .nv21:
      for y in 0..<h { out += (0..<w).map { Sample.y($0, y) } + spare }
      for y in 0..<h / 2 where format != .i420 {
        for x in 0..<w / 2 {
          let pair = [Sample.cb(x, y), Sample.cr(x, y)]
          out += format == .nv12 ? pair : pair.reversed()
        }
        out += spare
      }
      for plane in [Sample.cb, Sample.cr] where format == .i420 {
        for y in 0..<h / 2 {
          out += (0..<w / 2).map { plane($0, y) } + [UInt8](repeating: 7, count: padding / 2)
        }
      }
    case .yuyv, .uyvy:
      for y in 0..<h {
        for x in 0..<w / 2 {
          let (cb, cr) = (Sample.cb(x, y / 2), Sample.cr(x, y / 2))
          let (a, b) = (Sample.y(x * 2, y), Sample.y(x * 2 + 1, y))
          out += format == .yuyv ? [a, cb, b, cr] : [cb, a, cr, b]
        }
        out += spare
      }
    case .mjpeg: break
    }
    return out
  }

  static func frame(
    _ bytes: [UInt8], _ format: PixelFormat, size: PictureSize = size, bytesPerRow: Int? = nil,
    colour: Colour = .bt709
  ) throws -> Frame {
    guard let blank = FramePool(count: 1, capacity: bytes.count).borrow() else {
      throw PictureError.malformed
    }
    unsafe blank.bytes.copyBytes(from: bytes)
    return blank.finish(
      format: FrameFormat(
        pixelFormat: format, size: size, bytesPerRow: bytesPerRow, colour: colour),
      capturedAt: MediaTime(nanos: 1), byteCount: bytes.count)
  }

  /// Copies the three planes, row by row.
  static func planes(_ picture: PlanarPicture) -> (y: [[UInt8]], cb: [[UInt8]], cr: [[UInt8]]) {
    let (w, h) = unsafe (picture.size.width, picture.size.height)
    func rows(_ base: UnsafePointer<UInt8>, _ stride: Int, _ w: Int, _ h: Int) -> [[UInt8]] {
      (0..<h).map { row in
        unsafe Array(UnsafeBufferPointer(start: base + row * stride, count: w))
      }
    }
    return unsafe (
      rows(picture.y, picture.yStride, w, h),
      rows(picture.cb, picture.chromaStride, w / 2, h / 2),
      rows(picture.cr, picture.chromaStride, w / 2, h / 2)
    )
  }

  /// Takes a frame, and copies what is composed of it.
  static func planes(
    of frame: consuming Frame, through stage: VideoComposer
  ) throws -> (y: [[UInt8]], cb: [[UInt8]], cr: [[UInt8]]) {
    try stage.take(frame)
    let planes = unsafe planes(stage.compose(at: .distantPast))
    withExtendedLifetime(stage) {}
    return planes
  }

  /// The expected plane after a rotation and mirroring.
  static func expected(
    _ source: (Int, Int) -> UInt8, _ w: Int, _ h: Int, _ rotation: Rotation, mirror: Bool
  ) -> [[UInt8]] {
    let (ow, oh) = rotation.swapsSides ? (h, w) : (w, h)
    return (0..<oh).map { oy in
      (0..<ow).map { column in
        let ox = mirror ? ow - 1 - column : column
        // Where the pixel at (ox, oy) was before the clockwise rotation.
        switch rotation {
        case .none: return source(ox, oy)
        case .quarter: return source(oy, h - 1 - ox)
        case .half: return source(w - 1 - ox, h - 1 - oy)
        case .threeQuarters: return source(w - 1 - oy, ox)
        }
      }
    }
  }

  @Test(arguments: [PixelFormat.i420, .nv12, .nv21, .yuyv, .uyvy], [0, 8])
  func everyFormatInEveryRotationAndMirrored(format: PixelFormat, padding: Int) throws {
    let (w, h) = (VideoComposerTests.size.width, VideoComposerTests.size.height)
    for rotation in Rotation.allCases {
      for mirror in [false, true] {
        let out =
          rotation.swapsSides ? PictureSize(width: h, height: w) : VideoComposerTests.size
        let stage = VideoComposer(
          Layout(size: out, VideoLook(rotation: rotation, mirror: mirror)))
        let row = (format == .yuyv || format == .uyvy ? 2 * w : w) + padding
        let frame = try VideoComposerTests.frame(
          VideoComposerTests.bytes(format, padding: padding), format, bytesPerRow: row)
        let planes = try VideoComposerTests.planes(of: frame, through: stage)
        let name: Comment = "\(format) \(rotation) mirror \(mirror)"
        #expect(
          planes.y == VideoComposerTests.expected(Sample.y, w, h, rotation, mirror: mirror), name)
        #expect(
          planes.cb
            == VideoComposerTests.expected(Sample.cb, w / 2, h / 2, rotation, mirror: mirror),
          name)
        #expect(
          planes.cr
            == VideoComposerTests.expected(Sample.cr, w / 2, h / 2, rotation, mirror: mirror),
          name)
      }
    }
  }

  /// A camera that is mounted sideways: the frame is rotated, then scaled to fit between bars.
  @Test(arguments: Rotation.allCases, [false, true])
  func aRotatedFrameIsScaledBetweenBars(rotation: Rotation, mirror: Bool) throws {
    // Only the upper left quarter of the source is bright.
    let (w, h) = (64, 32)
    let luma = (0..<w * h).map { UInt8($0 % w < w / 2 && $0 / w < h / 2 ? 235 : 100) }
    let frame = try VideoComposerTests.frame(
      luma + [UInt8](repeating: 128, count: w * h / 2), .nv12,
      size: PictureSize(width: w, height: h))
    let out = PictureSize(width: 32, height: 32)
    let stage = VideoComposer(
      Layout(size: out, VideoLook(rotation: rotation, mirror: mirror)))
    let planes = try VideoComposerTests.planes(of: frame, through: stage)
    let upright = VideoComposerTests.expected(
      { luma[$1 * w + $0] }, w, h, rotation, mirror: mirror)
    let isTall = rotation.swapsSides
    // 32x16 or 16x32, with bars of 8 pixels on both sides. The filter may blur the edges of the quarter.
    for (x, y) in [(1, 1), (1, 30), (30, 1), (30, 30), (1, 10), (10, 1), (10, 10), (20, 20)] {
      let (across, down) = isTall ? (x - 8, y) : (x, y - 8)
      let isBar = isTall ? !(0..<16).contains(across) : !(0..<16).contains(down)
      let expected = isBar ? 16 : upright[down * 2][across * 2]
      #expect(planes.y[y][x] == expected, "\(x), \(y)")
    }
  }

  @Test func aFrameThatFitsIsNotCopied() throws {
    let stage = VideoComposer(Layout(size: VideoComposerTests.size, VideoLook(fit: .fit)))
    let frame = try VideoComposerTests.frame(VideoComposerTests.bytes(.i420), .i420)
    let bytes = unsafe frame.bytes.baseAddress
    try stage.take(frame)
    for _ in 0..<2 {
      let picture = unsafe stage.compose(at: .distantPast)
      #expect(unsafe UnsafeRawPointer(picture.y) == bytes)
    }
  }

  @Test(arguments: [false, true])
  func barsAreBlackInTheColourOfTheFrame(fullRange: Bool) throws {
    let colour: Colour = fullRange ? .jpeg : .bt709
    let stage = VideoComposer(
      Layout(size: PictureSize(width: 32, height: 8), VideoLook(fit: .fit), colour: colour))
    let frame = try VideoComposerTests.frame(VideoComposerTests.bytes(.i420), .i420, colour: colour)
    let planes = try VideoComposerTests.planes(of: frame, through: stage)
    let black: UInt8 = fullRange ? 0 : 16
    for row in 0..<8 {
      #expect(planes.y[row][..<8].allSatisfy { $0 == black })
      #expect(planes.y[row][24...].allSatisfy { $0 == black })
      #expect(Array(planes.y[row][8..<24]) == (0..<16).map { Sample.y($0, row) })
    }
    #expect(planes.cb[0][0] == 128 && planes.cb[0][4] == Sample.cb(0, 0))
  }

  @Test func barsArePaintedAgainAfterBlack() throws {
    let stage = VideoComposer(Layout(size: PictureSize(width: 32, height: 8), VideoLook(fit: .fit)))
    let frame = try VideoComposerTests.frame(VideoComposerTests.bytes(.nv12), .nv12)
    try stage.take(frame)
    stage.forget()
    let black = unsafe VideoComposerTests.planes(stage.compose(at: .distantPast))
    #expect(black.y.joined().allSatisfy { $0 == 16 })
    let again = try VideoComposerTests.frame(VideoComposerTests.bytes(.nv12), .nv12)
    let planes = try VideoComposerTests.planes(of: again, through: stage)
    #expect(planes.y[0][0] == 16 && planes.y[0][8] == Sample.y(0, 0))
  }

  @Test func fillingCropsBothSidesEqually() throws {
    let stage = VideoComposer(Layout(size: PictureSize(width: 8, height: 8), VideoLook(fit: .fill)))
    let frame = try VideoComposerTests.frame(VideoComposerTests.bytes(.yuyv), .yuyv)
    let planes = try VideoComposerTests.planes(of: frame, through: stage)
    #expect(planes.y[3] == (4..<12).map { Sample.y($0, 3) })
    #expect(planes.cr[1] == (2..<6).map { Sample.cr($0, 1) })
  }

  @Test func scalingKeepsAUniformColour() throws {
    let flat = [UInt8](repeating: 200, count: 128) + [UInt8](repeating: 90, count: 64)
    let stage = VideoComposer(
      Layout(size: PictureSize(width: 34, height: 50), VideoLook(fit: .stretch)))
    let frame = try VideoComposerTests.frame(flat, .nv12)
    let planes = try VideoComposerTests.planes(of: frame, through: stage)
    #expect(planes.y.joined().allSatisfy { $0 == 200 })
    #expect(planes.cb.joined().allSatisfy { $0 == 90 })
  }

  @Test func framesWithTooFewBytesAreRefused() throws {
    let stage = VideoComposer(Layout(size: VideoComposerTests.size, VideoLook(fit: .fit)))
    for format in PixelFormat.allCases where format != .mjpeg {
      let short = Array(VideoComposerTests.bytes(format).dropLast())
      #expect(throws: PictureError.malformed) {
        try stage.take(VideoComposerTests.frame(short, format))
      }
    }
  }
}
