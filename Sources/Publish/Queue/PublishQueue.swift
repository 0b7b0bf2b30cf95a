// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media
internal import Synchronization

/// The packets that wait to be sent. The video and the audio thread add them; the sending thread removes them.
///
/// The bytes are kept in one ring, allocated once. Nothing is queued while there is no connection.
@safe final class PublishQueue: @unchecked Sendable {
  /// What happened to an offered packet.
  enum Outcome: Equatable {
    /// - wake: whether the sender sleeps and has to be woken.
    case queued(wake: Bool)
    /// Dropped: there is no connection, no keyframe yet, the scene is over, or the link is behind.
    case passed
    /// The ring was full and has been emptied. The packet was queued afterwards if it fits alone.
    case overflowed(wake: Bool)
  }

  private struct State {
    var ring: RingLayout
    var accepting = false
    var inFlight = false
    /// The sender sleeps, or is about to, and has to be woken.
    var sleeping = false
    var clock = PublishClock()
    var video: VideoHeader?
    var audio: AudioHeader?
    /// What the metadata says of video.
    var described: VideoHeader?
    var videoBody: [UInt8] = []
    var audioBody: [UInt8] = []
    var metadataBody: [UInt8] = []
    /// The sequence header has to be sent before the next keyframe.
    var videoDue = true
    /// The sequence header has to be sent before the next audio packet.
    var audioDue = true
    var metadataDue = true
    /// Frames are dropped up to the next keyframe.
    var awaitingKey = false
    /// The link is behind: video is dropped until the queue has been sent.
    var isDroppingVideo = false
    /// A new scene has begun and its first keyframe is not queued yet. That one is queued in any case.
    var awaitsScene = false
    /// A keyframe was dropped because it would have been late: no other is requested before this time.
    var nextKeyframeAt = MediaTime.distantPast
    /// Set while the rate controller has suspended video (`dropVideo`).
    var isVideoSuspended = false
    /// The present scenes. Packets of earlier scenes are private and must not be sent.
    var videoScene: UInt32 = 0
    var audioScene: UInt32 = 0
    /// When the last frame ends; `nil` while video goes on.
    var videoEnd: MediaTime?
    var dropped: UInt64 = 0
    /// The length of an audio packet: 1,024 samples of AAC.
    var audioPacketNanos: Int64 {
      audio.map { 1_024 * 1_000_000_000 / Int64($0.sampleRate) } ?? 0
    }
    var overflows: UInt64 = 0
  }

  private let memory: UnsafeMutableRawBufferPointer
  private let hasVideo: Bool
  private let encoder: String
  /// The age at which a packet should have arrived at the server.
  private let behindNanos: Int64
  /// The age from which a packet is no longer handed to the kernel, and video is dropped up to the next keyframe.
  private let staleNanos: Int64
  private let clock: MediaClock
  private let state: Mutex<State>
  private let keyframeWanted = Atomic(false)
  /// Equals `State.accepting`; readable without the lock.
  private let open = Atomic(false)

  /// Queue delays below this are treated as zero.
  private static let freshNanos: Int64 = .milliseconds(150)
  /// Minimum time between keyframe requests after a keyframe was dropped: by then the bit rate is lower.
  private static let keyframePauseNanos: Int64 = .milliseconds(300)

  /// - Parameters:
  ///   - capacity: bytes.
  ///   - hasVideo: whether a publish starts with a keyframe; otherwise with the first audio packet.
  ///   - encoder: the encoder's name in the metadata.
  ///   - behindNanos: how old a packet may be when it arrives at the server, as far as this side decides.
  init(
    capacity: Int, hasVideo: Bool, encoder: String, behindNanos: Int64 = .seconds(1_000_000),
    clock: MediaClock = .system
  ) {
    self.clock = clock
    self.behindNanos = behindNanos
    // The rest is for the bytes in the kernel.
    staleNanos = behindNanos / 100 * 85
    unsafe memory = .allocate(byteCount: capacity, alignment: 16)
    // Pages are allocated when they are first written. An empty ring starts again at its beginning, so only a few
    // pages are used until the link falls behind.
    self.hasVideo = hasVideo
    self.encoder = encoder
    state = Mutex(State(ring: RingLayout(capacity: capacity)))
  }

  deinit { unsafe memory.deallocate() }

  // MARK: For the encoders' threads

  /// Ends video at `time`. Audio is still queued until it is as long as video.
  /// - Returns: nanoseconds by which audio then ends after video.
  func endVideo(at time: MediaTime) -> Int64 {
    state.withLock {
      $0.videoEnd = time
      return $0.clock.audioLag
    }
  }

