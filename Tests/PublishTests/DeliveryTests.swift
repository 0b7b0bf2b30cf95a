// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import FakeServer
import Media
import Testing

@testable import Publish

/// A server that acknowledges in its own way, reading what has arrived at once unless it is frozen.
private struct Acknowledger {
  enum Count: String, CaseIterable {
    case all
    case withoutHandshake
    /// 0.17 % less than all, for ever.
    case payload
    case increments
    case wrapsAtTwoGigabytes
    case startsAgainAtF0000000
    case wrapsAt32Bits
  }

  let count: Count
  var window: UInt64 = 100_000
  private var read: UInt64 = 0
  private var told: UInt64 = 0
  private var base: UInt64 = 0

  init(_ count: Count, window: UInt64 = 100_000) {
    self.count = count
    self.window = window
  }

  mutating func readsUp(to bytes: UInt64) -> UInt32? {
    read = bytes
    guard read - told >= window else { return nil }
    defer { told = read }
    switch count {
    case .all: return UInt32(truncatingIfNeeded: read)
    case .withoutHandshake: return UInt32(read - DeliveryMeter.handshakeBytes)
    case .payload: return UInt32((read - DeliveryMeter.handshakeBytes) * 9_983 / 10_000)
    case .increments: return UInt32(read - told)
    case .wrapsAtTwoGigabytes: return UInt32(read % 0x7FFF_FFFF)
    case .startsAgainAtF0000000:
      if read - base >= 0xF000_0000 { base = read }
      return UInt32(read - base)
    case .wrapsAt32Bits: return UInt32(read % 0x1_0000_0000)
    }
  }
}

@Suite struct AcknowledgementTests {
  /// What is confirmed stays near the truth, and never beyond, however the server counts.
  @Test(arguments: Acknowledger.Count.allCases, [50_000, 100_000, 2_500_000] as [UInt64])
  fileprivate func everyWayOfCounting(count: Acknowledger.Count, window: UInt64) {
    var server = Acknowledger(count, window: window)
    var meter = AcknowledgementMeter()
    var noise = Noise(seed: window)
    var sent = DeliveryMeter.handshakeBytes
    var acknowledgements = 0
    let wholeDay: UInt64 =
      switch count {
      case .withoutHandshake, .payload: 3_000_000_000
      default: 20_000_000_000
      }
    // Large steps, so that a day of 2 Mbit/s is quick to run through.
    while sent < wholeDay {
      sent += window / 7 + UInt64(noise.next() % 5_000)
      // 300 ms of stream are under way.
      let arrived = sent - min(sent, 75_000)
      guard let value = server.readsUp(to: arrived) else { continue }
      meter.take(value, sent: sent, arrived: arrived)
      acknowledgements += 1
      #expect(meter.confirmed <= arrived)
      if acknowledgements > 4, meter.confirmed + window * 3 / 2 < arrived {
        Issue.record("\(arrived - meter.confirmed) bytes behind after \(acknowledgements)")
        return
      }
    }
    #expect(meter.counting == (count == .increments ? .increments : .cumulative))
  }

  /// Equal counts: by the specification the server has nothing new; but it has.
  @Test func incrementsThatAreAllAlike() {
    var meter = AcknowledgementMeter()
    for index in 1...10 as ClosedRange<UInt64> {
      meter.take(100_000, sent: index * 100_000 + 50_000, arrived: index * 100_000)
    }
    #expect(meter.counting == .increments)
    #expect(meter.confirmed == 1_000_000)
    #expect(meter.step == 100_000)
  }

  /// Some bytes are not counted here, the commands', and nothing is under way when the server acknowledges.
  @Test(arguments: [0, 700] as [UInt64]) func incrementsOfMoreThanIsCounted(uncounted: UInt64) {
    var meter = AcknowledgementMeter()
    var sent = DeliveryMeter.handshakeBytes
    var told: UInt64 = 0
    for _ in 0..<600 {
      sent += 10_000
      let read = sent + uncounted
      guard read - told >= 100_000 else { continue }
      meter.take(UInt32(read - told), sent: sent, arrived: sent)
      told = read
    }
    #expect(meter.counting == .increments)
    #expect(meter.confirmed + 150_000 > sent)
  }

