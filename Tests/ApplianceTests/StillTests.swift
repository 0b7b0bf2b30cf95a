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
}
