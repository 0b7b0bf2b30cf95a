// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media

@testable import Mux
@testable import Playout
@testable import Preview

/// Fragments and packets without content.
enum Made {
  static let start = MediaTime(nanos: .seconds(1_000_000))
  static let video = VideoHeader(
    avcConfiguration: [1, 0x64, 0, 0x1F, 0xFF, 0xE1, 0, 1, 0x67, 1, 0, 1, 0x68],
    size: PictureSize(width: 320, height: 180), framesPerSecond: 25, bitrateKbps: 500)
  static let audio = AudioHeader(
    audioSpecificConfig: [0x11, 0x90], sampleRate: 48_000, channels: 2, bitrateKbps: 96)

  static var store: Fragments {
    Fragments(
      limits: .init(windowNanos: .seconds(40), maxBytes: 1_000_000, maxSegments: 9),
      listsParts: true)
  }

  /// A part of 500 ms, whose bytes are its time in half seconds after `start`.
  static func part(
    _ index: Int, key: Bool = false, epoch: UInt32 = 1, hasVideo: Bool = true, video: UInt32 = 1
  ) -> Fragment {
    Fragment(
      beginsWithKeyframe: key || !hasVideo,
      initialization: Initialization(
        epoch: epoch, codecs: "avc1.64001f", hasVideo: hasVideo, avcConfiguration: [],
        bytes: [UInt8(epoch)]),
      time: start + .milliseconds(500) * Int64(index), duration: .milliseconds(500),
      bytes: [UInt8(truncatingIfNeeded: index)], frameSizes: [], videoScene: video, audioScene: 1)
  }

  /// Adds parts, of which every fourth begins a segment.
  static func fill(
    _ store: Fragments, _ indices: Range<Int>, epoch: UInt32 = 1, video: UInt32 = 1
  ) {
    for index in indices {
      let isKey = (index - indices.lowerBound) % 4 == 0
      _ = store.append(part(index, key: isKey, epoch: epoch, video: video))
    }
  }

  static func packet(
    _ kind: PacketKind, at millis: Int64, scene: UInt32 = 1, bytes: [UInt8] = [0, 0, 0, 1, 0x65],
    _ body: (Packet) -> Void
  ) {
    unsafe bytes.withUnsafeBytes { bytes in
      body(
        unsafe Packet(
          kind: kind, time: start + .milliseconds(millis), scene: scene, bytes: bytes))
    }
  }

  static func tag(
    _ kind: PacketKind, at millis: Int64, scene: UInt32 = 1, bytes: [UInt8] = [0xAA],
    epoch: Epoch = Epoch(number: 1, video: video, audio: audio)
  ) -> FLVTag {
    unsafe bytes.withUnsafeBytes { bytes in
      let packet = unsafe Packet(
        kind: kind, time: start + .milliseconds(millis), scene: scene, bytes: bytes)
      return FLVTag(packet, in: epoch, storedAt: packet.time)
    }
  }
}
