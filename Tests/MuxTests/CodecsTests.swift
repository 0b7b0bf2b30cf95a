// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Testing

@testable import Mux

struct CodecsTests {
  private func video(_ record: [UInt8]) -> VideoHeader {
    VideoHeader(
      avcConfiguration: record, size: PictureSize(width: 320, height: 180), framesPerSecond: 30,
      bitrateKbps: 1_000)
  }

  private func audio(_ config: [UInt8]) -> AudioHeader {
    AudioHeader(audioSpecificConfig: config, sampleRate: 48_000, channels: 2, bitrateKbps: 96)
  }

  @Test func namesFollowTheHeaders() throws {
    #expect(Codecs.name(of: video([1, 0x64, 0, 0x1F, 0xFF])) == "avc1.64001f")
    #expect(Codecs.name(of: video([1, 0x42, 0xC0, 0x0A])) == "avc1.42c00a")
    #expect(Codecs.name(of: video([])) == nil)
    #expect(Codecs.name(of: audio([0x11, 0x90])) == "mp4a.40.2")
    // HE-AAC is type 5; ELD, type 39, has the long form.
    #expect(Codecs.name(of: audio([5 << 3, 0])) == "mp4a.40.5")
    #expect(Codecs.name(of: audio([0xF8 | 0, 0xE0])) == "mp4a.40.39")
    let header = video([1, 0x64, 0, 0x28])
    #expect(Codecs.names(video: header, audio: audio([0x11, 0x90])) == "avc1.640028,mp4a.40.2")
    #expect(Codecs.names(video: nil, audio: audio([0x11, 0x90])) == "mp4a.40.2")
    #expect(Codecs.names(video: header, audio: nil) == "avc1.640028")
  }
}
