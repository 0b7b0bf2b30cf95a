// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// The numbers of a video format and of an audio format in a sink. A sink numbers its formats in their order, beginning
/// with 1; 0 means no format.
public struct FormatNumbers: Equatable, Sendable {
  /// The number of the video format; 0 for none.
  public var video: UInt32 = 0
  /// The number of the audio format; 0 for none.
  public var audio: UInt32 = 0

  public init(video: UInt32 = 0, audio: UInt32 = 0) {
    self.video = video
    self.audio = audio
  }
}

/// A packet in the `PacketRing` of a sink: its properties, and where its bytes are.
public struct QueuedPacket: Equatable, Sendable {
  /// Whether this is a keyframe, another video frame, or audio.
  public var kind = PacketKind.audio
  /// The codec of the packet.
  public var codec = Codec.aac
  /// The number of the packet's scene (`Packet.scene`).
  public var scene: UInt32 = 0
  /// The index of the packet's track in a sink that has several tracks of audio. 0 in other sinks.
  public var track: UInt8 = 0
  /// The numbers of the formats that were in force when the packet was queued.
  public var formats = FormatNumbers()
  /// The position in the ring's memory at which the packet's headroom begins.
  public var offset = 0
  /// The number of payload bytes. The payload starts `PacketRing.headroom` bytes after `offset`.
  public var bytes = 0
  /// The decoding time (`Packet.time`), which is the capture time unless the encoder reorders frames.
  public var time = MediaTime.distantPast
  /// Nanoseconds from the decoding time to the presentation time; 0 unless the encoder reorders frames.
  public var presentationDelay: Int64 = 0
  /// When the packet was queued.
  public var offeredAt = MediaTime.distantPast
  /// Whether this is the first keyframe of a stream, or of a new scene, as after a cut to a pause. It is sent however
  /// late it is.
  public var isFirstOfScene = false
  /// The number of the packet's epoch: a run of packets with one initialization segment, in a sink that muxes
  /// fragmented MP4. 0 in other sinks.
  public var epoch: UInt32 = 0
  /// Whether a new initialization segment, and so a new `epoch`, begins with this packet.
  public var beginsEpoch = false

  /// Makes the queue entry of a packet that is offered to a sink. Its `offset` is set later, by `PacketRing.add`.
  /// - Parameters:
  ///   - formats: the numbers of the formats that a receiver needs before the packet.
  ///   - offeredAt: when the packet was offered.
  public init(_ packet: Packet, formats: FormatNumbers = FormatNumbers(), offeredAt: MediaTime) {
    kind = packet.kind
    codec = packet.codec
    scene = packet.scene
    self.formats = formats
    bytes = unsafe packet.bytes.count
    time = packet.time
    presentationDelay = packet.presentationDelay
    self.offeredAt = offeredAt
  }

  /// Makes an entry with only these properties, for tests of the rules by which packets are queued and dropped.
  package init(
    kind: PacketKind, bytes: Int = 0, time: MediaTime = .distantPast,
    offeredAt: MediaTime = .distantPast, isFirstOfScene: Bool = false
  ) {
    self.kind = kind
    codec = kind == .audio ? .aac : .h264
    self.bytes = bytes
    self.time = time
    self.offeredAt = offeredAt
    self.isFirstOfScene = isFirstOfScene
  }

  init() {}

  public var isVideo: Bool { kind != .audio }
  /// Whether a receiver has to get newer formats before this packet. A newer format has a higher number.
  /// - Parameter known: the numbers of the newest formats that the receiver has.
  public func needsFormats(beyond known: FormatNumbers) -> Bool {
    switch kind {
    case .keyframe: formats.video > known.video || formats.audio > known.audio
    case .frame: false
    case .audio: formats.audio > known.audio
    }
  }

  /// The time from which the packet's age counts: for video the capture time; for audio the time at which it was
  /// queued, because an audio source may itself be late.
  public var ageSince: MediaTime { isVideo ? time : offeredAt }
}
