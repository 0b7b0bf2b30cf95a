// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media
internal import Mux
internal import Synchronization

/// A queue of the packets that wait to be sent. The video and the audio thread add them; the sending thread removes
/// them.
///
/// The bytes are kept in one ring buffer, allocated once. Packets are queued only while the server accepts the stream.
/// The sending thread writes the protocol's headers into the `headroom` bytes before each payload.
@safe final class PacketQueue: @unchecked Sendable {
  /// The queued packets, their formats and the counters.
  private struct State {
    var ring: PacketRing
    var policy: DropPolicy
    var formats = PacketFormats()
    var span = StreamSpan()
    var isAccepting = false
    /// Whether the sender has been given a packet of this stream.
    var hasSent = false
    /// The packet that is being sent. It stays in the ring, and nothing drops it.
    var beingSent: QueuedPacket?
    /// Whether the sending thread sleeps, or is about to, so that it has to be woken for the next packet.
    var isSenderAsleep = false
    /// When the last frame of the stream ends; `nil` while video goes on.
    var videoEnd: MediaTime?
    /// How many packets were dropped since the queue was made.
    var dropped: UInt64 = 0
    /// The capture times of the newest packets that were queued since the stream began; `nil` before the first.
    var newest: (video: MediaTime?, audio: MediaTime?)

    /// The numbers of the formats that the oldest queued packet needs; `nil` if the queue is empty.
    var neededFormats: FormatNumbers? { ring.first?.formats }
  }

  /// The bytes of the queued packets.
  private let memory = PacketMemory(capacity: maxCapacity, headroom: headroom)
  /// The clock that gives the ages of packets.
  private let clock: MediaClock
  /// The queued packets, their formats and the counters, guarded by this mutex.
  private let state: Mutex<State>
  /// Equals `DropPolicy.requestsKeyframe` while packets are accepted, otherwise `false`; readable without the lock.
  private let keyframeWanted = Atomic(false)
  /// Equals `State.isAccepting`; readable without the lock.
  private let isAccepting = Atomic(false)

  /// Bytes reserved before each payload, for the headers of RTMP and FLV.
  static let headroom = RTMPSession.headroom + FLV.videoHeaderBytes
  /// The most packets in the queue: those of 9.5 s, at 60 frames and 47 audio packets a second.
  static let maxPackets = 1_024
  /// The largest capacity of the queue, in bytes.
  static let maxCapacity = 8 << 20

  /// - Parameters:
  ///   - capacity: bytes of packets with their headroom, at most `maxCapacity`.
  ///   - hasVideo: whether a stream starts with a keyframe; otherwise with the first audio packet.
  ///   - behindNanos: how old a packet may be when it arrives at the server, in nanoseconds. A packet that is expected
  ///     to be older on arrival is dropped.
  init(
    capacity: Int, hasVideo: Bool, behindNanos: Int64 = .seconds(1_000_000),
    clock: MediaClock = .system
  ) {
    self.clock = clock
    state = Mutex(
      State(
        ring: PacketRing(
          capacity: capacity, maxPackets: PacketQueue.maxPackets, headroom: PacketQueue.headroom),
        policy: DropPolicy(hasVideo: hasVideo, behindNanos: behindNanos)))
  }

  /// Changes the state under the lock, and updates the values that are readable without it.
  private func change<Result>(_ body: (inout State) -> Result) -> Result {
    state.withLock { state in
      let result = body(&state)
      keyframeWanted.store(state.isAccepting && state.policy.requestsKeyframe, ordering: .relaxed)
      isAccepting.store(state.isAccepting, ordering: .releasing)
      return result
    }
  }

  /// Changes the limits. Packets that are queued stay queued.
  /// - Parameters: as in the initialiser.
  func setLimits(capacity: Int, behindNanos: Int64) {
    change { state in
      state.ring.capacity = min(capacity, PacketQueue.maxCapacity)
      state.policy.behindNanos = behindNanos
    }
  }

  // MARK: For the encoders' threads

  /// Whether the next frame should be a keyframe.
  var needsKeyframe: Bool { keyframeWanted.load(ordering: .relaxed) }

  /// Whether offered packets are queued; otherwise they are dropped because the server does not accept the stream.
  var takesPackets: Bool { isAccepting.load(ordering: .acquiring) }

  /// Sets the video format of the packets from the next keyframe on.
  func setVideo(_ header: VideoHeader) {
    change { $0.formats.setVideo(header, needed: $0.neededFormats) }
  }

  /// Sets the audio format of the packets from the next one on.
  func setAudio(_ header: AudioHeader) {
    change { state in
      state.formats.setAudio(header, needed: state.neededFormats)
      state.span.audioPacketNanos = 1_024 * 1_000_000_000 / Int64(header.sampleRate)
    }
  }