  /// Whether the next frame should be a keyframe.
  var needsKeyframe: Bool { keyframeWanted.load(ordering: .relaxed) }

  /// Whether packets are queued; otherwise they are dropped because there is no connection.
  var takesPackets: Bool { open.load(ordering: .acquiring) }

  func setVideo(_ header: VideoHeader) {
    let body = FLV.videoHeader(header.avcConfiguration)
    state.withLock { state in
      state.video = header
      state.described = header.describing(state.described)
      state.videoBody = body
      state.videoDue = true
      renewMetadata(&state)
    }
  }

  func setAudio(_ header: AudioHeader) {
    let body = FLV.audioHeader(header.audioSpecificConfig)
    state.withLock { state in
      state.audio = header
      state.audioBody = body
      state.audioDue = true
      renewMetadata(&state)
    }
  }

  /// Begins new scenes: from now on nothing of an earlier scene is sent, except for the rest of the message that is
  /// being sent. The queue is emptied, and video goes on with a keyframe.
  func cut(video: UInt32, audio: UInt32) {
    state.withLock { state in
      let cutsVideo = video > state.videoScene
      let cutsAudio = audio > state.audioScene
      state.videoScene = max(state.videoScene, video)
      state.audioScene = max(state.audioScene, audio)
      guard state.accepting else { return }
      if cutsVideo {
        state.awaitsScene = true
        // Whether the new scene fits the link has to be found out anew.
        state.isDroppingVideo = false
        state.isVideoSuspended = false
      }
      // If no audio is queued, a cut of audio need not drop the queued video.
      let hasQueuedAudio = state.ring.contains(.audio, after: state.inFlight ? 1 : 0)
      if cutsVideo || cutsAudio && hasQueuedAudio { empty(&state) }
    }
  }

  private func renewMetadata(_ state: inout State) {
    let body = FLV.metadata(video: state.described, audio: state.audio, encoder: encoder)
    guard body != state.metadataBody else { return }
    state.metadataBody = body
    state.metadataDue = true
  }

  /// Suspends or resumes video. Suspending drops the queued video too. After resuming, video starts again when the
  /// queue has been sent.
  func dropVideo(_ isSuspended: Bool) {
    state.withLock { state in
      guard state.accepting, hasVideo, isSuspended != state.isVideoSuspended else { return }
      state.isVideoSuspended = isSuspended
      if isSuspended { dropVideo(&state) }
    }
  }

  /// Drops the queued video, and what follows up to the next keyframe.
  private func dropVideo(_ state: inout State) {
    if !state.isDroppingVideo { state.overflows += 1 }
    state.isDroppingVideo = true
    state.awaitingKey = true
    keyframeWanted.store(false, ordering: .relaxed)
    let dropped = state.ring.drop(after: state.inFlight ? 1 : 0) {
      $0.isVideo && !$0.isFirstOfScene
    }
    state.dropped += UInt64(dropped)
  }

  /// Whether the link keeps up with video. Starts and ends the dropping of video.
  private func keepsUp(_ state: inout State, now: MediaTime) -> Bool {
    let oldest = state.ring.first { $0.capturedAt != nil }
    if state.isDroppingVideo {
      if state.isVideoSuspended || now < state.nextKeyframeAt { return false }
      if let oldest, now - oldest.offeredAt > PublishQueue.freshNanos { return false }
      state.isDroppingVideo = false
      keyframeWanted.store(state.awaitingKey, ordering: .relaxed)
    } else if let since = oldest?.ageSince, now - since > staleNanos {
      dropVideo(&state)
      return false
    }
    return true
  }

  /// Copies `packet` into the ring, unless it has to be dropped.
  func offer(_ packet: Packet) -> Outcome {
    let now = clock.now
    return state.withLock { state in
      guard state.accepting else { return .passed }
      let isVideo = packet.kind != .audio
      guard packet.scene >= (isVideo ? state.videoScene : state.audioScene) else {
        return .passed
      }
      if isVideo, state.video == nil { return .passed }
      if !isVideo, state.audio == nil { return .passed }
      let isFirstOfScene = state.awaitsScene && packet.kind == .keyframe
      if isVideo, !isFirstOfScene, state.clock.isRunning, !keepsUp(&state, now: now) {
        state.awaitingKey = true
        state.dropped += 1
        return .passed
      }
      if packet.kind == .frame, state.awaitingKey {
        if state.clock.isRunning { state.dropped += 1 }
        return .passed
      }
      if !state.clock.isRunning {
        guard packet.kind == (hasVideo ? .keyframe : .audio) else { return .passed }
        state.clock.start(at: packet.time)
      }
      if !isVideo, let end = state.videoEnd,
        !state.clock.evensOut(packet.time, length: state.audioPacketNanos, videoEnd: end)
      {
        return .passed
      }
      let stamp = isVideo ? state.clock.video(packet.time) : state.clock.audio(packet.time)
      guard let stamp else { return .passed }

      var overflowed = false
      if !append(packet, at: stamp, now: now, to: &state) {
        overflowed = true
        state.overflows += 1
        empty(&state)
        if !append(packet, at: stamp, now: now, to: &state) { state.dropped += 1 }
      }
      let wake = state.sleeping && state.ring.count > 0
      if wake { state.sleeping = false }
      return overflowed ? .overflowed(wake: wake) : .queued(wake: wake)
    }
  }

