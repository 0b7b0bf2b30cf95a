// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Testing

@testable import Mux
@testable import Preview

/// The ring between the encoders' threads and the sink's.
struct PendingPacketsTests {
  private let start = MediaTime(nanos: .seconds(1_000))

  private func pending() -> PendingPackets {
    let pending = PendingPackets(delay: .milliseconds(200))
    pending.setVideo(
      VideoHeader(
        avcConfiguration: [1, 100, 0, 31], size: Encoded.small, framesPerSecond: 30,
        bitrateKbps: 1_000), now: start)
    pending.setAudio(
      AudioHeader(
        audioSpecificConfig: [0x11, 0x90], sampleRate: 48_000, channels: 2, bitrateKbps: 96),
      now: start)
    return pending
  }

  private func offer(
    _ kind: PacketKind, _ millis: Int64, _ bytes: [UInt8], scene: UInt32 = 0,
    to pending: PendingPackets
  ) -> Bool {
    unsafe bytes.withUnsafeBytes { bytes in
      let now = start + .milliseconds(millis)
      return pending.offer(
        unsafe Packet(kind: kind, time: now, scene: scene, bytes: bytes), now: now)
    }
  }

  private func take(_ pending: PendingPackets) -> [[UInt8]] {
    var packets: [QueuedPacket] = []
    var epochs: [Epoch] = []
    pending.take(&packets, &epochs)
    return packets.map { packet in unsafe Array(pending.packet(packet).bytes) }
  }

  /// Many times round, with packets of random lengths.
  @Test func bytesArriveAsTheyWere() {
    let pending = pending()
    var random = SystemRandomNumberGenerator()
    var sent: [[UInt8]] = []
    for step in 0..<400 {
      for part in 0..<4 {
        let count = Int(random.next() % 90_000)
        let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: step * 4 + part), count: count)
        let isKey = step % 50 == 0 && part == 0
        let kind: PacketKind = isKey ? .keyframe : part == 1 ? .audio : .frame
        _ = offer(kind, Int64(step * 40 + part * 10), bytes, to: pending)
        sent.append(bytes)
      }
      if step % 3 == 2 {
        #expect(take(pending) == sent)
        // Packets that come while the others are read in place.
        pending.release()
        sent = []
      }
    }
    #expect(!pending.needsKeyframe)
  }

  @Test func theThreadIsWokenOnlyForTheFirst() {
    let pending = pending()
    #expect(pending.dueAt == .distantFuture)
    #expect(offer(.keyframe, 0, [1], to: pending))
    #expect(pending.dueAt == start + .milliseconds(200))
    #expect(!offer(.frame, 33, [1], to: pending))
    _ = take(pending)
    #expect(pending.dueAt == .distantFuture)
    #expect(offer(.frame, 67, [2], to: pending))
    #expect(pending.dueAt == start + .milliseconds(267))
    pending.release()
    #expect(take(pending) == [[2]])
  }

  @Test func aFullRingIsEmptiedAndNeedsAKeyframe() {
    let pending = pending()
    let large = [UInt8](repeating: 1, count: 1 << 20)
    #expect(offer(.keyframe, 0, large, to: pending))
    #expect(take(pending).count == 1)
    for index in 1...3 { _ = offer(.frame, Int64(index) * 33, large, to: pending) }
    #expect(!pending.needsKeyframe)
    _ = offer(.frame, 132, large, to: pending)
    #expect(pending.needsKeyframe)
    #expect(!offer(.frame, 165, [2], to: pending), "it needs what was dropped")
    // What is being read stays.
    pending.release()
    #expect(take(pending).isEmpty)
    pending.release()
    #expect(offer(.keyframe, 200, [3], to: pending))
    #expect(!pending.needsKeyframe)
    #expect(take(pending) == [[3]])
  }

  @Test func nothingWaitsForLong() {
    let pending = pending()
    #expect(offer(.keyframe, 0, [1], to: pending))
    for millis in stride(from: Int64(33), to: 3_000, by: 33) {
      _ = offer(.frame, millis, [2], to: pending)
      _ = offer(.audio, millis, [2], to: pending)
    }
    #expect(!pending.needsKeyframe)
    _ = offer(.frame, 3_010, [3], to: pending)
    #expect(pending.needsKeyframe)
    #expect(take(pending).isEmpty)
  }

  @Test func aClosedRingTakesNothing() {
    let pending = pending()
    #expect(offer(.keyframe, 0, [1], to: pending))
    pending.close()
    #expect(!offer(.keyframe, 10, [1], to: pending))
    #expect(take(pending).isEmpty)
    #expect(!pending.needsKeyframe && !pending.isOpen)
  }

  @Test func aCutLeavesOutTheAudioThatItHides() {
    let pending = pending()
    _ = offer(.keyframe, 0, [1], scene: 1, to: pending)
    _ = offer(.audio, 10, [2], scene: 1, to: pending)
    _ = offer(.frame, 33, [3], scene: 1, to: pending)
    pending.cut(video: 0, audio: 2)
    _ = offer(.audio, 40, [4], scene: 2, to: pending)
    #expect(take(pending) == [[1], [3], [4]])
    pending.release()
    _ = offer(.frame, 66, [5], scene: 1, to: pending)
    pending.cut(video: 2, audio: 2)
    #expect(take(pending).isEmpty)
  }
}
