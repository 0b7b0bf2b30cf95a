// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A piece of the preview stream for a player: an MP4 initialization segment or a fragment.
public struct Chunk: Sendable {
  /// The codecs of an initialization segment as in RFC 6381: "avc1.64001f,mp4a.40.2"; `nil` for a fragment.
  public let codecs: String?
  /// Whether the chunk is a fragment that begins with a keyframe, so that a player can start with it.
  public let beginsWithKeyframe: Bool
  /// The MP4 bytes. All readers share this memory.
  public let bytes: [UInt8]

  /// Whether the chunk is an initialization segment, so that `codecs` is not `nil`.
  public var isInitialization: Bool { codecs != nil }
}
