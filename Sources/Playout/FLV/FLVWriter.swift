// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media
internal import Mux

/// A video frame or an audio packet for the viewers of HTTP-FLV, with the formats that a player needs before it.
struct FLVTag: Sendable {
  /// The number of the tag in the store, which rises with each tag.
  var number = 0
  let kind: PacketKind
  /// The number of the scene that the packet belongs to (`Packet.scene`).
  let scene: UInt32
  /// The time of the packet (`Packet.time`).
  let time: MediaTime
  /// When the tag was stored.
  let storedAt: MediaTime
  /// The formats of the stream.
  let epoch: Epoch
  /// The body of the tag. All readers share this memory.
  let body: [UInt8]

  init(_ packet: Packet, in epoch: Epoch, storedAt: MediaTime) {
    kind = packet.kind
    scene = packet.scene
    time = packet.time
    self.storedAt = storedAt
    self.epoch = epoch
    let headerBytes = FLV.headerBytes(packet.kind)
    body = unsafe [UInt8](unsafeUninitializedCapacity: headerBytes + packet.bytes.count) {
      buffer, count in
      let bytes = UnsafeMutableRawBufferPointer(buffer)
      unsafe FLV.writeHeader(packet.kind, presentationDelay: packet.presentationDelay, to: bytes)
      unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[headerBytes...])
        .copyMemory(from: packet.bytes)
      count = buffer.count
    }
  }

  /// Whether a player can begin with the tag: it is a keyframe, or there is no video.
  var beginsStream: Bool { kind == .keyframe || epoch.video == nil }
}

/// Writes an FLV file (Adobe's "Video File Format Specification" version 10.1, annex E).
struct FLVWriter {
  /// TagType (E.4.1).
  private static let audioTag: UInt8 = 8, videoTag: UInt8 = 9, scriptTag: UInt8 = 18

  /// The program's name and version, for the description of the stream.
  let encoder: String
  /// The number of the epoch whose formats were written last; `nil` at the beginning of the file.
  private var epoch: UInt32?
  /// The time that has the timestamp 0.
  private var origin = MediaTime.distantPast
  /// The bytes that `take` returns next.
  private var bytes: [UInt8] = []

  init(encoder: String) { self.encoder = encoder }

  /// The number of bytes that wait for `take`.
  var count: Int { bytes.count }

  /// Returns what was written since the last call.
  mutating func take() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }

  /// Writes a tag: at first with the header of the file, and where the formats change with these. The first tag has the
  /// timestamp 0; audio from before it is left out.
  mutating func write(_ tag: FLVTag) {
    if epoch == nil {
      origin = tag.time
      writeHeader(tag.epoch)
      // Once: ffprobe 5.1 crashes when a stream is described again.
      append(
        FLVWriter.scriptTag,
        FLV.scriptData(video: tag.epoch.video, audio: tag.epoch.audio, encoder: encoder),
        at: tag.time)
    }
    guard tag.time >= origin else { return }
    if epoch != tag.epoch.number {
      epoch = tag.epoch.number
      writeFormats(tag.epoch, at: tag.time)
    }
    append(tag.kind == .audio ? FLVWriter.audioTag : FLVWriter.videoTag, tag.body, at: tag.time)
  }

  /// The header of the file (E.2), and the size of the tag before the first, which is 0.
  private mutating func writeHeader(_ epoch: Epoch) {
    let flags: UInt8 = (epoch.audio == nil ? 0 : 4) | (epoch.video == nil ? 0 : 1)
    bytes += [0x46, 0x4C, 0x56, 1, flags, 0, 0, 0, 9, 0, 0, 0, 0]
  }

  /// The configurations of the stream's decoders.
  private mutating func writeFormats(_ epoch: Epoch, at time: MediaTime) {
    if let video = epoch.video {
      append(FLVWriter.videoTag, FLV.videoHeader(video.avcConfiguration), at: time)
    }
    if let audio = epoch.audio {
      append(FLVWriter.audioTag, FLV.audioHeader(audio.audioSpecificConfig), at: time)
    }
  }

  /// Appends an FLVTAG (E.4.1), and its size.
  private mutating func append(_ type: UInt8, _ body: [UInt8], at time: MediaTime) {
    let milliseconds = UInt32(truncatingIfNeeded: (time - origin + 500_000) / 1_000_000)
    let stamp = AMF0.bigEndian(milliseconds)
    bytes.append(type)
    bytes += AMF0.bigEndian(UInt32(body.count)).dropFirst()
    // The highest 8 of the 32 bits come last (TimestampExtended), then StreamID, which is 0.
    bytes += [stamp[1], stamp[2], stamp[3], stamp[0], 0, 0, 0]
    bytes += body
    bytes += AMF0.bigEndian(UInt32(11 + body.count))
  }
}
