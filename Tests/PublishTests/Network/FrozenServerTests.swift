// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import Publish

/// A frozen server: its kernel goes on taking bytes, so only its acknowledgements show that it does not read.
@Suite struct FrozenServerTests {
  private static let start = MediaTime(nanos: .seconds(1_000))
  /// A packet has to be known to have arrived within this time (`RTMPDeadlines.confirmation`).
  private static let confirmation = RTMPDeadlines().confirmation

  /// Publishes 25 frames a second, a keyframe every 2 s with a quarter of the bytes, to a server that acknowledges as it
  /// is asked to and freezes.
  /// - Parameters:
  ///   - rates: kbit/s from a second on.
  ///   - share: of the window after which the server acknowledges.
  /// - Returns: when the stream counts as unconfirmed, in nanoseconds after the freeze; `nil` if not for 20 s. `falsely`:
  ///   whether it did before.
  private static func unconfirmed(
    rates: [Int: Int], freezeAt: Int, share: Double, meter: inout DeliveryMeter
  ) -> (after: Int64?, falsely: Bool) {
    var window = AcknowledgementWindow()
    var server = Acknowledger(.all, window: UInt64(Double(window.requestedBytes) * share))
    var kbps = 0
    var sent = DeliveryMeter.handshakeBytes
    var falsely = false
    for index in 0..<(freezeAt + 20) * 25 {
      let now = start + .milliseconds(40) * Int64(index)
      kbps = rates[index / 25] ?? kbps
      let gopBytes = kbps * 1_000 / 8 * 2
      let bytes = index % 50 == 0 ? gopBytes / 4 : gopBytes * 3 / 4 / 49
      meter.sent(bodyBytes: bytes - 8, headerBytes: 8, capturedAt: now, offeredAt: now)
      sent += UInt64(bytes)
      meter.noteTCP(acknowledged: sent, queued: 0)
      if let asked = window.follow(sent: meter.sent, now: now) {
        meter.sentControl(bytes: 16)
        sent += 16
        server.ask(UInt32(Double(asked) * share))
      }
      let isFrozen = index >= freezeAt * 25
      if !isFrozen, let value = server.readsUp(to: sent) { meter.acknowledge(value) }
      meter.noteTCP(acknowledged: sent, queued: 0)
      let isLate = now - (meter.deliveredUpTo ?? start) > confirmation
      if isLate, isFrozen { return (now - start - .seconds(Int64(freezeAt)), falsely) }
      falsely = falsely || isLate
    }
    return (nil, falsely)
  }

  /// SRS acknowledges after half the window, nginx-rtmp and ZLMediaKit after all of it.
  @Test(
    arguments: [16, 62, 300, 1_500, 6_000] as [Int], [0.5, 1, 1.5])
  func aServerThatAcknowledgesIsUnconfirmedWithinTenSeconds(kbps: Int, share: Double) throws {
    for freezeAt in [2, 8, 36, 300] {
      // Of 16 kbit/s 2 s are less than the first window.
      if kbps == 16, freezeAt == 2 { continue }
      var meter = DeliveryMeter()
      let (after, falsely) = Self.unconfirmed(
        rates: [0: kbps], freezeAt: freezeAt, share: share, meter: &meter)
      #expect(try #require(after) <= .seconds(10), "\(kbps) kbit/s after \(freezeAt) s")
      #expect(!falsely, "\(kbps) kbit/s, \(freezeAt) s")
    }
  }

  /// A still after live video, and a link that breaks down. The window follows within 8 s.
  @Test func theRateFallsBeforeTheServerFreezes() throws {
    for freezeAt in [49, 52, 60] {
      var meter = DeliveryMeter()
      let (after, falsely) = Self.unconfirmed(
        rates: [0: 6_000, 40: 62], freezeAt: freezeAt, share: 1, meter: &meter)
      #expect(try #require(after) <= .seconds(10), "\(freezeAt) s")
      #expect(!falsely)
    }
  }

  /// Frozen before its first acknowledgement: only an earlier connection tells that there should be one.
  @Test func aServerThatFreezesAtOnce() throws {
    var unknown = DeliveryMeter()
    #expect(Self.unconfirmed(rates: [0: 62], freezeAt: 0, share: 1, meter: &unknown).after == nil)
    #expect(!unknown.mayExpectAcknowledgements)

    var first = DeliveryMeter()
    _ = Self.unconfirmed(rates: [0: 62], freezeAt: 10, share: 1, meter: &first)
    #expect(first.mayExpectAcknowledgements)
    var second = DeliveryMeter(isExpectedToAcknowledge: true)
    let after = Self.unconfirmed(rates: [0: 62], freezeAt: 0, share: 1, meter: &second).after
    #expect(try #require(after) <= .seconds(10))
    #expect(!second.mayExpectAcknowledgements, "it may be another server by now")
  }

  @Test func theWindowFollowsTheRate() {
    var window = AcknowledgementWindow()
    var sent: UInt64 = 0
    var asked: [UInt32] = []
    /// Sends for some seconds, in steps of 20 ms.
    func send(_ seconds: Int, kbps: Int, from second: Int) {
      for index in 0..<seconds * 50 {
        sent += UInt64(kbps * 1_000 / 8 / 50)
        let now = Self.start + .seconds(Int64(second)) + .milliseconds(20) * Int64(index)
        if let bytes = window.follow(sent: sent, now: now) { asked.append(bytes) }
      }
    }
    #expect(window.requestedBytes == 10_000)
    send(10, kbps: 400, from: 0)
    send(10, kbps: 480, from: 10)
    #expect(asked == [20_000], "small changes are not worth a message")
    send(10, kbps: 8_000, from: 20)
    send(10, kbps: 8, from: 30)
    #expect(asked.last == 2_500)
    #expect(asked.contains(100_000) && asked.count <= 6, "\(asked)")
  }
}
