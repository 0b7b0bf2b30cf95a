// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media
internal import Mux

/// Makes the RTMP messages of the stream on one connection from packets: FLV bodies, timestamps, sequence headers and
/// metadata.
struct FLVMuxer {
  /// A message that is not made from a packet: metadata or a sequence header, with its body.
  struct Header: Equatable {
    var message: StreamMessage
    var body: [UInt8]
  }

  /// The numbers of the newest formats whose sequence headers were made (see `QueuedPacket.formats`); 0 for none.
  private(set) var announced = FormatNumbers()
  /// Whether the stream has video; otherwise it has audio alone.
  private let hasVideo: Bool
  /// The encoder's name in the metadata.
  private let encoder: String
  /// Makes the messages' timestamps; `nil` before the message of the first packet.
  private var clock: PublishClock?
  /// The video format that the metadata describes; `nil` if there is none.
  private var video: VideoHeader?
  /// The audio format that the metadata describes; `nil` if there is none.
  private var audio: AudioHeader?
  /// Whether only sound follows the last keyframe.
  private var isSoundOnly = false
  /// The body of the last metadata message.
  private var metadata: [UInt8] = []

  /// - Parameter encoder: the encoder's name in the metadata.
  init(hasVideo: Bool, encoder: String) {
    self.hasVideo = hasVideo
    self.encoder = encoder
  }

  /// The messages that have to precede a packet: sequence headers of formats that are new, and the metadata if it has
  /// changed. All have the packet's timestamp.
  /// - Parameters:
  ///   - video: the packet's video format.
  ///   - audio: the audio format that was in force when the packet was queued.
  ///   - start: the capture time of the stream's first packet, which becomes timestamp 0.
  mutating func headers(
    before packet: QueuedPacket, video: VideoHeader?, audio: AudioHeader?, start: MediaTime
  ) -> [Header] {
    // A copy of the clock, so that the packet itself gets the same timestamp afterwards.
    var clock = clock ?? PublishClock(start: start)
    let stamp = packet.isVideo ? clock.video(packet.time) : clock.audio(packet.time)
    func header(_ kind: MessageKind, _ body: [UInt8]) -> Header {
      Header(
        message: StreamMessage(
          kind: kind, bodyBytes: body.count, time: stamp, offeredAt: packet.offeredAt),
        body: body)
    }
    var headers: [Header] = []
    // A new video format is announced before a keyframe, with which a stream with video begins.
    if packet.kind == .keyframe, packet.formats.video > announced.video, let video {
      announced.video = packet.formats.video
      isSoundOnly = video.isSoundOnly
      self.video = video.described(after: self.video)
      headers.append(header(.videoHeader, FLV.videoHeader(video.avcConfiguration)))
    }
    if packet.formats.audio > announced.audio, let audio {
      announced.audio = packet.formats.audio
      self.audio = audio
      headers.append(header(.audioHeader, FLV.audioHeader(audio.audioSpecificConfig)))
    }
    let metadata = FLV.metadata(video: self.video, audio: self.audio, encoder: encoder)
    if metadata != self.metadata {
      self.metadata = metadata
      headers.insert(header(.metadata, metadata), at: 0)
    }
    return headers
  }

  /// The properties of the message that carries a packet.
  /// - Parameter start: the capture time of the stream's first packet, which becomes timestamp 0.
  mutating func message(_ packet: QueuedPacket, start: MediaTime) -> StreamMessage {
    var clock = clock ?? PublishClock(start: start)
    defer { self.clock = clock }
    let kind: MessageKind =
      switch packet.kind {
      case .keyframe: .keyframe
      case .frame: .frame
      case .audio: .audio
      }
    return StreamMessage(
      kind: kind, bodyBytes: FLV.headerBytes(packet.kind) + packet.bytes,
      time: packet.isVideo ? clock.video(packet.time) : clock.audio(packet.time),
      capturedAt: packet.time, isTracked: !hasVideo || isSoundOnly || packet.isVideo,
      offeredAt: packet.offeredAt)
  }

  /// Writes FLV's header directly before a packet's payload.
  /// - Parameter whole: `PacketQueue.headroom` bytes and the payload.
  /// - Returns: the message's body, which is FLV's header and the payload.
  @unsafe static func body(
    of packet: QueuedPacket, _ whole: UnsafeMutableRawBufferPointer
  ) -> UnsafeMutableRawBufferPointer {
    let begin = PacketQueue.headroom - FLV.headerBytes(packet.kind)
    let body = unsafe UnsafeMutableRawBufferPointer(rebasing: whole[begin...])
    unsafe FLV.writeHeader(
      packet.kind, presentationDelay: packet.presentationDelay, to: body)
    return unsafe body
  }
}

extension VideoHeader {
  /// This video format as the metadata states it. `earlier` is the format that the metadata has stated for the same
  /// stream so far; `nil` if there is none. If both have the same size, the higher frame rate and bit rate are stated.
  /// So a change between live video and a still needs no further onMetaData, for each of which some players open a new
  /// subtitle stream.
  fileprivate func described(after earlier: VideoHeader?) -> VideoHeader {
    guard let earlier, earlier.size == size else { return self }
    var both = self
    both.framesPerSecond = max(framesPerSecond, earlier.framesPerSecond)
    both.bitrateKbps = max(bitrateKbps, earlier.bitrateKbps)
    return both
  }
}
