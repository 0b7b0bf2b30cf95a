// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// An initialization segment, which a player needs before the fragments: the ftyp and moov boxes of ISO/IEC 14496-12.
public struct Initialization: Sendable {
  /// The number that the store of fragments gives to the initialization segment.
  public var number = 0
  /// The number of the `Epoch` for which the segment was made.
  public var epoch: UInt32
  /// The names of the codecs as in RFC 6381, for Media Source Extensions: "avc1.64001f,mp4a.40.2".
  public var codecs: String
  /// Whether the fragments have a video track.
  public var hasVideo: Bool
  /// The AVCDecoderConfigurationRecord of the video; empty without video.
  public var avcConfiguration: [UInt8]
  /// The ftyp and the moov box.
  public var bytes: [UInt8]
}

/// An MP4 fragment: a moof and an mdat box with some video and audio. The store of fragments sets `number` and the
/// properties of the HLS segment.
public struct Fragment: Sendable {
  /// The fragment's number in the store, which rises by one with each fragment.
  public var number = 0
  /// The number of the fragment's HLS segment; `nil` if earlier fragments of that segment are no longer kept.
  public var segment: Int?
  /// Whether this is the first fragment of its HLS segment.
  public var beginsSegment = false
  /// For the first fragment of an HLS segment: how many times the initialization segment has changed between HLS
  /// segments up to this one. Otherwise 0.
  public var discontinuities = 0
  /// Whether a player can start with this fragment: it begins with a keyframe, or there is no video.
  public var beginsWithKeyframe: Bool
  /// The initialization segment that a player needs before this fragment.
  public var initialization: Initialization
  /// The time of the fragment's first frame; without video, of its first audio packet.
  public var time: MediaTime
  /// Nanoseconds from `time` to the end of the last frame; without video, to the end of the last audio packet.
  public var duration: Int64
  /// The moof and the mdat box.
  public var bytes: [UInt8]
  /// The size of each frame in bytes. The frames are contiguous from the start of the mdat box's content.
  public var frameSizes: [Int]
  /// The lowest scene number (`Packet.scene`) of the fragment's video packets; the highest `UInt32` if there are none.
  public var videoScene: UInt32
  /// The lowest scene number (`Packet.scene`) of the fragment's audio packets; the highest `UInt32` if there are none.
  public var audioScene: UInt32

  /// The end of the last frame; without video, of the last audio packet.
  public var end: MediaTime { time + duration }
}
