// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import CTurboJPEG
import TestSupport
import Testing

@testable import Video

/// Motion JPEG, intact and damaged.
struct MotionJPEGTests {
  static let size = PictureSize(width: 32, height: 16)

  /// A 4:2:2 JPEG of a uniform colour: Y 110, Cb 138, Cr 186.
  static let jpeg: [UInt8] = [
    0xFF, 0xD8, 0xFF, 0xE0, 0x00, 0x10, 0x4A, 0x46, 0x49, 0x46, 0x00, 0x01, 0x02, 0x00,
    0x00, 0x01, 0x00, 0x01, 0x00, 0x00, 0xFF, 0xFE, 0x00, 0x10, 0x4C, 0x61, 0x76, 0x63,
    0x35, 0x39, 0x2E, 0x33, 0x37, 0x2E, 0x31, 0x30, 0x30, 0x00, 0xFF, 0xDB, 0x00, 0x43,
    0x00, 0x08, 0x06, 0x06, 0x07, 0x06, 0x07, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x09,
    0x09, 0x09, 0x0A, 0x0A, 0x0A, 0x09, 0x09, 0x09, 0x09, 0x0A, 0x0A, 0x0A, 0x0A, 0x0A,
    0x0A, 0x0C, 0x0C, 0x0C, 0x0A, 0x0A, 0x0A, 0x0A, 0x0A, 0x0A, 0x0A, 0x0C, 0x0C, 0x0C,
    0x0C, 0x0D, 0x0E, 0x0D, 0x0D, 0x0D, 0x0C, 0x0D, 0x0E, 0x0E, 0x0F, 0x0F, 0x0F, 0x12,
    0x12, 0x11, 0x11, 0x15, 0x15, 0x15, 0x19, 0x19, 0x1F, 0xFF, 0xC4, 0x00, 0x4D, 0x00,
    0x01, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x05, 0x01, 0x01, 0x01, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04, 0x06, 0x10, 0x01, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x11, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0xFF, 0xC0, 0x00, 0x11, 0x08, 0x00, 0x10, 0x00, 0x20, 0x03,
    0x01, 0x22, 0x00, 0x02, 0x12, 0x00, 0x03, 0x12, 0x00, 0xFF, 0xDA, 0x00, 0x0C, 0x03,
    0x01, 0x00, 0x02, 0x11, 0x03, 0x11, 0x00, 0x3F, 0x00, 0x9A, 0x02, 0xA1, 0xBA, 0x00,
    0x00, 0x1F, 0xFF, 0xD9,
  ]

  static func stage(_ size: PictureSize = size, rotation: Rotation = .none) -> VideoComposer {
    VideoComposer(Layout(size: size, VideoLook(rotation: rotation), colour: .jpeg))
  }

  @Test func aJPEGIsDecoded() throws {
    let frame = try VideoComposerTests.frame(
      MotionJPEGTests.jpeg, .mjpeg, size: MotionJPEGTests.size, colour: .jpeg)
    let stage = MotionJPEGTests.stage()
    let planes = try VideoComposerTests.planes(of: frame, through: stage)
    #expect(planes.y.joined().allSatisfy { abs(Int($0) - 110) <= 1 })
    #expect(planes.cb.joined().allSatisfy { abs(Int($0) - 138) <= 1 })
    #expect(planes.cr.joined().allSatisfy { abs(Int($0) - 186) <= 1 })
  }

  /// Frames of a camera that was asked for 64x32: luma of the picture in the middle.
  private static func shown(_ bytes: [UInt8], through stage: VideoComposer) throws -> Int {
    let size = PictureSize(width: 64, height: 32)
    try stage.take(VideoComposerTests.frame(bytes, .mjpeg, size: size, colour: .jpeg))
    let picture = unsafe stage.compose(at: .distantPast)
    return Int(unsafe picture.y[16 * picture.yStride + 32])
  }

  private static func refuses(_ bytes: [UInt8]) -> Bool {
    let stage = stage(PictureSize(width: 64, height: 32))
    return (try? shown(bytes, through: stage)) == nil
  }

