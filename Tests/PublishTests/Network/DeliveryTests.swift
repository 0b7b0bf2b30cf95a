// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import FakeServer
import Testing

@testable import Publish

@Suite struct AcknowledgementTests {
  /// The confirmed bytes stay close to the true number, and never exceed it.
  @Test(arguments: Acknowledger.Count.allCases, [50_000, 100_000, 2_500_000] as [UInt64])
  func everyWayOfCounting(count: Acknowledger.Count, window: UInt64) {
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
    // Large steps, so that a day of 2 Mbit/s takes little time.
    while sent < wholeDay {
      sent += window / 7 + UInt64(noise.next() % 5_000)
      // 300 ms of the stream are in flight.
      let arrived = sent - min(sent, 75_000)
      guard let value = server.readsUp(to: arrived) else { continue }
      meter.process(value, sent: sent, arrived: arrived)
      acknowledgements += 1
      #expect(meter.confirmed <= arrived)
      if acknowledgements > 4, meter.confirmed + window * 3 / 2 < arrived {
        Issue.record("\(arrived - meter.confirmed) bytes behind after \(acknowledgements)")
        return
      }
    }
    #expect(meter.counting == (count == .increments ? .increments : .cumulative))
  }

  /// By the specification equal counts mean no progress.
  @Test func equalIncrements() {
    var meter = AcknowledgementMeter()
    for index in 1...10 as ClosedRange<UInt64> {
      meter.process(100_000, sent: index * 100_000 + 50_000, arrived: index * 100_000)
    }
    #expect(meter.counting == .increments)
    #expect(meter.confirmed == 1_000_000)
    #expect(meter.stepBytes == 100_000)
  }

  /// The server counts the commands too, and nothing is in flight when it acknowledges.
  @Test(arguments: [0, 700] as [UInt64]) func incrementsWithBytesThatThisSideDoesNotCount(
    uncounted: UInt64
  ) {
    var meter = AcknowledgementMeter()
    var sent = DeliveryMeter.handshakeBytes
    var told: UInt64 = 0
    for _ in 0..<600 {
      sent += 10_000
      let read = sent + uncounted
      guard read - told >= 100_000 else { continue }
      meter.process(UInt32(read - told), sent: sent, arrived: sent)
      told = read
    }
    #expect(meter.counting == .increments)
    #expect(meter.confirmed + 150_000 > sent)
  }

  /// A keyframe of 350 kB, within which the server acknowledges.
  @Test func acknowledgementsWithinAMessage() {
    var meter = AcknowledgementMeter()
    var arrived: UInt64 = 3_073
    var told: UInt64 = 0
    for message in 0..<200 {
      let bytes: UInt64 = message % 50 == 0 ? 350_000 : 8_000
      for read in stride(from: arrived, through: arrived + bytes, by: 1_000)
      where read - told >= 100_000 {
        told = read
        meter.process(UInt32(read), sent: arrived + bytes, arrived: arrived)
      }
      arrived += bytes
      if message > 50 { #expect(meter.confirmed + 150_000 > arrived - bytes) }
    }
  }

  @Test func randomAcknowledgements() {
    var noise = Noise(seed: 5)
    for _ in 0..<200 {
      var meter = AcknowledgementMeter()
      var sent: UInt64 = 3_073
      for _ in 0..<50 {
        sent += UInt64(noise.next() % 1_000_000)
        meter.process(UInt32(truncatingIfNeeded: noise.next()), sent: sent, arrived: sent)
        #expect(meter.confirmed <= sent)
      }
    }
  }
}

@Suite struct DeliveryMeterTests {
  private static let start = MediaTime(nanos: .seconds(1_000))

  /// Sends a frame of 10 kB every 40 ms (2 Mbit/s).
  /// - Parameters:
  ///   - body: called after each frame with the bytes of RTMP sent so far; reports TCP's state to the meter.
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

  @Test func nothingIsDelivered() {
    var meter = DeliveryMeter()
    _ = Self.publish(&meter, seconds: 100) { sent, meter in
      meter.noteTCP(acknowledged: 0, queued: sent)
    }
    #expect(meter.deliveredUpTo == nil)
  }

  /// More messages than marks are in flight, and then all arrive at once.
  @Test func aLongStallEnds() {
    var meter = DeliveryMeter()
    let newest = Self.publish(&meter, seconds: 100) { sent, meter in
      meter.noteTCP(acknowledged: 0, queued: sent)
    }
    meter.noteTCP(acknowledged: 25_100_000, queued: 0)
    #expect(meter.deliveredUpTo == newest)
  }

