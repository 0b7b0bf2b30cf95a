// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import FakeServer
import Media
import Synchronization
import Testing

@testable import Publish

/// The conversation with a server that takes the stream, and its end.
@Suite struct ConversationTests {
  @Test func pingIsAnsweredAndChunkSizeAndWindowAnnounced() throws {
    let found = Found<[UInt8]>()
    let server = try FakeServer { peer in
      try peer.accept()
      try peer.send(type: 4, channel: 2, [0, 6, 0xDE, 0xAD, 0xBE, 0xEF])
      while try peer.message().type != 4 {}
      found.set(peer.received)
      peer.readToEnd()
    }
    defer { server.end() }
    let rig = try Rig(port: server.port)
    rig.destination.start()
    let received = try #require(found.wait())
    // Behind Set Chunk Size on this channel, a header without the stream's id (specification
    // 5.3.1.2.2), and PingResponse with the same time.
    #expect(
      received.suffix(14)
        == [0x42, 0, 0, 0, 0, 0, 6, 4, 0, 7, 0xDE, 0xAD, 0xBE, 0xEF])
    #expect(
      received.contains(
        [2, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0] + AMF0.bigEndian(UInt32(RTMPSession.chunkSize))
          + [2, 0, 0, 0, 0, 0, 4, 5, 0, 0, 0, 0]
          + AMF0.bigEndian(RTMPSession.acknowledgementWindow)))
    #expect(rig.stop())
  }

  @Test func ipv6AndServersThatDribbleWhilePublishing() throws {
    let messages = Found<[Peer.Message]>()
    let server = try FakeServer(ipv6: true) { peer in
      try peer.accept()
      // Half a message, which must not keep the stream from flowing.
      try peer.write([3, 0, 0, 0, 0])
      var taken: [Peer.Message] = []
      while taken.count < 24 { taken.append(try peer.message()) }
      messages.set(taken)
      peer.readToEnd()
    }
    defer { server.end() }
    let rig = try Rig(port: server.port, host: "::1")
    rig.destination.start()
    rig.encode()
    let taken = try #require(messages.wait())
    #expect(taken.prefix(4).map(\.type) == [0x12, 9, 8, 9])
    #expect(taken.prefix(4).map(\.time) == [0, 0, 0, 0])
    #expect(taken[3].body.first == 0x17)
    #expect(rig.stop())
  }

  @Test func aNameWithSeveralAddresses() throws {
    let server = try FakeServer {
      try $0.accept(); $0.readToEnd()
    }
    defer { server.end() }
    let rig = try Rig(port: server.port, host: "localhost")
    rig.destination.start()
    #expect(rig.waitForPublishing())
    #expect(rig.stop())
  }

  /// Messages that come one by one find the queue empty: the bound holds for them, too.
  @Test func noMoreIsOnItsWayThanMayBe() throws {
    let server = try FakeServer { peer in
      try peer.accept()
      (MediaTime.now() + .seconds(6)).sleepUntil()
    }
    defer { server.end() }
    let rig = try Rig(port: server.port)
    rig.destination.setMaxInFlight(bytes: 10_000, capacityKbps: nil)
    rig.destination.start()
    #expect(rig.waitForPublishing())
    let bytes = [UInt8](repeating: 1, count: 2_000)
    var most = 0
    for index in 0..<600 {
      Piece(kind: index == 0 ? .keyframe : .frame, time: .now(), bytes: bytes).lent {
        rig.destination.offer($0)
      }
      (MediaTime.now() + .milliseconds(2)).sleepUntil()
      most = max(most, rig.destination.link?.onTheWayBytes ?? 0)
    }
    #expect(most > 5_000, "the server's window has to be full")
    #expect(most < 12_500)
    #expect(rig.stop())
  }

  @Test func readsNothing() throws {
    // The ring is large enough not to overflow, so the kernel's buffers fill up and a send hangs.
    let server = try FakeServer { peer in
      try peer.accept()
      (MediaTime.now() + .seconds(6)).sleepUntil()
    }
    defer { server.end() }
    let rig = try Rig(port: server.port, deadlines: Rig.deadlines(short: .send))
    rig.destination.start()
    #expect(rig.waitForPublishing())
    let big = [UInt8](repeating: 1, count: 400_000)
    let report = Found<DestinationReport>()
    _ = Rig.wait(seconds: 5) {
      Piece(kind: .keyframe, time: .now(), bytes: big).lent { rig.destination.offer($0) }
      if let last = rig.told.last, last.state == .waiting { report.set(last) }
      return report.now != nil
    }
    #expect(report.now?.cause == .timedOut(.send))
    // The link was too slow before it was dead: told once.
    #expect(rig.told.filter { $0.cause == .linkTooSlow }.count <= 1)
    #expect(rig.stop())
  }

  /// The server holds the stream of a connection that died of its path until it hears of its end: a new one
  /// brings it that, whatever was paused meanwhile.
  @Test func aDeadConnectionEndsWithTheNext() throws {
    let isEnded = Found<Bool>()
    let isSecond = Atomic(false)
    let server = try FakeServer { peer in
      try peer.accept()
      if isSecond.exchange(true, ordering: .relaxed) {
        peer.readToEnd()
      } else {
        peer.freeze()
        isEnded.set(true)
      }
    }
    defer { server.end() }
    var deadlines = Rig.deadlines
    deadlines.stall = .milliseconds(400)
    deadlines.retryPause = .seconds(2)
    let rig = try Rig(port: server.port, deadlines: deadlines)
    rig.destination.start()
    rig.flood()
    #expect(Rig.wait { rig.told.last?.state == .waiting })
    #expect(rig.told.last?.cause == .timedOut(.send))
    rig.destination.cut(pictures: 1, sounds: 1)
    (MediaTime.now() + .milliseconds(500)).sleepUntil()
    #expect(server.connections == 1)
    #expect(isEnded.now == nil, "kept for the next")
    #expect(isEnded.wait() == true)
    #expect(Rig.wait { server.connections == 2 })
    #expect(rig.stop())
  }

  @Test func overflowIsToldOnceAndWantsAKeyPicture() throws {
    let server = try FakeServer { peer in
      try peer.accept()
      (MediaTime.now() + .seconds(3)).sleepUntil()
    }
    defer { server.end() }
    let rig = try Rig(port: server.port, queueBytes: 1 << 20)
    rig.destination.start()
    #expect(rig.waitForPublishing())
    let big = [UInt8](repeating: 1, count: 300_000)
    #expect(
      Rig.wait(seconds: 2) {
        Piece(kind: .keyframe, time: .now(), bytes: big).lent { rig.destination.offer($0) }
        return rig.destination.counters.overflows >= 3
      })
    #expect(rig.destination.counters.dropped >= 3)
    let stopping = MediaTime.now()
    #expect(rig.stop(goodbye: true, seconds: 1), "though a send hangs")
    #expect(MediaTime.now() - stopping < .milliseconds(1_800))
  }

  @Test func goodbyeOnlyWhenAsked() throws {
    for goodbye in [true, false] {
      let commands = Found<[String]>()
      let orderly = Found<Bool>()
      let server = try FakeServer { peer in
        try peer.accept()
        var heard: [String] = []
        while let message = try? peer.message() {
          if message.type == 0x14, let name = AMF0Reader.values(message.body[...]).first?.string {
            heard.append(name)
          }
        }
        orderly.set(peer.readToEnd())
        commands.set(heard)
      }
      defer { server.end() }
      let rig = try Rig(port: server.port)
      rig.destination.start()
      rig.encode()
      #expect(Rig.wait { rig.destination.counters.picturesSent > 3 })
      #expect(rig.stop(goodbye: goodbye))
      #expect(commands.wait() == (goodbye ? ["FCUnpublish", "deleteStream"] : []))
      #expect(rig.told.last?.state == .stopped)
    }
  }

  @Test func stopsInTimeWhateverHangs() throws {
    for script: (@Sendable (Peer) throws -> Void)? in [
      nil, { $0.readToEnd() },
      { peer in
        try peer.greet()
        peer.readToEnd()
      },
    ] {
      let server = try FakeServer(script: script)
      defer { server.end() }
      let rig = try Rig(port: server.port, deadlines: RTMPDeadlines())
      rig.destination.start()
      (MediaTime.now() + .milliseconds(100)).sleepUntil()
      let start = MediaTime.now()
      #expect(rig.stop(goodbye: true, seconds: 1))
      #expect(MediaTime.now() - start < .milliseconds(1_800))
    }
  }

  @Test func stopsAtAnyMoment() throws {
    let server = try FakeServer.reading()
    defer { server.end() }
    // A wake-up that is lost costs the second after which the thread looks by itself; so does, now and then, a
    // machine that has other things to do.
    var late = 0
    for delay: Int64 in 0..<60 {
      let rig = try Rig(port: server.port, deadlines: RTMPDeadlines())
      rig.destination.start()
      if delay % 2 == 0 { rig.encode() }
      (MediaTime.now() + delay * 200_000).sleepUntil()
      let start = MediaTime.now()
      #expect(rig.stop(goodbye: delay % 3 == 0, seconds: 10), "after \(delay * 200) µs")
      if MediaTime.now() - start > .milliseconds(900) { late += 1 }
    }
    #expect(late <= 6)
  }

  @Test func theSecondServerHasItsTurnAfterThreeFailures() throws {
    let gone = try FakeServer { _ in }
    gone.end()
    let server = try FakeServer.reading()
    defer { server.end() }
    let rig = try Rig(port: gone.port, backupPort: server.port)
    rig.destination.start()
    rig.encode()
    #expect(rig.waitForPublishing())
    #expect(rig.destination.counters.failures == 3)
    #expect(rig.destination.target.port == server.port)
    #expect(rig.stop())
  }

  @Test func aNewAddressIsTakenAtOnce() throws {
    let left = Found<Bool>()
    let first = try FakeServer { peer in
      try peer.accept()
      peer.readToEnd()
      left.set(true)
    }
    defer { first.end() }
    let second = try FakeServer.reading()
    defer { second.end() }
    let rig = try Rig(port: first.port)
    rig.destination.start()
    rig.encode()
    #expect(rig.waitForPublishing())
    rig.destination.publish(
      to: try RTMPTarget(host: "127.0.0.1", port: second.port, app: "live", streamKey: "another"))
    #expect(
      Rig.wait {
        rig.destination.counters.reconnects == 1 && rig.destination.counters.state == .delivering
      })
    #expect(left.wait() == true)
    #expect(rig.destination.target.port == second.port)
    #expect(rig.destination.counters.failures == 0)
    #expect(rig.told.last?.target.port == second.port)
    #expect(rig.stop())
  }

  /// One that was refused, and waits for longer and longer.
  @Test func aNewAddressNeedNotWait() throws {
    let gone = try FakeServer { _ in }
    gone.end()
    let server = try FakeServer.reading()
    defer { server.end() }
    var deadlines = Rig.deadlines
    deadlines.retryPause = .seconds(60)
    let rig = try Rig(port: gone.port, deadlines: deadlines)
    rig.destination.start()
    rig.encode()
    #expect(rig.waitForCause() != nil)
    rig.destination.publish(
      to: try RTMPTarget(host: "127.0.0.1", port: server.port, app: "live", streamKey: Rig.key))
    #expect(rig.waitForPublishing())
    #expect(rig.stop())
  }

  /// Nor for a server that answers nothing.
  @Test func aNewAddressNeedNotWaitForADial() throws {
    let hole = try #require(BadServer.all.first { $0.name == "black hole" }).run()
    defer { hole.end() }
    let server = try FakeServer.reading()
    defer { server.end() }
    var deadlines = Rig.deadlines
    deadlines.connect = .seconds(60)
    let rig = try Rig(port: hole.port, deadlines: deadlines)
    rig.destination.start()
    rig.encode()
    #expect(Rig.wait { rig.told.contains { $0.state == .connecting } })
    rig.destination.publish(
      to: try RTMPTarget(host: "127.0.0.1", port: server.port, app: "live", streamKey: Rig.key))
    #expect(rig.waitForPublishing())
    #expect(rig.stop())
  }

  @Test func timesBeyondThreeBytes() throws {
    let messages = Found<[Peer.Message]>()
    let server = try FakeServer { peer in
      try peer.accept()
      var taken: [Peer.Message] = []
      while taken.count < 9 { taken.append(try peer.message()) }
      messages.set(taken)
      peer.readToEnd()
    }
    defer { server.end() }
    let rig = try Rig(port: server.port)
    rig.destination.start()
    #expect(rig.waitForPublishing())
    let start = MediaTime.now()
    let hours = Int64.seconds(5 * 3_600)
    let pieces = [
      Piece(kind: .keyframe, time: start, bytes: [1, 2, 3]),
      Piece(kind: .audio, time: start + .milliseconds(21), bytes: [4]),
      // Three chunks, each with the time again.
      Piece(
        kind: .keyframe, time: start + hours, bytes: [UInt8](repeating: 5, count: 150_000)),
      Piece(kind: .audio, time: start + hours, bytes: [6]),
      Piece(kind: .frame, time: start + hours + .milliseconds(33), bytes: [7]),
      // The same size, type and time: a header is needed all the same.
      Piece(kind: .audio, time: start + hours, bytes: [8]),
    ]
    #expect(rig.offer(pieces))
    let taken = try #require(messages.wait())
    #expect(taken.dropFirst(3).map(\.body) == pieces.map(\.body))
    #expect(
      taken.dropFirst(3).map(\.time)
        == [0, 21, 18_000_000, 18_000_000, 18_000_033, 18_000_000])
    #expect(rig.stop())
  }
}

extension Array where Element: Equatable {
  fileprivate func contains(_ other: [Element]) -> Bool {
    guard count >= other.count else { return false }
    return (0...count - other.count).contains { Array(self[$0..<$0 + other.count]) == other }
  }
}
