// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Synchronization

@testable import Publish

/// A reproducible random number generator.
struct Noise: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed &* 2 &+ 1 }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }

  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 24) }
  }
}

/// A packet that owns its bytes.
struct Piece: Equatable {
  var kind: PacketKind
  var time: MediaTime
  var bytes: [UInt8]

  func lent<R>(scene: UInt32 = 0, _ body: (Packet) -> R) -> R {
    unsafe bytes.withUnsafeBytes {
      body(unsafe Packet(kind: kind, time: time, scene: scene, bytes: $0))
    }
  }

  /// The FLV body that the server should receive.
  var body: [UInt8] {
    switch kind {
    case .keyframe: [0x17, 1, 0, 0, 0] + bytes
    case .frame: [0x27, 1, 0, 0, 0] + bytes
    case .audio: [0xAF, 1] + bytes
    }
  }
}

enum Sample {
  static var target: RTMPTarget {
    guard let target = try? RTMPTarget(host: "example.org", app: "live", streamKey: "key") else {
      preconditionFailure("the target is valid")
    }
    return target
  }

  /// The SPS and PPS of a 320×180 stream by x264, baseline.
  static let video = VideoHeader(
    avcConfiguration: [
      1, 0x42, 0xC0, 0x0D, 0xFF, 0xE1, 0, 24, 0x67, 0x42, 0xC0, 0x0D, 0xD9, 0x01, 0x41, 0x96,
      0x9E, 0x10, 0, 0, 3, 0, 0x10, 0, 0, 3, 3, 0xC0, 0xF1, 0x42, 0xA4, 0x80, 1, 0, 5, 0x68,
      0xCB, 0x83, 0xCB, 0x20,
    ],
    size: PictureSize(width: 320, height: 180), framesPerSecond: 30, bitrateKbps: 2_000)
  static let audio = AudioHeader(
    audioSpecificConfig: [0x11, 0x90], sampleRate: 48_000, channels: 2, bitrateKbps: 128)

  /// 30 frames and 46.875 audio packets per second, in the order of their timestamps. Every 30th frame is a keyframe,
  /// starting with the first. The sizes of the keyframes include one that just fits into a chunk, one that just does
  /// not, and one of several chunks.
  static func stream(seconds: Int, from start: MediaTime, seed: UInt64 = 1) -> [Piece] {
    var noise = Noise(seed: seed)
    let keyBytes = [59_995, 59_994, 59_996, 119_995, 150_000, 3_000]
    var pieces = (0..<seconds * 30).map { index in
      let isKey = index % 30 == 0
      let count =
        isKey ? keyBytes[index / 30 % keyBytes.count] : 20 + Int(noise.next() % 9_000)
      return Piece(
        kind: isKey ? .keyframe : .frame, time: start + Int64(index) * 1_000_000_000 / 30,
        bytes: noise.bytes(count))
    }
    pieces += (0..<seconds * 47).map { index in
      Piece(
        kind: .audio, time: start + Int64(index) * 1_024_000_000 / 48 + 1_000,
        bytes: noise.bytes(100 + Int(noise.next() % 500)))
    }
    return pieces.sorted { $0.time < $1.time }
  }
}