  /// A key picture of 350 kB, amid which the server acknowledges.
  @Test func acknowledgementsWithinAMessage() {
    var meter = AcknowledgementMeter()
    var arrived: UInt64 = 3_073
    var told: UInt64 = 0
    for message in 0..<200 {
      let bytes: UInt64 = message % 50 == 0 ? 350_000 : 8_000
      for read in stride(from: arrived, through: arrived + bytes, by: 1_000)
      where read - told >= 100_000 {
        told = read
        meter.take(UInt32(read), sent: arrived + bytes, arrived: arrived)
      }
      arrived += bytes
      if message > 50 { #expect(meter.confirmed + 150_000 > arrived - bytes) }
    }
  }

  @Test func nonsenseIsHarmless() {
    var noise = Noise(seed: 5)
    for _ in 0..<200 {
      var meter = AcknowledgementMeter()
      var sent: UInt64 = 3_073
      for _ in 0..<50 {
        sent += UInt64(noise.next() % 1_000_000)
        meter.take(UInt32(truncatingIfNeeded: noise.next()), sent: sent, arrived: sent)
        #expect(meter.confirmed <= sent)
      }
    }
  }
}

@Suite struct DeliveryMeterTests {
  private static let start = MediaTime(nanos: .seconds(1_000))

  /// A picture of 10 kB each 40 ms (2 Mbit/s) for some seconds.
  /// - Parameters:
  ///   - body: what TCP and the server say after each: given the bytes sent so far, of RTMP, and the meter.
  private static func publish(
    _ meter: inout DeliveryMeter, from first: Int = 0, seconds: Int,
    _ body: (UInt64, inout DeliveryMeter) -> Void
  ) -> MediaTime {
    var newest = start
    for index in first * 25..<(first + seconds) * 25 {
      newest = start + .milliseconds(40) * Int64(index)
      meter.sent(bodyBytes: 9_992, headerBytes: 8, capturedAt: newest, offeredAt: newest)
      body(DeliveryMeter.handshakeBytes + UInt64(index + 1) * 10_000, &meter)
    }
    return newest
  }

  @Test func nothingComes() {
    var meter = DeliveryMeter()
    _ = Self.publish(&meter, seconds: 100) { sent, meter in
      meter.look(acknowledged: 0, queued: sent)
    }
    #expect(meter.delivery == nil)
  }

  /// More messages than there are marks for, and then all of them at once.
  @Test func aLongStallEnds() {
    var meter = DeliveryMeter()
    let newest = Self.publish(&meter, seconds: 100) { sent, meter in
      meter.look(acknowledged: 0, queued: sent)
    }
    meter.look(acknowledged: 25_100_000, queued: 0)
    #expect(meter.delivery == Delivery(capturedAt: newest, witness: .transport))
  }

  @Test func transportAlone() {
    var meter = DeliveryMeter()
    // 300 kB behind, of TCP bytes that TLS has made 1 % more of.
    let newest = Self.publish(&meter, seconds: 60) { sent, meter in
      let wire = sent * 101 / 100
      meter.look(acknowledged: wire - min(wire, 300_000), queued: min(wire, 300_000))
    }
    let behind = newest - (meter.delivery?.capturedAt ?? .distantPast)
    #expect((Int64.milliseconds(1_160) ... .milliseconds(1_280)).contains(behind), "\(behind)")
    #expect(meter.delivery?.witness == .transport)
  }

  /// A server that acknowledged and then freezes: its machine takes megabytes more, which are not delivered.
  @Test func aServerThatFreezes() {
    var meter = DeliveryMeter()
    var server = Acknowledger(.all)
    _ = Self.publish(&meter, seconds: 20) { sent, meter in
      meter.look(acknowledged: sent, queued: 0)
      if let value = server.readsUp(to: sent) { meter.acknowledge(value) }
    }
    #expect(meter.delivery?.witness == .server)
    let before = meter.delivery?.capturedAt ?? .distantPast
    let newest = Self.publish(&meter, from: 20, seconds: 20) { sent, meter in
      meter.look(acknowledged: sent, queued: 0)
    }
    let after = meter.delivery?.capturedAt ?? .distantPast
    #expect(after - before <= .milliseconds(800))
    #expect(newest - after >= .seconds(19))
  }

