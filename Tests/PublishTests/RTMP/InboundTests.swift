// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import FakeServer
import Testing

@testable import Publish

/// Bugs that the fuzzer found (Tests/Nightly/30-fuzz.sh).
@Suite struct InboundTests {
  /// An acceptance and a refusal in the same segment.
  @Test func acceptedAndRefusedAtOnce() throws {
    let server = try FakeServer { peer in
      try peer.greet()
      try peer.answer(upTo: "publish")
      try peer.write(
        Peer.status(level: "status", "NetStream.Publish.Start")
          + Peer.status(level: "error", "NetStream.Publish.Denied", "over quota"))
    }
    defer { server.end() }
    let rig = try Rig(port: server.port)
    rig.destination.start()
    let report = try #require(rig.waitForCause())
    #expect(report.cause == .refused(.notAllowed))
    #expect(!rig.reported.contains { $0.state == .publishing })
    #expect(rig.stop())
  }

  /// Acknowledgements are sent between messages: within one, a failing reply leaked memory.
  @Test func wholeMessagesAreAcknowledged() throws {
    let found = Found<(counts: [Int], ends: Set<Int>)>()
    let server = try FakeServer { peer in
      try peer.greet()
      try peer.answer(upTo: "connect")
      try peer.send([.string("_result"), .number(1), .null, .null])
      try peer.answer(upTo: "publish")
      // Asks for an acknowledgement every 1,000 bytes.
      try peer.send(type: 6, channel: 2, [0, 0, 0x27, 0x10, 2])
      var ends: Set<Int> = []
      for _ in 0..<20 {
        try peer.send(type: 8, [UInt8](repeating: 0, count: 300))
        ends.insert(peer.sent)
      }
      try peer.status("NetStream.Publish.Start")
      ends.insert(peer.sent)
      var counts: [Int] = []
      while counts.count < 5 {
        let message = try peer.message()
        if message.type == 3 { counts.append(message.body.reduce(0) { $0 << 8 | Int($1) }) }
      }
      found.set((counts, ends))
      peer.readToEnd()
    }
    defer { server.end() }
    let rig = try Rig(port: server.port)
    rig.destination.start()
    let (counts, ends) = try #require(found.wait())
    for count in counts { #expect(ends.contains(count), "\(count)") }
    #expect(rig.stop())
  }
}
