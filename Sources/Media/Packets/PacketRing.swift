// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Allocates packets in a ring of bytes, each in one piece. It only computes offsets.
///
/// A packet that leaves the ring before older ones leaves a gap, which is used again when those have left, too.
public struct PacketRing: Sendable {
  /// Bytes before each payload, for the headers of a sink's protocol.
  public let headroom: Int
  /// The most packets.
  public let maxPackets: Int
  /// Bytes that may be used.
  public var capacity: Int
  private var packets: [QueuedPacket]
  private var isGap: [Bool]
  private var head = 0
  /// Places in use, gaps included. The first and the last one are no gaps.
  private var used = 0
  public private(set) var count = 0
  /// Payload bytes of all packets.
  public private(set) var bytes = 0

  public init(capacity: Int, maxPackets: Int, headroom: Int = 0) {
    self.capacity = capacity
    self.maxPackets = maxPackets
    self.headroom = headroom
    packets = Array(repeating: QueuedPacket(), count: maxPackets)
    isGap = Array(repeating: false, count: maxPackets)
  }

  /// The oldest packet.
  public var first: QueuedPacket? { used > 0 ? packets[head] : nil }

  /// The packet to send next: the oldest one, but audio that was captured before a queued frame leaves before it.
  /// Audio takes longer to encode than video, so on a busy machine or link it would leave ever later.
  public var next: QueuedPacket? {
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
  public mutating func add(_ packet: QueuedPacket) -> QueuedPacket? {
    guard used < maxPackets,
      let offset = room(for: max(1, headroom + packet.bytes))
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
  public mutating func remove(_ packet: QueuedPacket) {
    for index in 0..<used
    where !isGap[place(index)] && packets[place(index)].offset == packet.offset {
      leave(place(index))
      return trim()
    }
  }

  /// Removes the packets that match.
  /// - Returns: how many.
  @discardableResult
  public mutating func remove(where matches: (QueuedPacket) -> Bool) -> Int {
    let before = count
    for index in 0..<used where !isGap[place(index)] && matches(packets[place(index)]) {
      leave(place(index))
    }
    trim()
    return before - count
  }

  /// The packets from the oldest on, without the first `count`.
  public func forEach(dropping count: Int = 0, _ body: (QueuedPacket) -> Void) {
    var left = count
    for index in 0..<used where !isGap[place(index)] {
      if left > 0 { left -= 1 } else { body(packets[place(index)]) }
    }
  }

  /// Removes the oldest packets.
  public mutating func removeFirst(_ count: Int) {
    var left = count
    remove { _ in
      left -= 1
      return left >= 0
    }
  }

  /// Removes all packets but the oldest.
  public mutating func keepFirst(_ count: Int) {
    var left = count
    remove { _ in
      left -= 1
      return left < 0
    }
  }

  /// The oldest packet but for `count` others.
  public func packet(after count: Int) -> QueuedPacket? {
    var left = count
    for index in 0..<used where !isGap[place(index)] {
      if left == 0 { return packets[place(index)] }
      left -= 1
    }
    return nil
  }

  private func place(_ index: Int) -> Int { (head + index) % maxPackets }

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
    let end = last.offset + max(1, headroom + last.bytes)
    if last.offset >= begin {
      if capacity - end >= length { return end }
      return begin >= length ? 0 : nil
    }
    return begin - end >= length ? end : nil
  }
}
