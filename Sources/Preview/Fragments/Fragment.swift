// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// What a player needs before the fragments: ftyp and moov boxes of ISO/IEC 14496-12.
struct Initialization: Sendable {
  /// Its number in the store.
  var number = 0
  /// The epoch of the sink that it was made for.
  var epoch: UInt32
  /// As in RFC 6381, for Media Source: "avc1.64001f,mp4a.40.2".
  var codecs: String
  var hasVideo: Bool
  /// AVCDecoderConfigurationRecord; empty without video.
  var avcConfiguration: [UInt8]
  var bytes: [UInt8]
}

/// A moof and an mdat box with about 200 ms of video and audio.
struct Fragment: Sendable {
  /// Rises by one with each fragment.
  var number = 0
  /// The HLS segment that it belongs to; `nil` if the beginning of that segment was cut away.
  var segment: Int?
  /// Whether it is the first of that segment.
  var beginsSegment = false
  /// How many times the initialization has changed from segment to segment, if it is the first of one.
  var discontinuities = 0
  /// A player can start with it.
  var beginsWithKeyframe: Bool
  var initialization: Initialization
  /// The time of its first frame; without video, of its first audio packet.
  var time: MediaTime
  /// Nanoseconds to the end of its last frame; without video, of its last audio packet.
  var duration: Int64
  var bytes: [UInt8]
  /// The lengths of the frames, which follow each other from the start of the mdat box's content.
  var frames: [Int]
  /// The earliest scenes of its packets; the highest number if it has none of that kind.
  var videoScene: UInt32
  var audioScene: UInt32

  var end: MediaTime { time + duration }
}

/// A piece of the stream for a player: an initialization segment or a fragment.
public struct Chunk: Sendable {
  /// The codecs as in RFC 6381, if it is an initialization segment: "avc1.64001f,mp4a.40.2".
  public let codecs: String?
  /// Whether a player can start with it.
  public let beginsWithKeyframe: Bool
  /// All readers share this memory.
  public let bytes: [UInt8]

  /// An initialization segment: the player has to be told of the codecs before.
  public var isInitialization: Bool { codecs != nil }
}