  /// Hours of a muted pause: messages of a few bytes, of which a server may or may not count the headers.
  @Test(arguments: [true, false]) func aLongPause(countsHeaders: Bool) {
    var meter = DeliveryMeter()
    var sent = DeliveryMeter.handshakeBytes
    var read: UInt64 = 0
    var told: UInt64 = 0
    var longest: Int64 = 0
    for index in 0..<40 * 3_600 * 4 {
      let now = Self.start + .milliseconds(25) * Int64(index)
      let bodyBytes = index % 160 == 0 ? 12_000 : 8
      meter.sent(bodyBytes: bodyBytes, headerBytes: 4, capturedAt: now, offeredAt: now)
      sent += UInt64(bodyBytes + 4)
      read += UInt64(bodyBytes + (countsHeaders ? 4 : 0))
      meter.look(acknowledged: sent, queued: 0)
      if read - told >= 100_000 {
        told = read
        meter.acknowledge(UInt32(read))
      }
      if let newest = meter.delivery?.capturedAt { longest = max(longest, now - newest) }
    }
    #expect(longest < .seconds(1), "\(longest)")
  }

  /// A server that reads a tenth of what comes, and says so.
  @Test func aServerThatFallsBehind() {
    var meter = DeliveryMeter()
    var server = Acknowledger(.all)
    let newest = Self.publish(&meter, seconds: 120) { sent, meter in
      meter.look(acknowledged: sent, queued: 0)
      if let value = server.readsUp(to: max(3_073, sent / 10)) { meter.acknowledge(value) }
    }
    let behind = newest - (meter.delivery?.capturedAt ?? .distantPast)
    #expect(behind > .seconds(90), "\(behind)")
  }
}

/// Real connections.
@Suite struct DeliveryTests {
  /// What counts as sent is what TCP has carried, but for the commands at the start, whatever librtmp leaves out of
  /// the headers: hours of small messages would add up.
  @Test func everyByteCounts() throws {
    let server = try FakeServer.reading()
    defer { server.end() }
    let rig = try Rig(port: server.port)
    rig.destination.start()
    #expect(rig.waitForPublishing())
    let start = MediaTime.now()
    func send(_ range: Range<Int>) -> UInt64 {
      let sent = rig.offer(
        range.flatMap { index in
          let time = start + .milliseconds(21) * Int64(index)
          // Of equal sizes, of others, at equal times, in several chunks.
          return [
            Piece(
              kind: index % 50 == 0 ? .keyframe : .frame, time: time,
              bytes: [UInt8](repeating: 1, count: index % 50 == 0 ? 150_000 : 90)),
            Piece(kind: .audio, time: time, bytes: [UInt8](repeating: 2, count: 6 + index % 7 / 6)),
          ]
        })
      #expect(sent)
      #expect(Rig.wait { rig.destination.counters.queuedBytes == 0 })
      // The last one is in the kernel.
      (MediaTime.now() + .milliseconds(300)).sleepUntil()
      rig.destination.supervise()
      let figures = rig.destination.meter.figures
      return figures.arrivedBytes + UInt64(figures.onTheWayBytes)
        - rig.destination.meter.sentBytes
    }
    let before = send(0..<20)
    #expect(send(20..<300) == before)
    #expect(rig.stop())
  }

  /// TCP's word is enough for a server that never acknowledges.
  @Test func aServerThatReads() throws {
    let server = try FakeServer.reading()
    defer { server.end() }
    let rig = try Rig(port: server.port)
    rig.destination.start()
    #expect(rig.waitForPublishing())
    #expect(rig.destination.counters.delivery == nil)
    rig.encode()
    #expect(Rig.wait { rig.destination.counters.state == .delivering })
    #expect(rig.destination.counters.delivery?.witness == .transport)
    #expect(rig.stop())
    #expect(rig.told.map(\.state) == [.connecting, .connected, .publishing, .delivering, .stopped])
  }

