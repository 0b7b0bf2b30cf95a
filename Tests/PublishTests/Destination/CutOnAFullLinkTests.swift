// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import FakeServer
import Media
import Synchronization
import Testing

@testable import Publish

/// A pause while the kernel takes no more bytes: what waits for room is dropped as well.
@Suite struct CutOnAFullLinkTests {
  @Test func noPacketOfTheOldSceneLeavesAfterTheCut() throws {
    let clock = VirtualClock()
    let reads = Found<Bool>()
    let bodies = Found<[[UInt8]]>()
    let server = try FakeServer { peer in
      peer.limitReceiving(to: 8_192)
      try peer.accept()
      guard reads.wait() != nil else { return }
      var seen: [[UInt8]] = []
      while seen.last?.last != 2 {
        let message = try peer.message()
        if message.type == 9, message.body[1] == 1 { seen.append(message.body) }
      }
      bodies.set(seen)
      peer.readToEnd()
    }
    defer { server.end() }
    let rig = try Rig(port: server.port, deadlines: RTMPDeadlines(), clock: clock.clock)
    rig.destination.start()
    try #require(rig.waitForPublishing())
    func offer(_ kind: PacketKind, scene: UInt32) {
      Piece(kind: kind, time: clock.now, bytes: [UInt8](repeating: UInt8(scene + 1), count: 1_000))
        .lent(scene: scene) { rig.destination.offer($0) }
    }
    offer(.keyframe, scene: 0)
    for _ in 0..<200 { offer(.frame, scene: 0) }
    // The server reads nothing, so the sender stops somewhere.
    var sent = rig.destination.counters.bytesSent
    #expect(
      Rig.wait {
        pause(milliseconds: 500)
        defer { sent = rig.destination.counters.bytesSent }
        return sent > 1_000 && sent == rig.destination.counters.bytesSent
      })
    #expect(rig.destination.counters.queuedBytes > 50_000)

    rig.destination.cut(video: 1, audio: 1)
    #expect(rig.destination.counters.queuedBytes == 0)
    #expect(rig.destination.counters.bytesSent == sent)
    offer(.keyframe, scene: 1)
    reads.set(true)
    let seen = try #require(bodies.wait())
    // Before the packets there were headers of less than a packet.
    #expect(UInt64(seen.count - 1) == sent / 1_005, "no more than the kernel had before the cut")
    #expect(seen.dropLast().allSatisfy { $0.last == 1 })
    #expect(rig.stop())
  }
}
