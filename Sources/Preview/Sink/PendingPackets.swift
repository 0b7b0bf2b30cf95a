// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
package import Media
package import Mux
internal import Synchronization

/// A queue of the encoded packets that wait to be muxed for the preview or the play-out. Their bytes are in one ring buffer that is
/// allocated once. The encoder threads add packets; the sink's thread takes all of them when the oldest has waited for
/// some time, and reads them in place.
///
/// The lock is held for the copy of one packet at most. If the ring is full, all waiting packets are dropped.
@safe package final class PendingPackets: @unchecked Sendable {
  /// The size of the ring in bytes: room for 3 s at 10 Mbit/s.
  static let capacity = 4 << 20
  /// The most packets in the ring. 3 s with 60 frames and 47 audio packets per second are 321 packets.
  static let maxPackets = 512
  /// The longest time for which a packet may wait, in nanoseconds. If the oldest one is older, all waiting packets are
  /// dropped.
  static let maxAgeNanos: Int64 = .seconds(3)

  /// The packets in the ring, and the rules for them, which a mutex protects.
  private struct State {
    var rules = EpochRules()
    var ring = PacketRing(capacity: capacity, maxPackets: maxPackets)
    /// The number of packets that the sink's thread has taken and may be reading: the oldest ones in the ring.
    var takenCount = 0
    /// The epochs (see `EpochRules`) whose first packet still waits in the ring, the oldest first.
    var epochs: [Epoch] = []
    var isOpen = true

    /// The oldest waiting packet: the first one after the taken ones.
    var first: QueuedPacket? { ring.packet(after: takenCount) }
    /// Discards all waiting packets. The taken packets stay, since the sink's thread may be reading them.
    mutating func discard() {
      ring.keepFirst(takenCount)
      epochs.removeAll(keepingCapacity: true)
    }
  }

  /// The bytes of the packets in the ring.
  private let memory = PacketMemory(capacity: capacity)
  /// The time for which the oldest packet waits for further ones before it is muxed, in nanoseconds.
  private let delay: Int64
  private let state = Mutex(State())
  /// A copy of `EpochRules.needsKeyframe` that can be read without the lock; `false` once the queue is closed.
  private let keyframeWanted = Atomic(true)
  /// Whether the queue accepts packets. This copy of `State.isOpen` can be read without the lock.
  private let acceptsPackets = Atomic(true)

  /// - Parameter delay: the time for which the oldest packet waits for further ones before it is muxed, in nanoseconds.
  package init(delay: Int64) { self.delay = delay }

  /// Changes the state under the lock, and updates `keyframeWanted`.
  private func change<Result>(_ body: (inout State) -> Result) -> Result {
    state.withLock { state in
      let result = body(&state)
      keyframeWanted.store(state.isOpen && state.rules.needsKeyframe, ordering: .relaxed)
      return result
    }
  }

  // MARK: For the encoders' threads

  /// Whether the next video packet has to be a keyframe.
  package var needsKeyframe: Bool { keyframeWanted.load(ordering: .relaxed) }
  /// Whether the queue accepts packets: `false` after `close`.
  package var isOpen: Bool { acceptsPackets.load(ordering: .relaxed) }

  /// Sets the format of the video packets that follow.
  package func setVideo(_ header: VideoHeader, now: MediaTime) {
    change { $0.rules.setVideo(header, now: now) }
  }

  /// Sets the format of the audio packets that follow.
  package func setAudio(_ header: AudioHeader, now: MediaTime) {
    change { state in
      state.rules.setAudio(header, now: now)
      // Update the newest waiting epoch: the rules may have added the audio track to it.
      if let last = state.epochs.indices.last, state.epochs[last].number == state.rules.epoch.number
      {
        state.epochs[last] = state.rules.epoch
      }
    }
  }

  /// Begins new scenes at a cut, such as a pause or a mute: discards all waiting packets if the epoch cannot continue
  /// without the packets of earlier scenes.
  package func cut(video: UInt32, audio: UInt32) {
    change { state in
      // If the epoch can continue, only audio packets belong to an earlier scene. `take` omits these packets.
      if state.rules.cut(video: video, audio: audio) { state.discard() }
    }
  }

  /// Copies a packet into the ring, unless `EpochRules` says to ignore it.
  /// - Returns: whether the sink's thread has to be woken, because no other packet was waiting.
  package func offer(_ packet: Packet, now: MediaTime) -> Bool {
    change { state in
      guard state.isOpen else { return false }
      let wasHeld = now < state.rules.heldUntil
      let verdict = state.rules.offer(
        packet.kind, scene: packet.scene, time: packet.time, now: now)
      guard verdict != .ignore else { return false }
      // The missing track has arrived: discard the packets of the first epoch, which waited for it. A new epoch begins
      // with both tracks.
      if verdict == .begin, wasHeld { state.discard() }
      var queued = QueuedPacket(packet, offeredAt: now)
      queued.epoch = state.rules.epoch.number
      queued.beginsEpoch = verdict == .begin
      let first = state.first
      guard now - (first?.offeredAt ?? now) <= PendingPackets.maxAgeNanos,
        let place = state.ring.add(queued)
      else {
        state.discard()
        state.rules.noteLoss()
        return false
      }
      if verdict == .begin { state.epochs.append(state.rules.epoch) }
      memory.write(packet, to: place)
      return first == nil
    }
  }

  // MARK: For the sink's thread

  /// When the waiting packets are due to be taken; `distantFuture` if there are none.
  package var dueAt: MediaTime {
    state.withLock { state in
      guard let first = state.first else { return .distantFuture }
      return max(first.offeredAt + delay, state.rules.heldUntil)
    }
  }

  /// Takes all waiting packets, except those from before a cut, such as a mute. Their bytes stay valid until `release`.
  /// - Parameters:
  ///   - packets: receives the packets, the oldest first.
  ///   - epochs: receives the epochs that begin with these packets.
  package func take(_ packets: inout [QueuedPacket], _ epochs: inout [Epoch]) {
    packets.removeAll(keepingCapacity: true)
    state.withLock { state in
      state.ring.forEach(dropping: state.takenCount) { packet in
        if !state.rules.isHidden(packet.kind, scene: packet.scene) { packets.append(packet) }
      }
      epochs = state.epochs
      state.epochs.removeAll()
      state.takenCount = state.ring.count
    }
  }

  /// A taken packet together with its bytes, which are not copied: they are in the ring until `release`.
  package func packet(_ taken: QueuedPacket) -> Packet {
    unsafe Packet(
      kind: taken.kind, codec: taken.codec, time: taken.time,
      presentationDelay: taken.presentationDelay,
      scene: taken.scene, bytes: UnsafeRawBufferPointer(memory.bytes(of: taken)))
  }

  /// Removes the taken packets from the ring.
  package func release() {
    state.withLock { state in
      state.ring.removeFirst(state.takenCount)
      state.takenCount = 0
    }
  }

  /// Discards all waiting packets, because the sink's thread could not mux those that it had taken. The preview goes on
  /// with a keyframe or, without video, with an audio packet.
  package func discardAfterFailure() {
    change { state in
      state.discard()
      state.rules.noteLoss()
    }
  }

  /// Closes the queue: discards all waiting packets and accepts no further ones.
  package func close() {
    acceptsPackets.store(false, ordering: .relaxed)
    change { state in
      state.isOpen = false
      state.discard()
    }
  }
}
