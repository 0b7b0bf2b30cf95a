// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Media

/// What goes through a video encoder with a frame and comes out with its packet, however late that is.
public struct FrameTag: Equatable, Sendable {
  /// Number of the scene that the frame is of (`Packet.scene`).
  public var scene: UInt32
  /// The presentation time: that of the capture, as `FrameClock` has stamped it.
  public var time: MediaTime
  /// When the frame came from its source; `nil` if it is shown once more.
  public var arrivedAt: MediaTime?

  public init(scene: UInt32 = 0, time: MediaTime, arrivedAt: MediaTime? = nil) {
    self.scene = scene
    self.time = time
    self.arrivedAt = arrivedAt
  }
}

/// An encoder's answer: the packet of one frame, with the scene and the time of that frame.
public struct EncodedFrame {
  public let packet: Packet
  public let tag: FrameTag

  /// - Parameters:
  ///   - decodedAt: for an encoder that reorders frames: rises strictly from packet to packet, and is never later than
  ///     the presentation. `nil` for the time of the presentation.
  ///   - bytes: valid during the call that receives the value.
  @unsafe public init(
    _ kind: PacketKind, _ tag: FrameTag, decodedAt: MediaTime? = nil, bytes: UnsafeRawBufferPointer
  ) {
    self.tag = tag
    let time = decodedAt ?? tag.time
    packet = unsafe Packet(
      kind: kind, time: time, presentationDelay: tag.time - time, scene: tag.scene, bytes: bytes)
  }
}

/// The tags of the frames that an encoder library holds. The library carries only a number with each frame, such as
/// x264's `i_pts` or the timestamp of a V4L2 buffer. All memory is allocated at the start.
public struct HeldTags {
  /// The most frames that an encoder may hold.
  public static let capacity = 64

  private var tags = [FrameTag?](repeating: nil, count: capacity)
  private var next: Int64 = 0
  /// How many there are.
  public private(set) var count = 0

  public init() {}

  /// Keeps a tag.
  /// - Returns: the number for the library, one higher than the last.
  public mutating func keep(_ tag: FrameTag) -> Int64 {
    defer { next += 1 }
    if tags[place(next)] == nil { count += 1 }
    tags[place(next)] = tag
    return next
  }

  /// Takes out the tag of a packet.
  /// - Returns: `nil` for a number that is not held. The scene of such a packet is unknown, and nobody may get it.
  public mutating func take(_ number: Int64) -> FrameTag? {
    guard number < next, number >= max(0, next - Int64(HeldTags.capacity)) else { return nil }
    defer { tags[place(number)] = nil }
    if tags[place(number)] != nil { count -= 1 }
    return tags[place(number)]
  }

  private func place(_ number: Int64) -> Int { Int(number) % HeldTags.capacity }
}