  /// Some cameras send another size or subsampling than they agreed to, and may change it at any time.
  @Test func aFrameOfAnyShapeIsShown() throws {
    let stage = Self.stage(PictureSize(width: 64, height: 32))
    let expected = try Self.shown(JPEGFile.colour(64, 32), through: stage)
    for (width, height) in [
      (32, 16), (128, 64), (66, 33), (65, 31), (63, 33), (200, 100), (64, 32),
    ] {
      for sampling in [
        TJSAMP_420, TJSAMP_422, TJSAMP_444, TJSAMP_440, TJSAMP_411, TJSAMP_GRAY,
      ] {
        let bytes = JPEGFile.colour(width, height, sampling: sampling)
        let luma = try Self.shown(bytes, through: stage)
        #expect(abs(luma - expected) <= 12, "\(width)x\(height) \(sampling): \(luma)")
      }
    }
    for size in [(1, 1), (1, 40), (40, 1)] {
      #expect(Self.refuses(JPEGFile.colour(size.0, size.1)), "nothing to halve")
    }
    #expect(Self.refuses(JPEGFile.inks(1, 2, 3, 4)), "not Y'CbCr")
  }

  @Test func harmlessFaultsAreNotDamage() throws {
    let stage = Self.stage(PictureSize(width: 64, height: 32))
    let whole = JPEGFile.colour(64, 32, sampling: TJSAMP_422)
    let expected = try Self.shown(whole, through: stage)
    let scan = whole.indices.last { whole[$0] == 0xFF && whole[$0 + 1] == 0xDA } ?? 0
    var oddScan = whole
    // A spectral selection that sequential JPEG does not have.
    oddScan[scan + 3 + Int(whole[scan + 3]) - 2] = 5
    let open = Array(whole.dropLast(2))
    for (name, bytes) in [
      ("no end marker", open), ("padding", whole + [UInt8](repeating: 0, count: 300)),
      ("padding without an end marker", open + [UInt8](repeating: 0, count: 300)),
      ("junk behind", whole + (0..<300).map { UInt8(truncatingIfNeeded: $0 * 77) }),
      ("surplus bytes before the end marker", open + [1, 2, 3, 0xFF, 0xD9]),
      ("odd numbers in the scan's header", oddScan),
      ("fill bytes", open + [0xFF, 0xFF, 0xFF, 0xD9]),
    ] {
      #expect(try Self.shown(bytes, through: stage) == expected, "\(name)")
    }
  }

  /// A scan that was cut off leaves a grey part: such a frame is not shown.
  @Test func aTruncatedScanIsNotShown() throws {
    let whole = JPEGFile.colour(64, 32, sampling: TJSAMP_422)
    for count in stride(from: 4, to: whole.count - 12, by: 7) {
      let cut = Array(whole.prefix(count))
      for tail in [[], [0xFF, 0xD9], [UInt8](repeating: 0, count: 4_000)] {
        #expect(Self.refuses(cut + tail), "\(count) of \(whole.count), and \(tail.count)")
      }
    }
    // A frame that cannot be decoded leaves the last one, and the next one is shown.
    let stage = Self.stage(PictureSize(width: 64, height: 32))
    let before = try Self.shown(whole, through: stage)
    #expect(throws: PictureError.brokenJPEG) {
      try Self.shown(Array(whole.prefix(whole.count / 2)), through: stage)
    }
    let kept = unsafe stage.compose(at: .distantPast)
    #expect(Int(unsafe kept.y[16 * kept.yStride + 32]) == before)
    #expect(try Self.shown(whole, through: stage) == before)
  }

  @Test func damageNeverCrashes() throws {
    let stage = MotionJPEGTests.stage()
    var random = SplitMix64(seed: 7)
    var refused = 0
    for _ in 0..<5_000 {
      var bytes = MotionJPEGTests.jpeg
      if Bool.random(using: &random) {
        bytes.removeLast(.random(in: 1..<bytes.count, using: &random))
      }
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        bytes[.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
      }
      let frame = try VideoComposerTests.frame(
        bytes, .mjpeg, size: MotionJPEGTests.size, colour: .jpeg)
      do { try stage.take(frame) } catch { refused += 1 }
    }
    #expect(refused > 500)
  }
}