  /// Ends video at `time`. Audio is still queued until it is as long as video.
  /// - Returns: nanoseconds by which audio will end later than video.
  func endVideo(at time: MediaTime) -> Int64 {
    change {
      $0.videoEnd = time
      return $0.span.audioLag
    }
  }

  /// Begins new scenes: from now on `next` returns no packet of an earlier scene. Queued packets of earlier scenes are
  /// dropped, and video goes on with a keyframe. A packet that `next` has already returned is still sent completely; so
  /// the sender calls `next` only when the kernel has room for the packet's first byte.
  func cut(video: UInt32, audio: UInt32) {
    change { state in
      let cuts = state.policy.cut(video: video, audio: audio)
      // Audio packets of the new scene may have been queued before the cut; they stay, so that audio has no gap.
      drop(&state) { $0.isVideo ? cuts.video : cuts.audio && $0.scene < audio }
    }
  }

  /// Suspends (`true`) or resumes (`false`) video. Suspending drops the queued video too. After resuming, video starts
  /// again with a keyframe when the queue has been sent.
  func suspendVideo(_ isSuspended: Bool) {
    change { state in
      guard state.isAccepting, state.policy.suspendVideo(isSuspended) else { return }
      dropVideo(&state)
    }
  }

  /// From now on queues only the part of the stream that `thinning` names. Queued packets that are not in that part are
  /// dropped.
  func thin(_ thinning: Thinning) {
    change { state in
      let drops = state.policy.thin(thinning)
      if drops.all {
        drop(&state) { _ in true }
      } else if drops.video {
        dropVideo(&state)
      }
    }
  }

  /// Copies `packet` into the ring, unless it has to be dropped.
  func offer(_ packet: Packet) -> Outcome {
    let now = clock.now
    return change { state in
      guard state.isAccepting, FLV.carries(packet.codec),
        packet.kind == .audio ? state.formats.current.audio > 0 : state.formats.current.video > 0
      else { return .notQueued }
      // Another sink has requested this keyframe.
      if packet.isVideo, state.formats.isSoundOnly, !state.policy.requestsKeyframe {
        return .notQueued
      }
      switch state.policy.offer(
        packet.kind, scene: packet.scene, oldest: state.ring.first, now: now)
      {
      case .ignore: return .notQueued
      case .dropWithQueuedVideo:
        dropVideo(&state)
        state.dropped += 1
        return .notQueued
      case .drop:
        state.dropped += 1
        return .notQueued
      case .queue(let isFirstOfScene):
        guard state.span.admit(packet.kind, packet.time, videoEnd: state.videoEnd) else {
          return .notQueued
        }
        return queue(packet, isFirstOfScene: isFirstOfScene, now: now, &state)
      }
    }
  }

  /// Copies a packet into the ring. If the ring is full, drops the queued packets first. In that case a packet of the
  /// kind `frame` is dropped as well, since it depends on a dropped frame; so is audio if the stream has to start
  /// again.
  private func queue(
    _ packet: Packet, isFirstOfScene: Bool, now: MediaTime, _ state: inout State
  ) -> Outcome {
    var queued = QueuedPacket(packet, formats: state.formats.current, offeredAt: now)
    queued.isFirstOfScene = isFirstOfScene
    var place = state.ring.add(queued)
    let overflows = place == nil
    if overflows {
      state.policy.overflow()
      drop(&state) { _ in true }
      if packet.kind == .keyframe, !state.policy.hasStarted { queued.isFirstOfScene = true }
      if packet.kind == .keyframe || packet.kind == .audio && state.policy.hasStarted {
        _ = state.span.admit(packet.kind, packet.time, videoEnd: state.videoEnd)
        place = state.ring.add(queued)
      }
    }
    if let place {
      memory.write(packet, to: place)
      state.policy.queued(packet.kind)
      if queued.isVideo {
        state.newest.video = packet.time
      } else {
        state.newest.audio = packet.time
      }
    } else {
      state.dropped += 1
      if !state.policy.hasStarted { state.span.begin() }
    }
    let wake = state.isSenderAsleep && state.ring.count > 0
    if wake { state.isSenderAsleep = false }
    return overflows ? .overflowed(wake: wake) : .queued(wake: wake)
  }

  /// Drops the queued video, but neither the first keyframe of the stream or of a new scene, nor the packet that is
  /// being sent.
  private func dropVideo(_ state: inout State) {
    drop(&state) { $0.isVideo && !$0.isFirstOfScene }
  }

  /// Drops the packets that match, but not the one that is being sent.
  private func drop(_ state: inout State, where matches: (QueuedPacket) -> Bool) {
    let beingSent = state.beingSent
    let count = state.ring.remove { $0 != beingSent && matches($0) }
    state.dropped += UInt64(count)
    restartIfStartIsLost(&state)
  }

