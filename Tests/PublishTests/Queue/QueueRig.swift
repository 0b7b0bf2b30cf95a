// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media

@testable import Publish

/// A queue with a sender: what the destination's thread does with it, without a connection.
final class QueueRig {
  let queue: PacketQueue
  let time: VirtualClock
  /// The capture time of the tests' packets at 0 ms.
  let start = MediaTime(nanos: .seconds(1_000_000))
  private let hasVideo: Bool
  private var muxer: FLVMuxer
  private var headers: [FLVMuxer.Header] = []

  init(
    _ capacity: Int = 1 << 20, hasVideo: Bool = true, hasAudio: Bool = true,
    behindNanos: Int64 = .seconds(1_000_000), time: VirtualClock = VirtualClock()
  ) {
    self.time = time
    self.hasVideo = hasVideo
    queue = PacketQueue(
      capacity: capacity, hasVideo: hasVideo, behindNanos: behindNanos, clock: time.clock)
    muxer = FLVMuxer(hasVideo: hasVideo, encoder: "OnAir")
    if hasVideo { queue.setVideo(Sample.video) }
    if hasAudio { queue.setAudio(Sample.audio) }
  }

  func begin() {
    queue.begin()
    muxer = FLVMuxer(hasVideo: hasVideo, encoder: "OnAir")
    headers = []
  }

  @discardableResult func offer(
    _ kind: PacketKind, _ milliseconds: Int64, bytes: Int = 10, scene: UInt32 = 0
  ) -> PacketQueue.Outcome {
    Piece(
      kind: kind, time: start + .milliseconds(milliseconds),
      bytes: [UInt8](repeating: UInt8(truncatingIfNeeded: milliseconds), count: bytes)
    ).lent(scene: scene) { queue.offer($0) }
  }

  /// Offers a packet that was captured just now.
  func offerNow(_ kind: PacketKind) -> PacketQueue.Outcome {
    Piece(kind: kind, time: time.now, bytes: [1, 2, 3]).lent { queue.offer($0) }
  }

  func pass(_ milliseconds: Int64) { time.advance(by: .milliseconds(milliseconds)) }

  /// The packet to send next. Its headers count as sent.
  func next(behind: Int64 = 0, nanosPerByte: Int64 = 0) -> QueuedPacket? {
    while true {
      switch queue.next(known: muxer.announced, behind: behind, nanosPerByte: nanosPerByte) {
      case .nothing: return nil
      case .packet(let packet): return packet
      case .formats(let packet):
        let (video, audio) = queue.formats(of: packet)
        headers += muxer.headers(
          before: packet, video: video, audio: audio, start: queue.startedAt ?? packet.time)
      }
    }
  }

  typealias Sent = (
    kind: MessageKind, time: UInt32, body: [UInt8], offeredAt: MediaTime, isTracked: Bool
  )

  /// Sends everything.
  func drain() -> [Sent] {
    var sent: [Sent] = []
    while let packet = next() {
      sent += takeHeaders()
      let message = muxer.message(packet, start: queue.startedAt ?? packet.time)
      let body = unsafe Array(FLVMuxer.body(of: packet, queue.bytes(of: packet)))
      sent.append(
        (message.kind, message.time, body, message.offeredAt, message.isTracked))
      queue.finished()
    }
    return sent + takeHeaders()
  }

  private func takeHeaders() -> [Sent] {
    defer { headers = [] }
    return headers.map {
      ($0.message.kind, $0.message.time, $0.body, $0.message.offeredAt, $0.message.isTracked)
    }
  }
}
