// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media
internal import Mux
internal import Synchronization

/// A packet that waits to be muxed.
struct PendingPacket {
  var kind = PacketKind.audio
  var time = MediaTime.distantPast
  var presentationDelay: Int64 = 0
  /// Number of its scene (`Packet.scene`).
  var scene: UInt32 = 0
  /// Number of its epoch, and whether that begins with it.
  var epoch: UInt32 = 0
  var beginsEpoch = false
  /// When it was offered.
  var offeredAt = MediaTime.distantPast
  /// Where its bytes are in the ring.
  var offset = 0
  var count = 0
}

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
    var plan = StreamPlan()
    var packets = [PendingPacket](repeating: PendingPacket(), count: maxPackets)
    var head = 0
    var count = 0
    /// So many of the oldest packets are being read.
    var taken = 0
    /// The epochs that begin with packets in the ring.
    var epochs: [Epoch] = []
    var isOpen = true

    func place(_ index: Int) -> Int { (head + index) % PendingPackets.maxPackets }
    /// The oldest packet that is not being read.
    var first: PendingPacket? { count > taken ? packets[place(taken)] : nil }
    /// Discards the packets that are not being read.
    mutating func discard() {
      count = taken
      epochs.removeAll(keepingCapacity: true)
    }
  }

  private let memory: UnsafeMutableRawBufferPointer
  private let delay: Int64
  private let state = Mutex(State())
  /// Equals `StreamPlan.needsKeyframe`; readable without the lock.
  private let keyframeWanted = Atomic(true)
  private let open = Atomic(true)

  /// - Parameter delay: how long the oldest packet waits for others, in nanoseconds.
  init(delay: Int64) {
    self.delay = delay
    // Pages are allocated when they are first written, and an empty ring starts again at its beginning: usually only
    // the first few are used.
    unsafe memory = .allocate(byteCount: PendingPackets.capacity, alignment: 16)
  }

  deinit { unsafe memory.deallocate() }

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
      let count = unsafe packet.bytes.count
      guard now - (state.first?.offeredAt ?? now) <= PendingPackets.maxAgeNanos,
        state.count < PendingPackets.maxPackets, let offset = room(for: count, state)
      else {
        state.discard()
        state.plan.lose()
        return false
      }
      let wasEmpty = state.first == nil
      if verdict == .begin { state.epochs.append(state.plan.epoch) }
      state.packets[state.place(state.count)] = PendingPacket(
        kind: packet.kind, time: packet.time, presentationDelay: packet.presentationDelay,
        scene: packet.scene, epoch: state.plan.epoch.number, beginsEpoch: verdict == .begin,
        offeredAt: now, offset: offset, count: count)
      state.count += 1
      unsafe UnsafeMutableRawBufferPointer(rebasing: memory[offset..<offset + count])
        .copyMemory(from: packet.bytes)
      return wasEmpty
    }
  }

  /// - Returns: the offset of `count` free bytes in one piece.
  private func room(for count: Int, _ state: State) -> Int? {
    guard state.count > 0 else { return count <= PendingPackets.capacity ? 0 : nil }
    let begin = state.packets[state.head].offset
    let last = state.packets[state.place(state.count - 1)]
    let end = last.offset + last.count
    if last.offset >= begin {
      if PendingPackets.capacity - end >= count { return end }
      // One byte less, so that a full ring differs from an empty one.
      return begin > count ? 0 : nil
    }
    return begin - end > count ? end : nil
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
  func take(_ packets: inout [PendingPacket], _ epochs: inout [Epoch]) {
    packets.removeAll(keepingCapacity: true)
    state.withLock { state in
      for index in state.taken..<state.count {
        let packet = state.packets[state.place(index)]
        if !state.plan.isHidden(packet.kind, scene: packet.scene) { packets.append(packet) }
      }
      epochs = state.epochs
      state.epochs.removeAll()
      state.taken = state.count
    }
  }

  /// A packet that was taken, with its bytes in the ring.
  func packet(_ taken: PendingPacket) -> Packet {
    unsafe Packet(
      kind: taken.kind, time: taken.time, presentationDelay: taken.presentationDelay,
      scene: taken.scene,
      bytes: UnsafeRawBufferPointer(
        UnsafeMutableRawBufferPointer(rebasing: memory[taken.offset..<taken.offset + taken.count])))
  }

  /// Frees what was taken.
  func release() {
    state.withLock { state in
      state.head = state.place(state.taken)
      state.count -= state.taken
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
