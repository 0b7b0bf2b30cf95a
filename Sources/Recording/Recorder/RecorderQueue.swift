// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media
internal import Mux
internal import Synchronization

/// A queue of the packets that wait to be written. The encoders' threads add packets; the recorder's thread takes those
/// of one fragment at a time, and reads them in place.
///
/// The lock is held for the copy of one packet at most.
@safe final class RecorderQueue: @unchecked Sendable {
  /// The size of the memory in bytes. It takes as many pages of the machine as packets wait: those of packets that were
  /// written are given back.
  static let capacity = 16 << 20
  /// The most packets: 10 s of 60 frames and seven tracks of audio a second.
  static let maxPackets = 4_096
  /// The time for which the first packet of a fragment waits for further ones, in nanoseconds.
  static let fragmentNanos: Int64 = .seconds(1)

  /// The packets, and the rules for them, which a mutex protects.
  private struct State {
    var rules: RecorderRules
    var ring = PacketRing(capacity: capacity, maxPackets: maxPackets)
    /// The number of packets that the recorder's thread has taken and may be reading: the oldest ones in the ring.
    var takenCount = 0
    /// Whether a keyframe waits behind half a second of other packets, which are a fragment then.
    var isFragmentWhole = false
    var isOpen = true
    /// Marks that the recorder's thread has not taken yet.
    var marks: [(kind: RecordingMark.Kind, time: MediaTime)] = []
    /// The time of the newest queued packet.
    var newest = MediaTime.distantPast
    /// When the newest packet was queued.
    var newestOfferedAt = MediaTime.distantPast

    /// The oldest waiting packet: the first one after the taken ones.
    var first: QueuedPacket? { ring.packet(after: takenCount) }
  }

  /// The packets of a fragment.
  struct Batch {
    var packets: [QueuedPacket] = []
    /// The formats, in which `QueuedPacket.formats` are indices plus 1.
    var formats: [MovieTrack] = []
    /// The formats of the tracks that are there now, as indices in `formats` plus 1.
    var present: [UInt32] = []
    /// Whether video comes.
    var hasVideo = false
    /// Marks up to the last packet.
    var marks: [(kind: RecordingMark.Kind, time: MediaTime)] = []
  }

  private let memory = PacketMemory(capacity: capacity)
  private let state: Mutex<State>
  /// A copy of `RecorderRules.needsKeyframe` that can be read without the lock.
  private let keyframeWanted = Atomic(false)
  /// A copy of `State.isOpen` that can be read without the lock.
  private let acceptsPackets = Atomic(true)

  /// - Parameter tracks: the number of tracks; track 0 is the video.
  init(tracks: Int) { state = Mutex(State(rules: RecorderRules(tracks: tracks))) }

  private func change<Result>(_ body: (inout State) -> Result) -> Result {
    state.withLock { state in
      let result = body(&state)
      keyframeWanted.store(state.isOpen && state.rules.needsKeyframe, ordering: .relaxed)
      return result
    }
  }

  // MARK: For the encoders' threads

  /// Whether the next video packet has to be a keyframe.
  var needsKeyframe: Bool { keyframeWanted.load(ordering: .relaxed) }
  /// Whether the queue accepts packets: `false` after `close`.
  var isOpen: Bool { acceptsPackets.load(ordering: .relaxed) }

  /// Sets the format of the packets of a track that follow.
  func setFormat(_ format: MovieTrack, of track: Int, now: MediaTime) {
    change { $0.rules.setFormat(format, of: track, now: now) }
  }

  /// Ends a track: files that begin from now on are without it.
  func endTrack(_ track: Int) { change { $0.rules.endTrack(track) } }

  /// Begins new scenes at a cut: discards the waiting packets of earlier scenes.
  func cut(video: UInt32, audio: UInt32) {
    change { state in
      state.rules.cut(video: video, audio: audio)
      var left = state.takenCount
      state.ring.remove { packet in
        left -= 1
        return left < 0 && state.rules.isHidden(packet)
      }
    }
  }

  /// Copies a packet into the queue, unless the rules say otherwise.
  /// - Returns: whether the recorder's thread has to be woken.
  func offer(_ packet: Packet, of track: Int, now: MediaTime) -> Bool {
    change { state in
      guard state.isOpen else { return false }
      var queued = QueuedPacket(packet, offeredAt: now)
      queued.track = UInt8(track)
      queued.formats = FormatNumbers(video: state.rules.present[track])
      queued.epoch = state.rules.pauses
      let first = state.first
      let age = now - (first?.offeredAt ?? now)
      let place = state.ring.add(queued)
      let verdict = state.rules.offer(queued, age: age, fits: place != nil, now: now)
      guard verdict == .queue, let place else {
        if let place { state.ring.remove(place) }
        return false
      }
      memory.write(packet, to: place)
      state.newest = max(state.newest, packet.time)
      state.newestOfferedAt = now
      guard packet.kind == .keyframe, age >= RecorderQueue.fragmentNanos / 2 else {
        return first == nil
      }
      state.isFragmentWhole = true
      return true
    }
  }

