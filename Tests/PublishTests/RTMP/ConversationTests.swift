// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import FakeServer
import Mux
import Synchronization
import Testing

@testable import Publish

/// Conversations with a server that takes the stream.
@Suite struct ConversationTests {
  @Test func pingsAreAnsweredAndChunkSizeAndWindowAnnounced() throws {
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
    // A header without the stream id (specification 5.3.1.2.2), since it follows Set Chunk Size on this channel; and
    // PingResponse with the time of the request.
    #expect(
      received.suffix(14)
        == [0x42, 0, 0, 0, 0, 0, 6, 4, 0, 7, 0xDE, 0xAD, 0xBE, 0xEF])
    #expect(
      received.contains(
        [2, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0] + AMF0.bigEndian(UInt32(RTMPSession.chunkSize))
          + [2, 0, 0, 0, 0, 0, 4, 5, 0, 0, 0, 0]
          + AMF0.bigEndian(AcknowledgementWindow.firstBytes)))
    #expect(rig.stop())
  }

  @Test func incompleteMessagesOfTheServerDoNotBlockTheStream() throws {
    let messages = Found<[Peer.Message]>()
    let server = try FakeServer(ipv6: true) { peer in
      try peer.accept()
      // An incomplete header.
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

  /// Each message finds the queue empty; the limit holds all the same.
  @Test func bytesInFlightAreLimited() throws {
    let server = try FakeServer { peer in
      try peer.accept()
      peer.freeze()
    }
    defer { server.end() }
    // On a virtual clock the connection does not time out.
    let rig = try Rig(port: server.port, clock: VirtualClock().clock)
    rig.destination.setMaxInFlight(bytes: 10_000, capacityKbps: nil)
    rig.destination.start()
    #expect(rig.waitForPublishing())
    let bytes = [UInt8](repeating: 1, count: 2_000)
    var most = 0
    var isFirst = true
    func offer() {
      let time = rig.destination.clock.now
      Piece(kind: isFirst ? .keyframe : .frame, time: time, bytes: bytes).lent {
        rig.destination.offer($0)
      }
      isFirst = false
      pause(milliseconds: 2)
      most = max(most, rig.destination.link?.inFlightBytes ?? 0)
    }
    // The kernel's buffers at the server have to fill up first.
    #expect(
      Rig.wait {
        offer()
        return most > 5_000
      })
    for _ in 0..<100 { offer() }
    #expect(most < 12_500)
    #expect(rig.stop())
  }

  /// A server holds the stream for a connection with a dead path until it hears of the end. The RST of the old
  /// connection has to reach it with the next attempt, even after a pause.
  @Test func aTimedOutConnectionIsResetByTheNextAttempt() throws {
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
    let clock = VirtualClock()
    let rig = try Rig(port: server.port, deadlines: RTMPDeadlines(), clock: clock.clock)
    rig.destination.start()
    rig.flood()
    #expect(
      Rig.wait {
        clock.advance(by: .milliseconds(20))
        return rig.reported.contains { $0.cause == .timedOut(.send) }
      })
    // The clock stands still during the pause before the next attempt.
    rig.destination.cut(video: 1, audio: 1)
    pause(milliseconds: 50)
    #expect(isEnded.now == nil || server.connections == 2, "kept for the next")
    #expect(
      Rig.wait {
        clock.advance(by: .milliseconds(20))
        return isEnded.now == true
      })
    #expect(Rig.wait { server.connections == 2 })
    #expect(rig.stop())
  }

  @Test func stopEndsAWriteThatHangs() throws {
    let server = try FakeServer { peer in
      try peer.accept()
      peer.freeze()
    }
    defer { server.end() }
    // On a virtual clock only the stop can end the write.
    let rig = try Rig(port: server.port, queueBytes: 1 << 20, clock: VirtualClock().clock)
    rig.destination.start()
    #expect(rig.waitForPublishing())
    let big = [UInt8](repeating: 1, count: 300_000)
    #expect(
      Rig.wait {
        Piece(kind: .keyframe, time: rig.destination.clock.now, bytes: big).lent {
          rig.destination.offer($0)
        }
        return rig.destination.counters.overflows >= 3
      })
    #expect(rig.destination.counters.dropped >= 3)
    #expect(rig.stop(goodbye: true))
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
      #expect(Rig.wait { rig.destination.counters.bytesSent > 30_000 })
      #expect(rig.stop(goodbye: goodbye))
      #expect(commands.wait() == (goodbye ? ["FCUnpublish", "deleteStream"] : []))
      #expect(rig.reported.last?.state == .stopped)
    }
  }

  @Test func stopsAtAnyMoment() throws {
    let server = try FakeServer.reading()
    defer { server.end() }
    for delay: Int64 in 0..<60 {
      // On a virtual clock a thread that misses its wake-up does not look again by itself.
      let rig = try Rig(
        port: server.port, deadlines: Rig.impatient, clock: VirtualClock().clock)
      rig.destination.start()
      if delay % 2 == 0 { rig.encode() }
      (MediaTime.now() + delay * 200_000).sleepUntil()
      #expect(rig.stop(goodbye: delay % 3 == 0), "after \(delay * 200) µs")
    }
  }

  @Test func extendedTimestamps() throws {
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
      // Three chunks, each of which repeats the timestamp.
      Piece(
        kind: .keyframe, time: start + hours, bytes: [UInt8](repeating: 5, count: 150_000)),
      Piece(kind: .audio, time: start + hours, bytes: [6]),
      // Same size, type and timestamp: a full header is needed.
      Piece(kind: .audio, time: start + hours, bytes: [8]),
      Piece(kind: .frame, time: start + hours + .milliseconds(33), bytes: [7]),
    ]
    #expect(rig.offer(pieces))
    let taken = try #require(messages.wait())
    #expect(taken.dropFirst(3).map(\.body) == pieces.map(\.body))
    #expect(
      taken.dropFirst(3).map(\.time)
        == [0, 21, 18_000_000, 18_000_000, 18_000_000, 18_000_033])
    #expect(rig.stop())
  }
}

extension Array where Element: Equatable {
  fileprivate func contains(_ other: [Element]) -> Bool {
    guard count >= other.count else { return false }
    return (0...count - other.count).contains { Array(self[$0..<$0 + other.count]) == other }
  }
}
