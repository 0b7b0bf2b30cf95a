// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// What a player needs before the fragments: ftyp and moov boxes of ISO/IEC 14496-12.
public struct Initialization: Sendable {
  /// Its number in a store that keeps fragments.
  public var number = 0
  /// The epoch that it was made for.
  public var epoch: UInt32
  /// As in RFC 6381, for Media Source: "avc1.64001f,mp4a.40.2".
  public var codecs: String
  public var hasVideo: Bool
  /// AVCDecoderConfigurationRecord; empty without video.
  public var avcConfiguration: [UInt8]
  public var bytes: [UInt8]
}

/// A moof and an mdat box with some video and audio, and its place in a store that keeps fragments.
public struct Fragment: Sendable {
  /// Rises by one with each fragment.
  public var number = 0
  /// The HLS segment that it belongs to; `nil` if the beginning of that segment was cut away.
  public var segment: Int?
  /// Whether it is the first of that segment.
  public var beginsSegment = false
  /// How many times the initialization has changed from segment to segment, if it is the first of one.
  public var discontinuities = 0
  /// A player can start with it.
  public var beginsWithKeyframe: Bool
  public var initialization: Initialization
  /// The time of its first frame; without video, of its first audio packet.
  public var time: MediaTime
  /// Nanoseconds to the end of its last frame; without video, of its last audio packet.
  public var duration: Int64
  public var bytes: [UInt8]
  /// The lengths of the frames, which follow each other from the start of the mdat box's content.
  public var frames: [Int]
  /// The earliest scenes of its packets; the highest number if it has none of that kind.
  public var videoScene: UInt32
  public var audioScene: UInt32

  public var end: MediaTime { time + duration }
}