  /// Sets a mark at the newest packet.
  func mark(_ kind: RecordingMark.Kind) {
    state.withLock { state in
      if state.marks.count < 1_000 { state.marks.append((kind, state.newest)) }
    }
  }

  /// Leaves out what comes during a pause.
  func setPaused(_ isPaused: Bool) { change { $0.rules.setPaused(isPaused) } }

  /// Whether packets are left out because the broadcast is paused.
  var isPaused: Bool { state.withLock { $0.rules.isPaused } }
  /// What was dropped.
  var gaps: RecorderGaps { state.withLock { $0.rules.gaps } }

  // MARK: For the recorder's thread

  /// When the waiting packets are due to be written; `distantFuture` if there are none.
  var dueAt: MediaTime {
    state.withLock { state in
      guard let first = state.first else { return .distantFuture }
      return state.isFragmentWhole ? .distantPast : first.offeredAt + RecorderQueue.fragmentNanos
    }
  }

  /// Whether no packet waits.
  var isEmpty: Bool { state.withLock { $0.first == nil } }

  /// Takes the packets of one fragment: up to the next keyframe, or of a second. Their bytes stay valid until
  /// `release`.
  func take(_ batch: inout Batch, now: MediaTime) {
    batch.packets.removeAll(keepingCapacity: true)
    change { state in
      var (count, hasVideo, isEnded) = (0, false, false)
      var firstAt: MediaTime?
      state.ring.forEach(dropping: state.takenCount) { packet in
        let began = firstAt ?? packet.offeredAt
        firstAt = began
        if packet.kind == .keyframe, hasVideo { isEnded = true }
        if packet.offeredAt - began > RecorderQueue.fragmentNanos { isEnded = true }
        guard !isEnded else { return }
        hasVideo = hasVideo || packet.isVideo
        count += 1
        batch.packets.append(packet)
      }
      state.takenCount += count
      state.isFragmentWhole = false
      batch.formats = state.rules.formats
      batch.present = state.rules.present
      batch.hasVideo = state.rules.hasVideo(now: now)
      batch.marks = state.marks
      state.marks = []
    }
  }

  /// Takes the marks that were set since the last batch.
  func takeMarks() -> [(kind: RecordingMark.Kind, time: MediaTime)] {
    state.withLock { state in
      defer { state.marks = [] }
      return state.marks
    }
  }

  /// A taken packet together with its bytes, which are not copied: they are in the ring until `release`.
  func packet(_ taken: QueuedPacket, at time: MediaTime) -> Packet {
    unsafe Packet(
      kind: taken.kind, codec: taken.codec, time: time,
      presentationDelay: taken.presentationDelay, scene: taken.scene,
      bytes: UnsafeRawBufferPointer(memory.bytes(of: taken)))
  }

  /// Removes the taken packets from the ring.
  func release() {
    change { state in
      state.ring.removeFirst(state.takenCount)
      state.takenCount = 0
      let waiting = state.first.map { state.newestOfferedAt - $0.offeredAt } ?? 0
      state.rules.note(
        hasRoom: waiting < RecorderRules.maxAgeNanos / 2
          && state.ring.bytes < RecorderQueue.capacity / 2)
      for range in state.ring.freeRanges { memory.releasePages(of: range) }
    }
  }

  /// What of a batch must not be written, since a cut has come meanwhile.
  func hidden(of batch: Batch) -> HiddenPackets {
    state.withLock { state in
      var hidden = HiddenPackets()
      for packet in batch.packets where state.rules.isHidden(packet) {
        if packet.isVideo { hidden.video = true } else { hidden.audio = true }
      }
      return hidden
    }
  }

  /// Says whether the next file is due, which begins with a keyframe.
  func setCutDue(_ isDue: Bool) { change { $0.rules.isCutDue = isDue } }

  /// Discards what waits, and queues nothing more until `resume`, because the disk has failed.
  /// - Parameter batch: what could not be written, and has been released.
  func suspend(losing batch: Batch) {
    change { state in
      for packet in batch.packets { state.rules.lose(packet) }
      state.ring.forEach { state.rules.lose($0) }
      state.ring.keepFirst(state.takenCount)
      state.isFragmentWhole = false
      state.rules.suspend()
    }
  }

  /// Queues packets again.
  func resume() { change { $0.rules.resume() } }

  /// Accepts no further packets. Those that wait stay.
  func close() {
    acceptsPackets.store(false, ordering: .relaxed)
    change { $0.isOpen = false }
  }
}