  /// The write that hangs holds up the destination's own thread, and green may not outlive it.
  @Test func aServerThatStopsReading() throws {
    let server = try FakeServer { peer in
      peer.limitReceiving(to: 8_192)
      try peer.accept()
      while peer.received.count < 100_000 { _ = try peer.message() }
      peer.freeze()
    }
    defer { server.end() }
    var deadlines = Rig.deadlines
    deadlines.confirmation = .seconds(2)
    let rig = try Rig(port: server.port, deadlines: deadlines)
    rig.destination.start()
    rig.flood()
    // It may be over before anyone looks.
    #expect(Rig.wait { rig.told.contains { $0.state == .delivering } })
    // Long before the 8 s for which a write may hang.
    #expect(Rig.wait(seconds: 5) { rig.destination.counters.state == .publishing })
    #expect(rig.stop())
  }

  /// A person may be impatient.
  @Test func twentyReconnectsAreTwentyConnections() throws {
    let server = try FakeServer.reading()
    defer { server.end() }
    let rig = try Rig(port: server.port)
    rig.destination.start()
    rig.encode()
    for count in 0..<20 as Range<UInt64> {
      #expect(
        Rig.wait {
          rig.destination.counters.reconnects == count
            && rig.destination.counters.state == .delivering
        })
      rig.destination.reconnect()
    }
    #expect(Rig.wait { rig.destination.counters.reconnects == 20 })
    #expect(!rig.told.contains { $0.cause != nil })
    #expect(rig.stop())
  }

  /// What the kernel has can be neither judged nor taken back.
  @Test func littleWaitsInTheKernel() throws {
    let server = try FakeServer { peer in
      peer.limitReceiving(to: 8_192)
      try peer.accept()
      peer.freeze()
    }
    defer { server.end() }
    let rig = try Rig(port: server.port)
    rig.destination.start()
    rig.encode()
    // 250 kB come each second; they are not kept for ever.
    #expect(Rig.wait { rig.destination.counters.queuedBytes > 150_000 })
    #expect(rig.destination.counters.bytesSent < 100_000)
    #expect(rig.stop())
  }

  /// No picture is made, though the server takes the stream.
  @Test func nothingToSend() throws {
    let server = try FakeServer.reading()
    defer { server.end() }
    var deadlines = Rig.deadlines
    deadlines.confirmation = .milliseconds(300)
    let rig = try Rig(port: server.port, deadlines: deadlines)
    rig.destination.start()
    #expect(rig.waitForCause()?.cause == .nothingToSend)
    rig.encode()
    #expect(Rig.wait { rig.told.last?.state == .delivering })
    #expect(rig.stop())
  }

  /// The server's machine goes on taking what the server no longer reads.
  @Test func aServerThatAcknowledgesAndThenFreezes() throws {
    let server = try FakeServer { peer in
      try peer.accept()
      while peer.received.count < 300_000 {
        _ = try peer.message()
        try peer.send(type: 3, channel: 2, AMF0.bigEndian(UInt32(3_073 + peer.received.count)))
      }
      (MediaTime.now() + .seconds(8)).sleepUntil()
    }
    defer { server.end() }
    var deadlines = Rig.deadlines
    deadlines.confirmation = .milliseconds(500)
    deadlines.send = .seconds(8)
    let rig = try Rig(port: server.port, deadlines: deadlines)
    rig.destination.start()
    rig.encode()
    #expect(
      Rig.wait {
        rig.destination.counters.state == .delivering
          && rig.destination.counters.delivery?.witness == .server
      })
    #expect(Rig.wait { rig.destination.counters.state == .publishing })
    #expect(Rig.wait { rig.told.last?.cause == .unconfirmed })
    #expect(rig.stop())
  }
}