  /// Starts the stream again if its first keyframe was dropped before anything was sent. Otherwise it would begin with
  /// audio, which servers that record or show the stream from its first keyframe on cannot place.
  private func restartIfStartIsLost(_ state: inout State) {
    guard state.policy.hasVideo, state.policy.hasStarted, !state.hasSent,
      state.ring.first?.kind != .keyframe
    else { return }
    state.dropped += UInt64(state.ring.remove { _ in true })
    state.span.begin()
    state.newest = (nil, nil)
    state.policy.restart()
  }

  // MARK: For the sending thread

  /// Accepts packets from now on, for a new stream.
  func begin() {
    change { state in
      clear(&state)
      state.policy.begin()
      state.isAccepting = true
    }
  }

  /// Accepts no more packets, and drops the queued ones.
  func end() {
    change { state in
      clear(&state)
      state.isAccepting = false
    }
  }

  /// Drops all packets, and forgets the times of the stream.
  private func clear(_ state: inout State) {
    state.ring.remove { _ in true }
    state.beingSent = nil
    state.hasSent = false
    state.isSenderAsleep = false
    state.span.begin()
    state.newest = (nil, nil)
  }

  /// The packet to send next. Packets that would be too old on arrival are dropped first. The bytes of the packet are
  /// valid until `finished()`.
  /// - Parameters:
  ///   - known: the numbers of the formats whose sequence headers the server has received.
  ///   - behind: nanoseconds that the link still needs for the bytes in flight.
  ///   - nanosPerByte: nanoseconds that the link needs for each byte of the packet.
  func next(known: FormatNumbers, behind: Int64 = 0, nanosPerByte: Int64 = 0) -> Next {
    let now = clock.now
    return change { state in
      if let beingSent = state.beingSent { return .packet(beingSent) }
      while let packet = state.ring.next {
        switch state.policy.send(packet, behind: behind, nanosPerByte: nanosPerByte, now: now) {
        case .send:
          if packet.needsFormats(beyond: known) { return .formats(of: packet) }
          state.beingSent = packet
          state.hasSent = true
          return .packet(packet)
        case .drop:
          state.ring.remove(packet)
          state.dropped += 1
        case .dropWithQueuedVideo:
          state.ring.remove(packet)
          state.dropped += 1
          dropVideo(&state)
        }
      }
      return .nothing
    }
  }

  /// Removes the packet that `next()` returned.
  func finished() {
    change { state in
      if let beingSent = state.beingSent { state.ring.remove(beingSent) }
      state.beingSent = nil
    }
  }

  /// Must be called by the sending thread each time before it sleeps.
  /// - Returns: whether the queue is empty, so that the thread may sleep. If so, the next `offer` asks its caller to
  ///   wake the thread.
  func prepareToSleep() -> Bool {
    let now = clock.now
    return change { state in
      state.isSenderAsleep = state.ring.count == 0
      if state.isSenderAsleep { state.policy.drained(now: now) }
      return state.isSenderAsleep
    }
  }

  /// The memory of a packet: `headroom` free bytes, then the payload. For the sending thread alone, after `next` has
  /// returned the packet and until `finished`.
  @unsafe func bytes(of packet: QueuedPacket) -> UnsafeMutableRawBufferPointer {
    unsafe memory.bytes(of: packet)
  }

  /// The video and the audio format that were in force when a packet was queued; `nil` where there was none.
  func formats(of packet: QueuedPacket) -> (video: VideoHeader?, audio: AudioHeader?) {
    state.withLock {
      ($0.formats.video(packet.formats.video), $0.formats.audio(packet.formats.audio))
    }
  }

  /// The capture time of the first packet on this connection; `nil` before it was queued.
  var startedAt: MediaTime? { state.withLock { $0.span.start } }

  /// Figures about the dropped packets and the queued ones.
  var figures: Figures {
    state.withLock { state in
      Figures(
        dropped: state.dropped, overflows: state.policy.overflows,
        isHoldingVideo: state.policy.hold != nil, thinning: state.policy.thinning,
        queuedPackets: state.ring.count - (state.beingSent == nil ? 0 : 1),
        queuedBytes: state.ring.bytes - (state.beingSent?.bytes ?? 0),
        oldestOfferedAt: state.ring.first?.offeredAt,
        videoUpTo: state.span.offset(of: state.newest.video),
        audioUpTo: state.span.offset(of: state.newest.audio))
    }
  }

  /// Payload bytes of the packet to send next; 0 when none waits.
  var nextBytes: Int { state.withLock { $0.ring.next?.bytes ?? 0 } }
}
