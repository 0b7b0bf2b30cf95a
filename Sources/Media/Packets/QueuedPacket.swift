// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// Numbers of a video and an audio format, as a sink counts them; 0 for none.
public struct FormatNumbers: Equatable, Sendable {
  public var video: UInt32 = 0
  public var audio: UInt32 = 0

  public init(video: UInt32 = 0, audio: UInt32 = 0) {
    self.video = video
    self.audio = audio
  }
}

/// A packet in a sink's ring.
public struct QueuedPacket: Equatable, Sendable {
  public var kind = PacketKind.audio
  public var codec = Codec.aac
  /// Number of its scene (`Packet.scene`).
  public var scene: UInt32 = 0
  /// Numbers of the formats in force when it was queued.
  public var formats = FormatNumbers()
  /// Offset of its headroom in the ring.
  public var offset = 0
  /// Bytes of its payload, which starts `PacketRing.headroom` bytes after `offset`.
  public var bytes = 0
  /// Capture time.
  public var time = MediaTime.distantPast
  /// As `Packet.presentationDelay`.
  public var presentationDelay: Int64 = 0
  /// When it was queued.
  public var offeredAt = MediaTime.distantPast
  /// The first keyframe of a new scene. It is sent however late it is.
  public var isFirstOfScene = false
  /// For a sink that divides the stream: the number of the part, and whether that begins with this packet.
  public var epoch: UInt32 = 0
  public var beginsEpoch = false

  /// As it was offered.
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

  /// For tests of decisions about packets.
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
  /// Whether a receiver that has the `known` formats needs those of this packet first. Each format's number is higher
  /// than the one before.
  public func needsFormats(beyond known: FormatNumbers) -> Bool {
    switch kind {
    case .keyframe: formats.video > known.video || formats.audio > known.audio
    case .frame: false
    case .audio: formats.audio > known.audio
    }
  }

  /// The start of its age. Not the capture time for audio, because an audio source may itself be late.
  public var ageSince: MediaTime { isVideo ? time : offeredAt }
}
