// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import CPNG
import Encode
import Media
import Testing
import Video

@testable import Studio

@Suite struct StillTests {
  /// The limit `Still.maxBuiltInBytes` holds for the built-in images.
  @Test(
    arguments: [StillImage.BuiltIn.pause, .noCamera, .poorNetwork],
    [
      PictureSize(width: 1920, height: 1080), PictureSize(width: 1280, height: 720),
      PictureSize(width: 1080, height: 1920), PictureSize(width: 854, height: 480),
    ])
  func ownImagesNeedNoTrial(_ own: StillImage.BuiltIn, _ size: PictureSize) throws {
    let format = VideoFormat(
      size: size, framesPerSecond: 30, bitrateKbps: 2_000, speed: .veryfast, colour: .bt709)
    let rate = Still.Rate(framesPerSecond: 5, gopNanos: .seconds(4))
    let tried = try Still(try StillImage(own), like: format, rate: rate)
    let known = try Still(try StillImage(own), like: format, rate: rate, isBuiltIn: true)
    #expect(known.format == tried.format)
    #expect(unsafe try Still.keyBytes(known.picture, known.format) <= Still.maxBuiltInBytes)
  }

  /// An odd last row and column are cropped, and the rest of the image is not moved.
  @Test func theImageLivesAsLongAsItIsShown() throws {
    var image = unsafe png_image()
    unsafe image.version = UInt32(PNG_IMAGE_VERSION)
    unsafe image.width = 1_281
    unsafe image.height = 721
    unsafe image.format = UInt32(PNG_FORMAT_GRAY)
    var count = 100_000
    var bytes = [UInt8](repeating: 0, count: count)
    let written = unsafe png_image_write_to_memory(
      &image, &bytes, &count, 0, [UInt8](repeating: 255, count: 1_281 * 721), 0, nil)
    try #require(written != 0)
    let format = VideoFormat(
      size: PictureSize(width: 1_280, height: 720), framesPerSecond: 30, bitrateKbps: 2_000,
      speed: .veryfast, colour: .bt709)
    let still = try Still(
      StillImage(bytes: Array(bytes.prefix(count))), like: format, rate: Still.Rate())
    // Reuse the memory that was freed.
    let others = (0..<4).map { _ in [UInt8](repeating: 3, count: 1_281 * 721 * 3 / 2) }
    #expect(unsafe still.picture.y[719 * still.picture.yStride + 1_279] == 235)
    #expect(others.count == 4)
  }

  /// A still is encoded once and its packets are repeated. They are the same bytes as from an encoder that gets the
  /// still again and again, except for the last byte, in which x264 varies a bit that no decoder reads.
  @Test func repeatedPacketsEqualEncodedOnes() throws {
    let format = VideoFormat(
      size: PictureSize(width: 320, height: 180), framesPerSecond: 30, bitrateKbps: 500,
      speed: .veryfast, colour: .bt709)
    let still = try Still(
      try StillImage(.pause), like: format, rate: Still.Rate(gopNanos: .seconds(2)), isBuiltIn: true
    )
    let encoder = try X264Encoder(still.format)
    var player = try StillPlayer(still)
    #expect(player.header == encoder.header)

    // A short cycle, consecutive keyframes, whole cycles; then all of that again from the cache.
    let keys = [0, 4, 5, 6, 16, 26, 36, 39, 40, 41, 51]
    for index in 0..<61 {
      #expect((still.reel.withLock { $0 } != nil) == (index > 15), "picture \(index)")
      let tag = FrameTag(scene: 3, time: MediaTime(nanos: Int64(index)))
      var shown: (kind: PacketKind, tag: FrameTag, bytes: [UInt8])?
      var wanted: [UInt8] = []
      try player.next(tag, key: keys.contains(index)) {
        shown = ($0.packet.kind, $0.tag, unsafe Array($0.packet.bytes))
        #expect($0.packet.scene == 3)
      }
      try unsafe encoder.encode(still.picture, tag, key: keys.contains(index)) {
        wanted = unsafe Array($0.packet.bytes)
      }
      #expect(shown?.bytes.count == wanted.count, "picture \(index)")
      #expect(shown?.bytes.dropLast() == wanted.dropLast(), "picture \(index)")
      #expect(shown?.kind == (keys.contains(index) ? .keyframe : .frame))
      #expect(shown?.tag == tag)
    }
    #expect(player.needsKeyframe)

    // The second time nothing is encoded.
    var again = try StillPlayer(still)
    #expect(again.needsKeyframe)
    var first: [UInt8] = []
    try again.next(FrameTag(time: .distantPast), key: false) {
      first = unsafe Array($0.packet.bytes)
    }
    #expect(first == still.reel.withLock { $0 }?.keys.first)
  }
}
