// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// A packet in the ring.
struct QueuedPacket: Equatable {
  var kind = PacketKind.audio
  /// Number of its scene (`Packet.scene`).
  var scene: UInt32 = 0
  /// Numbers of the formats in force when it was queued (`PacketFormats`).
  var formats = FormatNumbers()
  /// Offset of its headroom in the ring.
  var offset = 0
  /// Bytes of its payload, which starts `PacketRing.headroom` bytes after `offset`.
  var bytes = 0
  /// Capture time.
  var time = MediaTime.distantPast
  /// As `Packet.presentationDelay`.
  var presentationDelay: Int64 = 0
  /// When it was queued.
  var offeredAt = MediaTime.distantPast
  /// The first keyframe of a new scene. It is sent however late it is.
  var isFirstOfScene = false

  var isVideo: Bool { kind != .audio }
  /// Whether a receiver that has the `known` formats needs those of this packet first. Each format's number is higher
  /// than the one before.
  func needsFormats(beyond known: FormatNumbers) -> Bool {
    switch kind {
    case .keyframe: formats.video > known.video || formats.audio > known.audio
    case .frame: false
    case .audio: formats.audio > known.audio
    }
  }

  /// The start of its age. Not the capture time for audio, because an audio source may itself be late.
  var ageSince: MediaTime { isVideo ? time : offeredAt }
}

/// Allocates packets in a ring of bytes, each in one piece. It only computes offsets.
///
/// A packet that leaves the ring before older ones leaves a gap, which is used again when those have left, too.
struct PacketRing {
  /// Bytes before each payload, for the headers of a sink's protocol: RTMP_MAX_HEADER_SIZE, into which librtmp writes
  /// chunk headers, and five bytes of FLV.
  static let headroom = 18 + 5
  /// The most packets; at 60 frames and 47 audio packets a second these are 9.5 s.
  static let maxPackets = 1_024

  /// Bytes that may be used.
  var capacity: Int
  private var packets = [QueuedPacket](repeating: QueuedPacket(), count: maxPackets)
  private var isGap = [Bool](repeating: false, count: maxPackets)
  private var head = 0
  /// Places in use, gaps included. The first and the last one are no gaps.
  private var used = 0
  private(set) var count = 0
  /// Payload bytes of all packets.
  private(set) var bytes = 0

  /// - Parameter capacity: bytes that may be used.
  init(capacity: Int) { self.capacity = capacity }

  /// The oldest packet.
  var first: QueuedPacket? { used > 0 ? packets[head] : nil }

  /// The packet to send next: the oldest one, but audio that was captured before a queued frame leaves before it.
  /// Audio takes longer to encode than video, so on a busy machine or link it would leave ever later.
  var next: QueuedPacket? {
    guard let first, first.isVideo else { return first }
    for index in 1..<max(1, used) {
      let place = place(index)
      if isGap[place] || packets[place].isVideo { continue }
      return packets[place].time < first.time ? packets[place] : first
    }
    return first
  }

  /// Adds a packet.
  /// - Parameter packet: its `offset` is ignored.
  /// - Returns: the packet with its offset; `nil` if there is no room.
  mutating func add(_ packet: QueuedPacket) -> QueuedPacket? {
    guard used < PacketRing.maxPackets,
      let offset = room(for: PacketRing.headroom + packet.bytes)
    else { return nil }
    var packet = packet
    packet.offset = offset
    packets[place(used)] = packet
    isGap[place(used)] = false
    used += 1
    count += 1
    bytes += packet.bytes
    return packet
  }

  /// Removes a packet, wherever it is.
  mutating func remove(_ packet: QueuedPacket) {
    for index in 0..<used
    where !isGap[place(index)] && packets[place(index)].offset == packet.offset {
      leave(place(index))
      return trim()
    }
  }

  /// Removes the packets that match.
  /// - Returns: how many.
  @discardableResult
  mutating func remove(where matches: (QueuedPacket) -> Bool) -> Int {
    let before = count
    for index in 0..<used where !isGap[place(index)] && matches(packets[place(index)]) {
      leave(place(index))
    }
    trim()
    return before - count
  }

  private func place(_ index: Int) -> Int { (head + index) % PacketRing.maxPackets }

  private mutating func leave(_ place: Int) {
    isGap[place] = true
    count -= 1
    bytes -= packets[place].bytes
  }

  /// Frees the gaps at both ends.
  private mutating func trim() {
    while used > 0, isGap[head] {
      head = place(1)
      used -= 1
    }
    while used > 0, isGap[place(used - 1)] { used -= 1 }
  }

  private func room(for length: Int) -> Int? {
    guard used > 0 else { return length <= capacity ? 0 : nil }
    let begin = packets[head].offset
    let last = packets[place(used - 1)]
    let end = last.offset + PacketRing.headroom + last.bytes
    if last.offset >= begin {
      if capacity - end >= length { return end }
      return begin >= length ? 0 : nil
    }
    return begin - end >= length ? end : nil
  }
}
