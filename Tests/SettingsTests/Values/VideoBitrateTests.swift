// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import Settings

@Suite struct VideoBitrateTests {
  @Test(arguments: [
    ("640x360", 30, 800), ("854x480", 30, 1_000), ("960x540", 30, 1_200), ("1280x720", 30, 2_000),
    ("1920x1080", 30, 4_500), ("360x640", 30, 800), ("1280x720", 25, 2_000),
    ("1280x720", 24, 2_000),
    ("1280x720", 60, 3_000), ("1280x720", 12, 1_350), ("1600x900", 30, 3_150), ("160x90", 30, 100),
  ])
  func itFollowsTheSize(_ size: String, _ fps: Int, _ kbps: Int) throws {
    let video = try load("video.size = '\(size)'\nvideo.fps = \(fps)").settings.video
    #expect(video.bitrateKbps == 0)
    #expect(video.targetKbps == kbps)
    #expect(try load("video.bitrate_kbps = 700").settings.video.targetKbps == 700)
  }

  @Test func aLargerPictureAndMoreFramesNeverGetLess() {
    var last = 0
    for height in stride(from: 90, through: 1_080, by: 2) {
      let kbps = VideoBitrate.kbps(
        .init(width: height * 16 / 9, height: height), framesPerSecond: 30)
      #expect(kbps >= last && VideoBitrate.allowed.contains(kbps))
      last = kbps
    }
    last = 0
    for fps in 5...60 {
      let kbps = VideoBitrate.kbps(.init(width: 1_280, height: 720), framesPerSecond: fps)
      #expect(kbps >= last)
      last = kbps
    }
  }
}
