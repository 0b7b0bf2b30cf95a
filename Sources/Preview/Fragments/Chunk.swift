// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

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
