// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Encode
import Media
import Picture
import Testing

@testable import Appliance

@Suite struct StillTests {
  /// What `Still.mostOfOwn` says of the program's own images.
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
    let known = try Still(try StillImage(own), like: format, rate: rate, isOwn: true)
    #expect(known.format == tried.format)
    #expect(unsafe try Still.keyBytes(known.picture, known.format) <= Still.mostOfOwn)
  }

  /// What is encoded once and shown over and over is what an encoder makes of a picture that it is given over
  /// and over: byte for byte but for the last, in which x264 varies a bit that no decoder reads.
  @Test func whatIsShownIsAsIfItHadBeenEncoded() throws {
    let format = VideoFormat(
      size: PictureSize(width: 320, height: 180), framesPerSecond: 30, bitrateKbps: 500,
      speed: .veryfast, colour: .bt709)
    let still = try Still(
      try StillImage(.pause), like: format, rate: Still.Rate(gopNanos: .seconds(2)), isOwn: true)
    let encoder = try X264Encoder(still.format)
    var player = try StillPlayer(still)
    #expect(player.header == encoder.header)

    // A short cycle, keyframes that follow each other, whole cycles; then all that again from what is kept.
    let keys = [0, 4, 5, 6, 16, 26, 36, 39, 40, 41, 51]
    for index in 0..<61 {
      #expect((still.reel.withLock { $0 } != nil) == (index > 15), "picture \(index)")
      let time = MediaTime(nanos: Int64(index))
      var shown: (kind: PacketKind, time: MediaTime, bytes: [UInt8])?
      var wanted: [UInt8] = []
      try player.next(time: time, key: keys.contains(index)) {
        shown = ($0.kind, $0.time, unsafe Array($0.bytes))
      }
      try unsafe encoder.encode(still.picture, time: time, key: keys.contains(index)) {
        wanted = unsafe Array($0.bytes)
      }
      #expect(shown?.bytes.count == wanted.count, "picture \(index)")
      #expect(shown?.bytes.dropLast() == wanted.dropLast(), "picture \(index)")
      #expect(shown?.kind == (keys.contains(index) ? .keyPicture : .picture))
      #expect(shown?.time == time)
    }
    #expect(player.isOver)

    // The next time nothing is encoded.
    var again = try StillPlayer(still)
    #expect(again.isOver)
    var first: [UInt8] = []
    try again.next(time: .distantPast, key: false) { first = unsafe Array($0.bytes) }
    #expect(first == still.reel.withLock { $0 }?.keys.first)
  }
}
