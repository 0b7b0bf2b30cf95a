// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import TestSupport
import Testing

@testable import Mux
@testable import Preview

/// A sink on a virtual clock, which is fed with packets as they would come.
final class SinkBench {
  /// Audio of a time comes so much later than video of that time, in nanoseconds.
  static let audioDelay: Int64 = .milliseconds(60)

  let clock = VirtualClock()
  let fragments = Fragments()
  let sink: PreviewSink
  var now: MediaTime { clock.now }

  init() {
    sink = PreviewSink(fragments: fragments, clock: clock.clock)
    #expect(sink.start())
    sink.cut(video: 0, audio: 0)
  }

  /// Offers the packets when they are due, and waits for the sink's thread each time.
  func play(_ packets: [EncodedPacket]) {
    let due = packets.map { packet in
      (packet, packet.kind == .audio ? packet.time + SinkBench.audioDelay : packet.time)
    }.sorted { $0.1 < $1.1 }
    for (packet, time) in due {
      advance(to: time)
      packet.offer(to: sink)
    }
  }

  /// Moves the clock, stopping where the sink has something to do.
  func advance(to time: MediaTime) {
    settle()
    while now < time {
      clock.advance(by: min(time, max(sink.dueAt, now)) - now)
      settle()
    }
  }

  func advance(by nanos: Int64) { advance(to: now + nanos) }

  /// Waits until the sink's thread has done all its work.
  private func settle() {
    let isSettled = eventually {
      let due = sink.dueAt
      let awaited = clock.awaitedDeadline
      // A cut that has emptied the ring does not wake the thread.
      return due > now && (awaited == due || due == .distantFuture && awaited > now)
    }
    #expect(isSettled)
  }

  func stop() { #expect(sink.stop(by: .now() + .seconds(60))) }

  /// All that a reader gets that begins now, without waiting.
  func read(_ cursor: inout ReaderCursor) -> [Chunk] {
    var chunks: [Chunk] = []
    while case .give(let chunk) = fragments.state.withLock({ cursor.step($0) }) {
      chunks.append(chunk)
    }
    return chunks
  }

  var kept: [Fragment] { fragments.state.withLock { $0.kept } }
}
