// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Encode
import Media

@testable import Preview

/// A packet of a real encoder.
struct EncodedPacket {
  var kind: PacketKind
  var time: MediaTime
  var scene: UInt32 = 0
  var bytes: [UInt8]

  func offer(to sink: some PacketSink) {
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe sink.offer(Packet(kind: kind, time: time, scene: scene, bytes: bytes))
    }
  }
}

/// Packets of x264 and of libavcodec's AAC encoder.
enum Encoded {
  static let small = PictureSize(width: 320, height: 180)
  static let frameNanos: Int64 = 33_333_333

  /// Frame n of 30 a second is uniform, with the luma that `luma` returns for n.
  static func video(
    frames: Int, size: PictureSize = small, from start: MediaTime, scene: UInt32 = 0,
    keyEvery: Int = 30, colour: Colour = .bt709, chroma: (cb: UInt8, cr: UInt8) = (128, 128),
    luma: (Int) -> UInt8 = { UInt8(40 + $0 % 150) }
  ) throws -> (header: VideoHeader, packets: [EncodedPacket]) {
    let encoder = try X264Encoder(
      VideoFormat(
        size: size, framesPerSecond: 30, bitrateKbps: 1_000, speed: .superfast, colour: colour))
    let area = size.width * size.height
    var picture = [UInt8](repeating: chroma.cb, count: area * 3 / 2)
    for index in area + area / 4..<picture.count { picture[index] = chroma.cr }
    var packets: [EncodedPacket] = []
    for frame in 0..<frames {
      for index in 0..<area { picture[index] = luma(frame) }
      try unsafe picture.withUnsafeBufferPointer { buffer in
        guard let base = buffer.baseAddress else { return }
        try unsafe encoder.encode(
          PlanarPicture(i420: base, bytesPerRow: size.width, size: size),
          FrameTag(scene: scene, time: start + Int64(frame) * frameNanos),
          key: frame % keyEvery == 0
        ) { frame in
          packets.append(
            EncodedPacket(
              kind: frame.packet.kind, time: frame.packet.time, scene: frame.packet.scene,
              bytes: unsafe Array(frame.packet.bytes)))
        }
      }
    }
    return (encoder.header, packets)
  }

  /// Packets of noise, 1,024 samples each.
  static func audio(
    packets count: Int, from start: MediaTime, scene: UInt32 = 0
  ) throws -> (header: AudioHeader, packets: [EncodedPacket]) {
    let encoder = try AACEncoder(AudioFormat(channels: 2, bitrateKbps: 96))
    var noise: UInt32 = 1
    var packets: [EncodedPacket] = []
    for block in 0...count {
      let samples = (0..<2_048).map { _ -> Float in
        noise = noise &* 1_664_525 &+ 1_013_904_223
        return Float(noise >> 16) / 655_360 - 0.05
      }
      try unsafe samples.withUnsafeBufferPointer { buffer throws(AudioEncoderError) in
        guard let base = buffer.baseAddress else { return }
        let at = start + PCM.nanos(frames: block * 1_024)
        try unsafe encoder.encode(base, startsAt: at, scene: scene) { packet in
          packets.append(
            EncodedPacket(
              kind: .audio, time: packet.time, scene: packet.scene,
              bytes: unsafe Array(packet.bytes)))
        }
      }
    }
    return (encoder.header, packets)
  }
}
