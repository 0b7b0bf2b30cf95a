// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media
internal import Mux
internal import Synchronization

/// The packets that wait to be muxed, in one ring of bytes that is allocated once. The encoders' threads add them; the
/// sink's thread takes all of them at once, about every 200 ms, and reads them in place.
///
/// The lock is held for copying one packet at most. When the ring is full, what waits is dropped.
@safe final class PendingPackets: @unchecked Sendable {
  /// Bytes of the ring: 3 s at 10 Mbit/s.
  static let capacity = 4 << 20
  /// The most packets: 3 s of 60 frames and 47 audio packets a second are 321.
  static let maxPackets = 512
  /// No packet waits longer than this.
  static let maxAgeNanos: Int64 = .seconds(3)

  private struct State {
    var plan = EpochRules()
    var ring = PacketRing(capacity: capacity, maxPackets: maxPackets)
    /// So many of the oldest packets are being read.
    var taken = 0
    /// The epochs that begin with packets in the ring.
    var epochs: [Epoch] = []
    var isOpen = true

    /// The oldest packet that is not being read.
    var first: QueuedPacket? { ring.packet(after: taken) }
    /// Discards the packets that are not being read.
    mutating func discard() {
      ring.keepFirst(taken)
      epochs.removeAll(keepingCapacity: true)
    }
  }

  private let memory = PacketMemory(capacity: capacity)
  private let delay: Int64
  private let state = Mutex(State())
  /// Equals `EpochRules.needsKeyframe`; readable without the lock.
  private let keyframeWanted = Atomic(true)
  private let open = Atomic(true)

  /// - Parameter delay: how long the oldest packet waits for others, in nanoseconds.
  init(delay: Int64) { self.delay = delay }

  private func change<Result>(_ body: (inout State) -> Result) -> Result {
    state.withLock { state in
      let result = body(&state)
      keyframeWanted.store(state.isOpen && state.plan.needsKeyframe, ordering: .relaxed)
      return result
    }
  }

  // MARK: For the encoders' threads

  var needsKeyframe: Bool { keyframeWanted.load(ordering: .relaxed) }
  var isOpen: Bool { open.load(ordering: .relaxed) }

  func setVideo(_ header: VideoHeader, now: MediaTime) {
    change { $0.plan.setVideo(header, now: now) }
  }

  func setAudio(_ header: AudioHeader, now: MediaTime) {
    change { state in
      state.plan.setAudio(header, now: now)
      // While the first epoch is held back, it gets the track, too.
      if let last = state.epochs.indices.last, state.epochs[last].number == state.plan.epoch.number
      {
        state.epochs[last] = state.plan.epoch
      }
    }
  }

  /// Discards the packets of earlier scenes.
  func cut(video: UInt32, audio: UInt32) {
    change { state in
      // Audio of earlier scenes is left out when packets are taken.
      if state.plan.cut(video: video, audio: audio) { state.discard() }
    }
  }

  /// Copies a packet into the ring, unless it is of no use.
  /// - Returns: whether the sink's thread has to be woken: the ring was empty.
  func offer(_ packet: Packet, now: MediaTime) -> Bool {
    change { state in
      guard state.isOpen else { return false }
      let wasHeld = now < state.plan.heldUntil
      let verdict = state.plan.offer(
        packet.kind, scene: packet.scene, time: packet.time, now: now)
      guard verdict != .ignore else { return false }
      // The first epoch was to begin without this track.
      if verdict == .begin, wasHeld { state.discard() }
      var queued = QueuedPacket(packet, offeredAt: now)
      queued.epoch = state.plan.epoch.number
      queued.beginsEpoch = verdict == .begin
      let first = state.first
      guard now - (first?.offeredAt ?? now) <= PendingPackets.maxAgeNanos,
        let place = state.ring.add(queued)
      else {
        state.discard()
        state.plan.lose()
        return false
      }
      if verdict == .begin { state.epochs.append(state.plan.epoch) }
      memory.write(packet, to: place)
      return first == nil
    }
  }

  // MARK: For the sink's thread

  /// When the packets that wait are to be taken; the distant future if there are none.
  var dueAt: MediaTime {
    state.withLock { state in
      guard let first = state.first else { return .distantFuture }
      return max(first.offeredAt + delay, state.plan.heldUntil)
    }
  }

  /// Takes all packets that no cut has hidden. Their bytes stay valid until `release`.
  func take(_ packets: inout [QueuedPacket], _ epochs: inout [Epoch]) {
    packets.removeAll(keepingCapacity: true)
    state.withLock { state in
      state.ring.forEach(dropping: state.taken) { packet in
        if !state.plan.isHidden(packet.kind, scene: packet.scene) { packets.append(packet) }
      }
      epochs = state.epochs
      state.epochs.removeAll()
      state.taken = state.ring.count
    }
  }

  /// A packet that was taken, with its bytes in the ring.
  func packet(_ taken: QueuedPacket) -> Packet {
    unsafe Packet(
      kind: taken.kind, codec: taken.codec, time: taken.time,
      presentationDelay: taken.presentationDelay,
      scene: taken.scene, bytes: UnsafeRawBufferPointer(memory.bytes(of: taken)))
  }

  /// Frees what was taken.
  func release() {
    state.withLock { state in
      state.ring.removeFirst(state.taken)
      state.taken = 0
    }
  }

  /// What was taken is lost: goes on with the next keyframe.
  func lose() {
    change { state in
      state.discard()
      state.plan.lose()
    }
  }

  /// Takes no packets any more.
  func close() {
    open.store(false, ordering: .relaxed)
    change { state in
      state.isOpen = false
      state.discard()
    }
  }
}
