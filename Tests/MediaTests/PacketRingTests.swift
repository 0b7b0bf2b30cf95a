// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import Media

@Suite struct PacketRingTests {
  private func packet(_ bytes: Int, _ time: Int, _ kind: PacketKind = .frame) -> QueuedPacket {
    QueuedPacket(kind: kind, bytes: bytes, time: MediaTime(nanos: .milliseconds(Int64(time))))
  }

  /// Packets leave from anywhere, and none overlaps another.
  @Test func packetsAreInOrderAndDoNotOverlap() throws {
    var noise = Xorshift(state: 7)
    var ring = PacketRing(capacity: 10_000, maxPackets: 1_024, headroom: 23)
    var queued: [QueuedPacket] = []
    var time = 0
    var refusals = 0
    for _ in 0..<20_000 {
      switch noise.next() % 10 {
      case 0..<6:
        let bytes = Int(noise.next() % 2_500)
        guard let packet = ring.add(packet(bytes, time)) else {
          refusals += 1
          continue
        }
        let end = packet.offset + ring.headroom + bytes
        #expect(packet.offset >= 0 && end <= 10_000)
        for other in queued {
          let otherEnd = other.offset + ring.headroom + other.bytes
          #expect(end <= other.offset || otherEnd <= packet.offset)
        }
        queued.append(packet)
        time += 1
      case 6..<9:
        #expect(ring.first == queued.first)
        if !queued.isEmpty { ring.remove(queued.removeFirst()) }
      default:
        guard let any = queued.randomElement(using: &noise) else { continue }
        ring.remove(any)
        queued.removeAll { $0 == any }
      }
      #expect(ring.count == queued.count && ring.first == queued.first)
      for range in ring.freeRanges {
        #expect(
          queued.allSatisfy {
            $0.offset + ring.headroom + $0.bytes <= range.lowerBound
              || range.upperBound <= $0.offset
          })
      }
      #expect(ring.bytes == queued.reduce(0) { $0 + $1.bytes })
    }
    #expect(time > 5_000 && refusals > 100)
  }

  @Test func theNumberOfPacketsIsLimited() {
    var ring = PacketRing(capacity: 1 << 20, maxPackets: 1_024, headroom: 23)
    for index in 0..<ring.maxPackets { #expect(ring.add(packet(1, index)) != nil) }
    #expect(ring.add(packet(1, 0)) == nil)
    let first = ring.first
    #expect(ring.remove { $0 != first } == ring.maxPackets - 1)
    #expect(ring.first == first && ring.count == 1)
    for index in 1..<ring.maxPackets { #expect(ring.add(packet(1, index)) != nil) }
  }

  /// The order in which packets leave, by the times of their capture.
  @Test(
    arguments: [
      ("V0 A0 V33", "V0 A0 V33"), ("V40 A20 V73 A41", "A20 V40 A41 V73"),
      ("V0 V33 V67 A10", "V0 A10 V33 V67"),
      ("V40 V73 A20 A41 A62 V107", "A20 V40 A41 A62 V73 V107"),
      ("A50 V40", "A50 V40"), ("V40 V73", "V40 V73"), ("A1 A2", "A1 A2"),
    ])
  func audioLeavesBeforeLaterFrames(_ offered: String, _ sent: String) {
    var ring = PacketRing(capacity: 10_000, maxPackets: 1_024, headroom: 23)
    for name in offered.split(separator: " ") {
      let time = Int(name.dropFirst()) ?? 0
      #expect(ring.add(packet(10, time, name.hasPrefix("V") ? .frame : .audio)) != nil)
    }
    var order: [String] = []
    while let next = ring.next {
      order.append((next.isVideo ? "V" : "A") + "\(next.time.nanos / 1_000_000)")
      ring.remove(next)
    }
    #expect(order.joined(separator: " ") == sent)
    #expect(ring.count == 0 && ring.bytes == 0)
  }

  /// As a sink uses it that reads some of the oldest packets while others come.
  @Test func theOldestAreRemovedOrKept() {
    var ring = PacketRing(capacity: 10_000, maxPackets: 8)
    for index in 0..<8 { #expect(ring.add(packet(index, index)) != nil) }
    #expect(ring.packet(after: 0)?.bytes == 0 && ring.packet(after: 3)?.bytes == 3)
    #expect(ring.packet(after: 8) == nil)
    ring.keepFirst(5)
    #expect(ring.count == 5 && ring.bytes == 10)
    ring.removeFirst(2)
    var left: [Int] = []
    ring.forEach { left.append($0.bytes) }
    #expect(left == [2, 3, 4])
    left = []
    ring.forEach(dropping: 2) { left.append($0.bytes) }
    #expect(left == [4])
    for index in 10..<15 { #expect(ring.add(packet(index, index)) != nil) }
    #expect(ring.add(packet(1, 1)) == nil)
    ring.removeFirst(8)
    #expect(ring.count == 0 && ring.first == nil)
  }

  /// Packets without bytes do not lie in one another's place either.
  @Test func emptyPacketsHavePlacesOfTheirOwn() {
    var ring = PacketRing(capacity: 4, maxPackets: 16)
    var offsets: [Int] = []
    while let packet = ring.add(packet(0, 0)) { offsets.append(packet.offset) }
    #expect(offsets == [0, 1, 2, 3])
  }
}

/// A reproducible random number generator.
private struct Xorshift: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
