// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media
internal import Synchronization

/// What waits to be sent: written by the video and the sound thread, emptied by the sending one.
///
/// The bytes live in one ring, allocated once. Nothing is queued while there is no connection.
@safe final class PublishQueue: @unchecked Sendable {
  /// What became of an offered packet.
  enum Outcome: Equatable {
    case queued(wake: Bool)
    /// Not wanted: no connection, before the first key picture, or of a scene that is over.
    case passed
    /// The ring was full; it has been emptied, whether this packet is in it or not.
    case overflowed(wake: Bool)
  }

  private struct State {
    var ring: RingLayout
    var accepting = false
    var inFlight = false
    /// The sender is about to sleep, or sleeps, and must be woken.
    var sleeping = false
    var clock = PublishClock()
    var video: VideoHeader?
    var audio: AudioHeader?
    var videoBody: [UInt8] = []
    var audioBody: [UInt8] = []
    var metadataBody: [UInt8] = []
    /// The header must go before the next key picture.
    var videoDue = true
    /// The header must go before the next sound.
    var audioDue = true
    var metadataDue = true
    var awaitingKey = false
    /// The link is behind: pictures are not even taken until what waits has gone.
    var isLeavingOut = false
    /// A new scene has begun and nothing of it is queued: its first picture is, however things are.
    var isCut = false
    /// A key picture would have come too late: until then no other is asked for.
    var leavesOutUntil = MediaTime.distantPast
    /// It is known to be: none is taken until that is taken back.
    var isHopeless = false
    /// The scenes that are on: what is of an earlier one is private by now.
    var pictureScene: UInt32 = 0
    var soundScene: UInt32 = 0
    /// Until when the last picture lasts, once it is known that it is the last.
    var picturesEnd: MediaTime?
    var dropped: UInt64 = 0
    /// How long a piece of sound lasts: 1,024 samples of AAC.
    var pieceNanos: Int64 {
      audio.map { 1_024 * 1_000_000_000 / Int64($0.sampleRate) } ?? 0
    }
    var overflows: UInt64 = 0
  }

  private let memory: UnsafeMutableRawBufferPointer
  private let hasVideo: Bool
  private let encoder: String
  /// Nanoseconds since its capture after which a message is to have arrived, …
  private let behindNanos: Int64
  /// … and after which it is no longer handed to the kernel, and pictures are left out up to a key picture.
  private let staleNanos: Int64
  private let state: Mutex<State>
  private let keyWanted = Atomic(false)
  /// As `State.accepting`, without the lock.
  private let open = Atomic(false)

  /// What has waited for less than this has not waited.
  private static let freshNanos: Int64 = .milliseconds(150)
  /// A rate that was too high for a key picture is lower after so long.
  private static let keyPauseNanos: Int64 = .milliseconds(300)

  /// - Parameters:
  ///   - capacity: bytes.
  ///   - behindNanos: how old a message may be when it comes to the server, as far as it lies here.
  init(capacity: Int, hasVideo: Bool, encoder: String, behindNanos: Int64 = .seconds(1_000_000)) {
    self.behindNanos = behindNanos
    // Some of it is for what the kernel has in hand.
    staleNanos = behindNanos / 100 * 85
    unsafe memory = .allocate(byteCount: capacity, alignment: 16)
    // The kernel gives it when it is first written to: an empty ring begins again at its start, and the same few
    // pages serve until a link falls behind.
    self.hasVideo = hasVideo
    self.encoder = encoder
    state = Mutex(State(ring: RingLayout(capacity: capacity)))
  }

  deinit { unsafe memory.deallocate() }

  // MARK: The encoders' side

  /// No picture follows, and the last lasts until `time`: sound is still taken until it is as long.
  /// - Returns: nanoseconds by which it ends after the pictures then.
  func endPictures(at time: MediaTime) -> Int64 {
    state.withLock {
      $0.picturesEnd = time
      return $0.clock.soundLag
    }
  }

  /// Whether the next picture should be one from which a decoder can start.
  var needsKeyframe: Bool { keyWanted.load(ordering: .relaxed) }

  /// Whether packets are taken, or only forgotten since there is no connection.
  var takesPackets: Bool { open.load(ordering: .acquiring) }

