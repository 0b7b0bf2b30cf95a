// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Media

/// The scene number and the times of a frame. A video encoder emits this tag together with the frame's packet, which
/// may come some frames later.
public struct FrameTag: Equatable, Sendable {
  /// The number of the frame's scene (`Packet.scene`).
  public var scene: UInt32
  /// The presentation time: the capture time as `FrameClock` has adjusted it.
  public var time: MediaTime
  /// When the frame arrived from its source; `nil` for a repeat of an earlier frame.
  public var arrivedAt: MediaTime?

  public init(scene: UInt32 = 0, time: MediaTime, arrivedAt: MediaTime? = nil) {
    self.scene = scene
    self.time = time
    self.arrivedAt = arrivedAt
  }
}

/// A packet that a video encoder has emitted, with the tag of its frame.
public struct EncodedFrame {
  /// The encoded frame.
  public let packet: Packet
  /// The scene and the times that were passed to the encoder with the frame.
  public let tag: FrameTag

  /// - Parameters:
  ///   - decodedAt: the decoding time, which rises strictly from packet to packet and is never later than the
  ///     presentation time. `nil` if the two are equal, as they are unless the encoder reorders frames.
  ///   - bytes: the encoded bytes, valid only during the call that receives the `EncodedFrame`.
  @unsafe public init(
    _ kind: PacketKind, _ tag: FrameTag, decodedAt: MediaTime? = nil, bytes: UnsafeRawBufferPointer
  ) {
    self.tag = tag
    let time = decodedAt ?? tag.time
    packet = unsafe Packet(
      kind: kind, time: time, presentationDelay: tag.time - time, scene: tag.scene, bytes: bytes)
  }
}

/// Keeps the tags of frames until an encoder library returns the frames' packets. The library returns only a number
/// with each packet, such as x264's `i_pts` or the timestamp of a V4L2 buffer. All memory is allocated at the start.
public struct HeldTags {
  /// The most frames that an encoder may hold before it returns their packets.
  public static let capacity = 64

  /// The kept tags. The tag with the number n is at the index n modulo `capacity`.
  private var tags = [FrameTag?](repeating: nil, count: capacity)
  /// The number for the next tag that is kept.
  private var next: Int64 = 0
  /// How many tags are kept.
  public private(set) var count = 0

  public init() {}

  /// Keeps the tag of a frame that is passed to the library.
  /// - Returns: the number to pass to the library with the frame. Each is one higher than the last.
  public mutating func keep(_ tag: FrameTag) -> Int64 {
    defer { next += 1 }
    if tags[slot(next)] == nil { count += 1 }
    tags[slot(next)] = tag
    return next
  }

  /// Removes and returns the tag that was kept under a number.
  /// - Returns: `nil` if there is no such tag. The packet's scene number is then unknown, so the packet must be
  ///   discarded.
  public mutating func take(_ number: Int64) -> FrameTag? {
    guard number < next, number >= max(0, next - Int64(HeldTags.capacity)) else { return nil }
    defer { tags[slot(number)] = nil }
    if tags[slot(number)] != nil { count -= 1 }
    return tags[slot(number)]
  }

  /// The index in `tags` of the tag with this number.
  private func slot(_ number: Int64) -> Int { Int(number) % HeldTags.capacity }
}