  /// - Returns: `false` if there is no room; then nothing has been added.
  private func append(
    _ packet: Packet, at stamp: UInt32, now: MediaTime, to state: inout State
  ) -> Bool {
    // It depends on a frame that has just been dropped.
    if packet.kind == .frame, state.awaitingKey { return false }
    let before = state.ring.count
    let kind: MessageKind =
      switch packet.kind {
      case .keyframe: .keyframe
      case .frame: .frame
      case .audio: .audio
      }
    let due = headersDue(before: kind, state)
    guard appendHeaders(due, at: stamp, now: now, to: &state),
      let place = state.ring.add(
        kind, bodyBytes: FLV.bodyBytes(packet), time: stamp,
        capturedAt: packet.time, counts: !hasVideo || kind != .audio, offeredAt: now,
        isFirstOfScene: state.awaitsScene && kind == .keyframe)
    else {
      state.ring.removeAll(keepingFirst: before) { _ in }
      return false
    }
    unsafe FLV.write(packet, to: body(of: place))
    if due.metadata { state.metadataDue = false }
    if due.video { state.videoDue = false }
    if due.audio { state.audioDue = false }
    if kind == .keyframe {
      state.awaitingKey = false
      state.awaitsScene = false
      keyframeWanted.store(false, ordering: .relaxed)
    }
    return true
  }

  private typealias Due = (metadata: Bool, video: Bool, audio: Bool)

  /// The video header, and the metadata with it, goes just before a keyframe.
  private func headersDue(before kind: MessageKind, _ state: State) -> Due {
    switch kind {
    case .keyframe:
      (state.metadataDue, state.videoDue, state.audioDue && state.audio != nil)
    case .audio where state.audioDue:
      (state.metadataDue && !(hasVideo && state.videoDue), false, true)
    default: (false, false, false)
    }
  }

  private func appendHeaders(
    _ due: Due, at stamp: UInt32, now: MediaTime, to state: inout State
  ) -> Bool {
    func append(_ kind: MessageKind, _ bytes: [UInt8]) -> Bool {
      self.append(kind, bytes, at: stamp, now: now, to: &state.ring)
    }
    return (!due.metadata || append(.metadata, state.metadataBody))
      && (!due.video || append(.videoHeader, state.videoBody))
      && (!due.audio || append(.audioHeader, state.audioBody))
  }

  private func append(
    _ kind: MessageKind, _ bytes: [UInt8], at stamp: UInt32, now: MediaTime,
    to ring: inout RingLayout
  ) -> Bool {
    guard let place = ring.add(kind, bodyBytes: bytes.count, time: stamp, offeredAt: now) else {
      return false
    }
    unsafe body(of: place).copyBytes(from: bytes)
    return true
  }

  private func empty(_ state: inout State) {
    state.ring.removeAll(keepingFirst: state.inFlight ? 1 : 0) { message in
      switch message.kind {
      case .metadata: state.metadataDue = true
      case .videoHeader: state.videoDue = true
      case .audioHeader: state.audioDue = true
      case .keyframe, .frame, .audio: state.dropped += 1
      }
    }
    state.awaitingKey = hasVideo
    // Do not request a keyframe while dropping: it would be dropped as well.
    keyframeWanted.store(
      hasVideo && (state.awaitsScene || !state.isDroppingVideo), ordering: .relaxed)
  }

  // MARK: For the sending thread

  /// Accepts packets from now on. The next keyframe (or audio packet) becomes timestamp 0.
  func begin() {
    state.withLock { state in
      clear(&state)
      state.described = state.video
      renewMetadata(&state)
      state.accepting = true
      state.awaitingKey = hasVideo
      keyframeWanted.store(hasVideo, ordering: .relaxed)
      open.store(true, ordering: .releasing)
    }
  }

