// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A queue of packets that allocates room for their bytes in a ring buffer, contiguous for each packet. It only
/// computes offsets: the bytes themselves are in a `PacketMemory`.
///
/// A packet that is removed before older ones leaves a gap. The gap's bytes are reused once the older packets have been
/// removed, too.
public struct PacketRing: Sendable {
  /// Bytes reserved before each payload for the headers of a sink's protocol.
  public let headroom: Int
  /// The maximum number of packets in the queue, plus gaps: a packet that was removed before older ones leaves a gap.
  public let maxPackets: Int
  /// Bytes of the ring buffer that may be used for headrooms and payloads.
  public var capacity: Int
  /// A ring of `maxPackets` elements, of which `used` are in use, beginning with `head`.
  private var packets: [QueuedPacket]
  /// For each element of `packets`, whether that packet was removed while older packets stayed in the queue.
  private var isGap: [Bool]
  /// The index in `packets` of the oldest packet.
  private var head = 0
  /// The number of elements of `packets` in use, including gaps. The first and the last of these elements are never
  /// gaps.
  private var used = 0
  /// The number of packets in the queue, without gaps.
  public private(set) var count = 0
  /// Payload bytes of all packets together.
  public private(set) var bytes = 0

  public init(capacity: Int, maxPackets: Int, headroom: Int = 0) {
    self.capacity = capacity
    self.maxPackets = maxPackets
    self.headroom = headroom
    packets = Array(repeating: QueuedPacket(), count: maxPackets)
    isGap = Array(repeating: false, count: maxPackets)
  }

  /// The oldest packet; `nil` if there is none.
  public var first: QueuedPacket? { used > 0 ? packets[head] : nil }

  /// The packet to send next; `nil` if the queue is empty. This is the oldest packet, unless the oldest packet is video
  /// and the oldest audio packet was captured earlier: then it is that audio packet. Audio takes longer to encode than
  /// video, so in the order of arrival audio would be sent later and later on a busy machine or link.
  public var next: QueuedPacket? {
    guard let first, first.isVideo else { return first }
    for index in 1..<max(1, used) {
      let slot = slot(index)
      if isGap[slot] || packets[slot].isVideo { continue }
      return packets[slot].time < first.time ? packets[slot] : first
    }
    return first
  }

  /// Adds a packet.
  /// - Parameter packet: its `offset` is ignored.
  /// - Returns: the packet with its offset; `nil` if there is no room.
  public mutating func add(_ packet: QueuedPacket) -> QueuedPacket? {
    guard used < maxPackets,
      let offset = freeOffset(for: max(1, headroom + packet.bytes))
    else { return nil }
    var packet = packet
    packet.offset = offset
    packets[slot(used)] = packet
    isGap[slot(used)] = false
    used += 1
    count += 1
    bytes += packet.bytes
    return packet
  }

  /// Removes the packet that has the `offset` of `packet`, wherever it is in the queue.
  public mutating func remove(_ packet: QueuedPacket) {
    for index in 0..<used
    where !isGap[slot(index)] && packets[slot(index)].offset == packet.offset {
      makeGap(slot(index))
      return trim()
    }
  }

  /// Removes all packets for which `matches` returns `true`.
  /// - Returns: the number of packets removed.
  @discardableResult
  public mutating func remove(where matches: (QueuedPacket) -> Bool) -> Int {
    let before = count
    for index in 0..<used where !isGap[slot(index)] && matches(packets[slot(index)]) {
      makeGap(slot(index))
    }
    trim()
    return before - count
  }

  /// Calls `body` with each packet from the oldest to the newest, but skips the `count` oldest.
  public func forEach(dropping count: Int = 0, _ body: (QueuedPacket) -> Void) {
    var left = count
    for index in 0..<used where !isGap[slot(index)] {
      if left > 0 { left -= 1 } else { body(packets[slot(index)]) }
    }
  }

  /// Removes the `count` oldest packets.
  public mutating func removeFirst(_ count: Int) {
    var left = count
    remove { _ in
      left -= 1
      return left >= 0
    }
  }

  /// Removes all packets except for the `count` oldest.
  public mutating func keepFirst(_ count: Int) {
    var left = count
    remove { _ in
      left -= 1
      return left < 0
    }
  }

  /// The packet that follows the `count` oldest ones; `nil` if there is none.
  public func packet(after count: Int) -> QueuedPacket? {
    var left = count
    for index in 0..<used where !isGap[slot(index)] {
      if left == 0 { return packets[slot(index)] }
      left -= 1
    }
    return nil
  }

  /// The index in `packets` of the packet that comes `index` elements after the oldest one.
  private func slot(_ index: Int) -> Int { (head + index) % maxPackets }

  /// Removes the packet at this index of `packets`, which becomes a gap.
  private mutating func makeGap(_ slot: Int) {
    isGap[slot] = true
    count -= 1
    bytes -= packets[slot].bytes
  }

  /// Removes the gaps at both ends of the queue, so that their memory can be reused.
  private mutating func trim() {
    while used > 0, isGap[head] {
      head = slot(1)
      used -= 1
    }
    while used > 0, isGap[slot(used - 1)] { used -= 1 }
  }

  /// The parts of the ring buffer that no packet uses: one or two.
  public var freeRanges: [Range<Int>] {
    guard used > 0 else { return [0..<capacity] }
    let begin = packets[head].offset
    let last = packets[slot(used - 1)]
    let end = last.offset + max(1, headroom + last.bytes)
    return last.offset >= begin ? [0..<begin, end..<max(end, capacity)] : [end..<begin]
  }

  /// The offset of a contiguous free range of `length` bytes; `nil` if there is none.
  private func freeOffset(for length: Int) -> Int? {
    guard used > 0 else { return length <= capacity ? 0 : nil }
    let begin = packets[head].offset
    let last = packets[slot(used - 1)]
    let end = last.offset + max(1, headroom + last.bytes)
    if last.offset >= begin {
      if capacity - end >= length { return end }
      return begin >= length ? 0 : nil
    }
    return begin - end >= length ? end : nil
  }
}
