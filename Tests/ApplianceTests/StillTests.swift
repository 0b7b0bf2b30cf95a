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
    #expect(known.quantizer == tried.quantizer)
    #expect(known.keyBytes <= Still.mostOfOwn)
  }

  /// What is encoded once and shown over and over is, what an encoder makes of a picture that it is given over
  /// and over: byte for byte but for the last, in which x264 varies a bit that no decoder reads.
  @Test func whatIsShownIsAsIfItHadBeenEncoded() throws {
    let format = VideoFormat(
      size: PictureSize(width: 320, height: 180), framesPerSecond: 30, bitrateKbps: 500,
      speed: .veryfast, colour: .bt709)
    let rate = Still.Rate(framesPerSecond: 5, gopNanos: .seconds(2))
    let image = try StillImage(.pause)
    let still = try Still(image, like: format, rate: rate)
    var player = Still.Player(still)

    let stage = PictureStage(size: format.size, rotation: .none, mirror: false, fit: .fit)
    let whole = image.frame(at: .distantPast)
    let picture = try unsafe stage.render(whole)
    var encoded = format
    encoded.framesPerSecond = rate.framesPerSecond
    encoded.colour = whole.format.colour
    encoded.stillQuantizer = still.quantizer
    let encoder = try X264Encoder(encoded)
    #expect(still.header == encoder.header)

    // Whole cycles, short ones, and keyframes that follow each other.
    let keys = [0, 10, 20, 23, 24, 25, 26, 36]
    for index in 0..<47 {
      let (key, introduced) = (keys.contains(index), index == 0 || index == 24)
      let time = MediaTime(nanos: Int64(index))
      var shown: (kind: PacketKind, time: MediaTime, bytes: [UInt8])?
      var wanted: [UInt8] = []
      player.next(time: time, key: key, introduced: introduced) {
        shown = ($0.kind, $0.time, unsafe Array($0.bytes))
      }
      try unsafe encoder.encode(picture, time: time, key: key, introduced: introduced) {
        wanted = unsafe Array($0.bytes)
      }
      #expect(shown?.bytes.count == wanted.count, "picture \(index)")
      #expect(shown?.bytes.dropLast() == wanted.dropLast(), "picture \(index)")
      #expect(shown?.kind == (key ? .keyPicture : .picture))
      #expect(shown?.time == time)
    }
    #expect(player.isOver)
    withExtendedLifetime(stage) {}
    withExtendedLifetime(whole) {}
  }
}