  /// Accepts no more packets, and drops the queued ones.
  func end() {
    state.withLock { state in
      clear(&state)
      state.accepting = false
      open.store(false, ordering: .releasing)
      keyframeWanted.store(false, ordering: .relaxed)
    }
  }

  private func clear(_ state: inout State) {
    state.ring.removeAll(keepingFirst: 0) { _ in }
    state.inFlight = false
    state.sleeping = false
    state.isDroppingVideo = false
    state.isVideoSuspended = false
    state.awaitsScene = false
    state.nextKeyframeAt = .distantPast
    state.clock.stop()
    state.videoDue = true
    state.audioDue = true
    state.metadataDue = true
  }

  /// The oldest message that will not be too old when it arrives. Older ones are dropped. Its bytes are valid until
  /// `finished()`.
  /// - Parameters:
  ///   - behind: nanoseconds until the link has carried what is in flight.
  ///   - nanosPerByte: nanoseconds that the link needs for each byte of the message.
  func next(behind: Int64 = 0, nanosPerByte: Int64 = 0) -> QueuedMessage? {
    let now = clock.now
    return state.withLock { state in
      while let message = state.ring.first {
        if state.inFlight { return message }
        let ahead = behind + Int64(message.bodyBytes) * nanosPerByte
        let isStale =
          !message.isFirstOfScene
          && (message.ageSince.map { now - $0 > min(staleNanos, behindNanos - ahead) } ?? false)
        if !message.isDropped, !isStale {
          state.inFlight = true
          return message
        }
        state.ring.removeFirst()
        guard !message.isDropped else { continue }
        state.dropped += 1
        if message.isVideo {
          dropVideo(&state)
          if message.kind == .keyframe, ahead > 0 {
            state.nextKeyframeAt = now + PublishQueue.keyframePauseNanos
          }
        } else if !hasVideo {
          state.overflows += 1
        }
      }
      return nil
    }
  }

  /// Removes the message that `next()` returned.
  func finished() {
    state.withLock { state in
      state.ring.removeFirst()
      state.inFlight = false
    }
  }

  /// To be called before the sender sleeps.
  /// - Returns: whether the queue is empty. Then the next `offer` asks to wake the sender.
  func prepareToSleep() -> Bool {
    let now = clock.now
    return state.withLock { state in
      state.sleeping = state.ring.count == 0
      if state.sleeping, state.isDroppingVideo, !state.isVideoSuspended, now >= state.nextKeyframeAt
      {
        state.isDroppingVideo = false
        keyframeWanted.store(state.awaitingKey, ordering: .relaxed)
      }
      return state.sleeping
    }
  }

  /// A message's body in the ring, with `RingLayout.headroom` free bytes before it.
  @unsafe func body(of message: QueuedMessage) -> UnsafeMutableRawBufferPointer {
    let begin = message.offset + RingLayout.headroom
    return unsafe UnsafeMutableRawBufferPointer(
      rebasing: memory[begin..<begin + message.bodyBytes])
  }

  /// Packets dropped, how often dropping began, whether video is being dropped, and the bytes that wait (without the
  /// message that is being sent).
  var figures: (dropped: UInt64, overflows: UInt64, isDroppingVideo: Bool, queuedBytes: Int) {
    state.withLock { state in
      let sent = state.inFlight ? state.ring.first?.bodyBytes ?? 0 : 0
      return (state.dropped, state.overflows, state.isDroppingVideo, state.ring.bytes - sent)
    }
  }

  /// Bytes of the next message; 0 when none waits.
  var nextBytes: Int { state.withLock { $0.ring.first { _ in true }?.bodyBytes ?? 0 } }

  /// When the oldest message was queued; `nil` when none waits.
  var oldestOfferedAt: MediaTime? {
    state.withLock { $0.ring.first { $0.capturedAt != nil }?.offeredAt }
  }
}

extension VideoHeader {
  /// What metadata says of this video and of the `earlier` one of the same publish: the highest rates of both.
  /// A still has fewer frames a second than live video, but that is not worth another onMetaData: some players open
  /// a new subtitle stream for each.
  fileprivate func describing(_ earlier: VideoHeader?) -> VideoHeader {
    guard let earlier, earlier.size == size else { return self }
    var both = self
    both.framesPerSecond = max(framesPerSecond, earlier.framesPerSecond)
    both.bitrateKbps = max(bitrateKbps, earlier.bitrateKbps)
    return both
  }
}
