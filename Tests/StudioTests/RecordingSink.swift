// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Synchronization
import Testing

@testable import Studio

/// Records the packets of a pipeline, each with the virtual time at which it was offered.
final class RecordingSink: PacketSink {
  struct Entry: Equatable {
    var kind: PacketKind
    var time: MediaTime
    var scene: UInt32
    var offeredAt: MediaTime
    var byteCount: Int
    /// The first NAL unit of a keyframe, without its length.
    var firstUnit: [UInt8] = []
  }

  private let clock: MediaClock
  private let entries = Mutex<[Entry]>([])
  /// Each video header, and how many packets came before it.
  let headers = Mutex<[(header: VideoHeader, after: Int)]>([])
  private let keyframeWanted = Atomic(false)
  /// Blocks the pipeline inside `offer` while it is set.
  let isBlocked = Atomic(false)
  let isInOffer = Atomic(false)

  init(clock: MediaClock) { self.clock = clock }

  var packets: [Entry] { entries.withLock { $0 } }
  var count: Int { entries.withLock { $0.count } }

  var takesPackets: Bool { true }
  var needsKeyframe: Bool { keyframeWanted.load(ordering: .relaxed) }
  func wantKeyframe() { keyframeWanted.store(true, ordering: .relaxed) }
  func setVideo(_ header: VideoHeader) {
    let count = count
    headers.withLock { $0.append((header, count)) }
  }
  func setAudio(_ header: AudioHeader) {}
  func cut(video: UInt32, audio: UInt32) {}

  func offer(_ packet: Packet) {
    var entry = Entry(
      kind: packet.kind, time: packet.time, scene: packet.scene, offeredAt: clock.now,
      byteCount: unsafe packet.bytes.count)
    if packet.kind == .keyframe {
      keyframeWanted.store(false, ordering: .relaxed)
      let length = unsafe packet.bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      entry.firstUnit = unsafe Array(packet.bytes.dropFirst(4).prefix(length))
    }
    isInOffer.store(true, ordering: .sequentiallyConsistent)
    while isBlocked.load(ordering: .sequentiallyConsistent) {
      (MediaTime.now() + .milliseconds(1)).sleepUntil()
    }
    entries.withLock { $0.append(entry) }
    isInOffer.store(false, ordering: .sequentiallyConsistent)
  }
}