  func setVideo(_ header: VideoHeader) {
    let body = FLV.videoHeader(header.avcConfiguration)
    state.withLock { state in
      state.video = header
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

  /// Begins new scenes: from now on nothing of an earlier one is handed on, but for the message that is being
  /// sent. What waits is forgotten, and pictures go on with a key picture.
  func cut(pictures: UInt32, sounds: UInt32) {
    state.withLock { state in
      let cutsPictures = pictures > state.pictureScene
      let cutsSounds = sounds > state.soundScene
      state.pictureScene = max(state.pictureScene, pictures)
      state.soundScene = max(state.soundScene, sounds)
      guard state.accepting else { return }
      if cutsPictures {
        state.isCut = true
        // Whether the new scene fits is another question.
        state.isLeavingOut = false
        state.isHopeless = false
      }
      // The pictures that wait need not go for the sake of sound that does not.
      let soundWaits = state.ring.contains(.audio, after: state.inFlight ? 1 : 0)
      if cutsPictures || cutsSounds && soundWaits { empty(&state) }
    }
  }

  private func renewMetadata(_ state: inout State) {
    state.metadataBody = FLV.metadata(video: state.video, audio: state.audio, encoder: encoder)
    state.metadataDue = true
  }

  /// Leaves out the pictures that wait, since they would come too late, and those that follow until this is taken
  /// back and what waits has gone.
  func dropVideo(_ isHopeless: Bool) {
    state.withLock { state in
      guard state.accepting, hasVideo, isHopeless != state.isHopeless else { return }
      state.isHopeless = isHopeless
      if isHopeless { dropVideo(&state) }
    }
  }

  private func dropVideo(_ state: inout State) {
    if !state.isLeavingOut { state.overflows += 1 }
    state.isLeavingOut = true
    state.awaitingKey = true
    keyWanted.store(false, ordering: .relaxed)
    let dropped = state.ring.leaveOut(after: state.inFlight ? 1 : 0) {
      $0.isPicture && !$0.isFirst
    }
    state.dropped += UInt64(dropped)
  }

  /// Whether the link keeps up, so that pictures are taken.
  private func keepsUp(_ state: inout State, now: MediaTime) -> Bool {
    let oldest = state.ring.first { $0.capturedAt != nil }
    if state.isLeavingOut {
      if state.isHopeless || now < state.leavesOutUntil { return false }
      if let oldest, now - oldest.offeredAt > PublishQueue.freshNanos { return false }
      state.isLeavingOut = false
      keyWanted.store(state.awaitingKey, ordering: .relaxed)
    } else if let since = oldest?.ageSince, now - since > staleNanos {
      dropVideo(&state)
      return false
    }
    return true
  }

  /// Copies `packet` into the ring, if it is wanted.
  func offer(_ packet: Packet) -> Outcome {
    let now = MediaTime.now()
    return state.withLock { state in
      guard state.accepting else { return .passed }
      let isPicture = packet.kind != .audio
      guard packet.scene >= (isPicture ? state.pictureScene : state.soundScene) else {
        return .passed
      }
      if isPicture, state.video == nil { return .passed }
      if !isPicture, state.audio == nil { return .passed }
      let isFirst = state.isCut && packet.kind == .keyframe
      if isPicture, !isFirst, state.clock.isRunning, !keepsUp(&state, now: now) {
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
      if !isPicture, let end = state.picturesEnd,
        !state.clock.evensOut(packet.time, length: state.pieceNanos, picturesEnd: end)
      {
        return .passed
      }
      let stamp = isPicture ? state.clock.video(packet.time) : state.clock.audio(packet.time)
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
    // A picture that needs one which was just given up.
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
        isFirst: state.isCut && kind == .keyframe)
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
      state.isCut = false
      keyWanted.store(false, ordering: .relaxed)
    }
    return true
  }

  private typealias Due = (metadata: Bool, video: Bool, audio: Bool)

  /// A picture's header takes effect with a key picture, and its metadata go with it.
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
    // While pictures are left out it would be, too.
    keyWanted.store(hasVideo && (state.isCut || !state.isLeavingOut), ordering: .relaxed)
  }

  // MARK: The sender's side

  /// Takes packets from now on, from the next key picture (or sound) as time 0.
  func begin() {
    state.withLock { state in
      clear(&state)
      state.accepting = true
      state.awaitingKey = hasVideo
      keyWanted.store(hasVideo, ordering: .relaxed)
      open.store(true, ordering: .releasing)
    }
  }

  /// Takes no more packets and forgets those it has.
  func end() {
    state.withLock { state in
      clear(&state)
      state.accepting = false
      open.store(false, ordering: .releasing)
      keyWanted.store(false, ordering: .relaxed)
    }
  }

  private func clear(_ state: inout State) {
    state.ring.removeAll(keepingFirst: 0) { _ in }
    state.inFlight = false
    state.sleeping = false
    state.isLeavingOut = false
    state.isHopeless = false
    state.isCut = false
    state.leavesOutUntil = .distantPast
    state.clock.stop()
    state.videoDue = true
    state.audioDue = true
    state.metadataDue = true
  }

  /// The oldest message that is not too old, and will not be when it arrives. Its bytes are the caller's until
  /// `finished()`.
  /// - Parameters:
  ///   - behind: nanoseconds for what is on its way already.
  ///   - nanosPerByte: that the link takes for each of its own.
  func next(behind: Int64 = 0, nanosPerByte: Int64 = 0) -> QueuedMessage? {
    let now = MediaTime.now()
    return state.withLock { state in
      while let message = state.ring.first {
        if state.inFlight { return message }
        let ahead = behind + Int64(message.bodyBytes) * nanosPerByte
        let isStale =
          !message.isFirst
          && (message.ageSince.map { now - $0 > min(staleNanos, behindNanos - ahead) } ?? false)
        if !message.isLeftOut, !isStale {
          state.inFlight = true
          return message
        }
        state.ring.removeFirst()
        guard !message.isLeftOut else { continue }
        state.dropped += 1
        if message.isPicture {
          dropVideo(&state)
          if message.kind == .keyframe, ahead > 0 {
            state.leavesOutUntil = now + PublishQueue.keyPauseNanos
          }
        } else if !hasVideo {
          state.overflows += 1
        }
      }
      return nil
    }
  }

  /// Gives back the message that `next()` returned.
  func finished() {
    state.withLock { state in
      state.ring.removeFirst()
      state.inFlight = false
    }
  }

  /// Announces that the sender is about to sleep, if there is nothing to do.
  /// - Returns: whether there is nothing, so that the next `offer` will ask to wake it.
  func sleeps() -> Bool {
    let now = MediaTime.now()
    return state.withLock { state in
      state.sleeping = state.ring.count == 0
      if state.sleeping, state.isLeavingOut, !state.isHopeless, now >= state.leavesOutUntil {
        state.isLeavingOut = false
        keyWanted.store(state.awaitingKey, ordering: .relaxed)
      }
      return state.sleeping
    }
  }

  /// A message's body in the ring, with `RingLayout.headroom` bytes of its own before it.
  @unsafe func body(of message: QueuedMessage) -> UnsafeMutableRawBufferPointer {
    let begin = message.offset + RingLayout.headroom
    return unsafe UnsafeMutableRawBufferPointer(
      rebasing: memory[begin..<begin + message.bodyBytes])
  }

  /// - Returns: pictures and pieces of sound that were left out, how often it came to that, whether pictures are
  ///   being left out, and the bytes that wait; those of the message that is being sent are the kernel's.
  var figures: (dropped: UInt64, overflows: UInt64, isLeavingOut: Bool, queuedBytes: Int) {
    state.withLock { state in
      let sent = state.inFlight ? state.ring.first?.bodyBytes ?? 0 : 0
      return (state.dropped, state.overflows, state.isLeavingOut, state.ring.bytes - sent)
    }
  }

  /// Bytes of the message that is next; 0 where none waits.
  var nextBytes: Int { state.withLock { $0.ring.first { _ in true }?.bodyBytes ?? 0 } }

  /// Since when the oldest message waits; `nil` when none does.
  var oldestOfferedAt: MediaTime? {
    state.withLock { $0.ring.first { $0.capturedAt != nil }?.offeredAt }
  }
}
