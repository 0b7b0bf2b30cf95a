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

/// Writes an FLV file.
struct FLVWriter {
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
      bytes += FLVFile.header(hasAudio: tag.epoch.audio != nil, hasVideo: tag.epoch.video != nil)
      // Once: ffprobe 5.1 crashes when a stream is described again.
      append(
        .script,
        FLV.scriptData(video: tag.epoch.video, audio: tag.epoch.audio, encoder: encoder),
        at: tag.time)
    }
    guard tag.time >= origin else { return }
    if epoch != tag.epoch.number {
      epoch = tag.epoch.number
      writeFormats(tag.epoch, at: tag.time)
    }
    append(tag.kind == .audio ? .audio : .video, tag.body, at: tag.time)
  }

  /// The configurations of the stream's decoders.
  private mutating func writeFormats(_ epoch: Epoch, at time: MediaTime) {
    if let video = epoch.video {
      append(.video, FLV.videoHeader(video.avcConfiguration), at: time)
    }
    if let audio = epoch.audio {
      append(.audio, FLV.audioHeader(audio.audioSpecificConfig), at: time)
    }
  }

  private mutating func append(_ tag: FLVFile.Tag, _ body: [UInt8], at time: MediaTime) {
    let milliseconds = UInt32(truncatingIfNeeded: (time - origin + 500_000) / 1_000_000)
    FLVFile.append(tag, body, milliseconds: milliseconds, to: &bytes)
  }
}