  @Test func transportAlone() {
    var meter = DeliveryMeter()
    // 300 kB are in flight, and TLS adds 1 %.
    let newest = Self.publish(&meter, seconds: 60) { sent, meter in
      let wire = sent * 101 / 100
      meter.noteTCP(acknowledged: wire - min(wire, 300_000), queued: min(wire, 300_000))
    }
    let behind = newest - (meter.deliveredUpTo ?? .distantPast)
    #expect((Int64.milliseconds(1_160) ... .milliseconds(1_280)).contains(behind), "\(behind)")
    #expect(!meter.acknowledgements.isRegular)
  }

  /// The kernel of the frozen server's machine accepts megabytes more, which do not count as delivered.
  @Test func aServerThatFreezes() {
    var meter = DeliveryMeter()
    var server = Acknowledger(.all)
    _ = Self.publish(&meter, seconds: 20) { sent, meter in
      meter.noteTCP(acknowledged: sent, queued: 0)
      if let value = server.readsUp(to: sent) { meter.acknowledge(value) }
    }
    #expect(meter.acknowledgements.isRegular)
    let before = meter.deliveredUpTo ?? .distantPast
    let newest = Self.publish(&meter, from: 20, seconds: 20) { sent, meter in
      meter.noteTCP(acknowledged: sent, queued: 0)
    }
    let after = meter.deliveredUpTo ?? .distantPast
    #expect(after - before <= .milliseconds(800))
    #expect(newest - after >= .seconds(19))
  }

  /// Hours of a muted pause: messages of a few bytes, whose headers a server may or may not count.
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
      meter.noteTCP(acknowledged: sent, queued: 0)
      if read - told >= 100_000 {
        told = read
        meter.acknowledge(UInt32(read))
      }
      if let newest = meter.deliveredUpTo { longest = max(longest, now - newest) }
    }
    #expect(longest < .seconds(1), "\(longest)")
  }

  /// A server that reads and acknowledges a tenth of the stream.
  @Test func aServerThatFallsBehind() {
    var meter = DeliveryMeter()
    var server = Acknowledger(.all)
    let newest = Self.publish(&meter, seconds: 120) { sent, meter in
      meter.noteTCP(acknowledged: sent, queued: 0)
      if let value = server.readsUp(to: max(3_073, sent / 10)) { meter.acknowledge(value) }
    }
    let behind = newest - (meter.deliveredUpTo ?? .distantPast)
    #expect(behind > .seconds(90), "\(behind)")
  }
}

/// Over real connections.
@Suite struct DeliveryTests {
  /// The meter counts exactly the bytes that TCP carries, without the commands at the start. librtmp shortens headers
  /// by itself, and an error in each of them would add up over hours.
  @Test func everyByteCounts() throws {
    let server = try FakeServer.reading()
    defer { server.end() }
    // On a virtual clock nothing becomes too old to be sent.
    let clock = VirtualClock()
    let rig = try Rig(port: server.port, clock: clock.clock)
    rig.destination.start()
    #expect(rig.waitForPublishing())
    let start = clock.now
    func send(_ range: Range<Int>) -> UInt64 {
      let sent = rig.offer(
        range.flatMap { index in
          let time = start + .milliseconds(21) * Int64(index)
          // Equal and different sizes, equal timestamps, and several chunks.
          return [
            Piece(
              kind: index % 50 == 0 ? .keyframe : .frame, time: time,
              bytes: [UInt8](repeating: 1, count: index % 50 == 0 ? 150_000 : 90)),
            Piece(kind: .audio, time: time, bytes: [UInt8](repeating: 2, count: 6 + index % 7 / 6)),
          ]
        })
      #expect(sent)
      #expect(Rig.wait { rig.destination.counters.queuedBytes == 0 })
      // Until the last message is in the kernel.
      pause(milliseconds: 300)
      rig.destination.supervise(now: clock.now)
      let figures = rig.destination.meter.figures
      return figures.arrivedBytes + UInt64(figures.inFlightBytes)
        - rig.destination.meter.sentBytes
    }
    let before = send(0..<20)
    #expect(send(20..<300) == before)
    #expect(rig.stop())
  }

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
    #expect(!rig.reported.contains { $0.cause != nil })
    #expect(rig.stop())
  }
}
