// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media
internal import Mux

/// Decides which packets a recorder queues, and when it requests a keyframe. Reads no clock and does no I/O: the time
/// is passed in.
///
/// When the disk does not keep up, what already waits stays, and all further packets are dropped until half of the
/// queue is free again; then the recording goes on with a keyframe.
struct RecorderRules {
  /// The decision about a packet.
  enum Verdict: Equatable {
    /// The packet is from before a cut, or follows a frame that is missing, or the broadcast is paused.
    case ignore
    /// The packet is lost to the recording, because the disk does not keep up.
    case drop
    /// The packet is queued.
    case queue
  }

  /// The longest time for which a packet may wait, in nanoseconds.
  static let maxAgeNanos: Int64 = .seconds(10)
  /// The time without a video packet after which the recording goes on with audio alone, in nanoseconds.
  static let silenceNanos: Int64 = .seconds(12)

  /// The formats of the packets so far, each once. A packet has the index of its format plus 1.
  private(set) var formats: [MovieTrack] = []
  /// The present format of each track, as an index in `formats` plus 1; 0 before the first header.
  private(set) var present: [UInt32]
  /// The present scenes of video and audio: packets of earlier ones are discarded.
  private var scenes = PresentScenes()
  /// When the last video packet or header arrived.
  private var videoAt = MediaTime.distantPast
  /// Whether a video packet is missing, so that the next one has to be a keyframe.
  private var awaitsKeyframe = true
  /// Whether packets are dropped, because the disk does not keep up.
  private(set) var isDropping = false
  /// Whether nothing is queued, because the disk has failed.
  private(set) var isSuspended = false
  /// Whether the queue has room, so that the recording may go on after packets were dropped.
  private var hasRoom = false
  /// Whether packets are left out because the broadcast is paused.
  private(set) var isPaused = false
  /// The video scene of the pause that was left out last, which may still come for a moment after its end.
  private var pauseScene: UInt32?
  /// The number of pauses that were left out so far. A packet of a later one follows directly on those before the
  /// pause.
  private(set) var pauses: UInt32 = 0
  /// Whether the next file is due, which begins with a keyframe.
  var isCutDue = false
  /// What was dropped.
  private(set) var gaps = RecorderGaps()

  /// - Parameter tracks: the number of tracks; track 0 is the video.
  init(tracks: Int) { present = [UInt32](repeating: 0, count: tracks) }

  /// Whether the encoder should make the next frame a keyframe.
  var needsKeyframe: Bool {
    guard present[0] > 0, !isPaused, !isSuspended else { return false }
    return isDropping ? hasRoom : awaitsKeyframe || isCutDue
  }

  /// Whether video comes, so that files begin with a keyframe.
  func hasVideo(now: MediaTime) -> Bool {
    present[0] > 0 && now - videoAt <= RecorderRules.silenceNanos
  }

  /// Sets the format of the packets of a track that follow.
  mutating func setFormat(_ format: MovieTrack, of track: Int, now: MediaTime) {
    if track == 0 { videoAt = now }
    let known = formats.firstIndex(of: format) ?? formats.count
    if known == formats.count { formats.append(format) }
    guard present[track] != UInt32(known + 1) else { return }
    present[track] = UInt32(known + 1)
    if track == 0 { awaitsKeyframe = true }
  }

  /// Ends a track: its packets are ignored until it has a format again.
  mutating func endTrack(_ track: Int) { present[track] = 0 }

  /// Begins new scenes at a cut: packets of earlier scenes are discarded from now on.
  mutating func cut(video: UInt32, audio: UInt32) {
    if scenes.begin(video: video, audio: audio).video { awaitsKeyframe = true }
  }

  /// Whether a packet belongs to a scene from before the last cut.
  func isHidden(_ packet: QueuedPacket) -> Bool { scenes.hides(packet.kind, of: packet.scene) }

  /// Leaves out what comes during a pause.
  mutating func setPaused(_ isPaused: Bool) {
    guard isPaused != self.isPaused else { return }
    self.isPaused = isPaused
    awaitsKeyframe = true
    if !isPaused { pauses += 1 }
  }

  /// Queues nothing more until `resume`, because the disk has failed.
  mutating func suspend() { isSuspended = true }

  /// Queues packets again, from a keyframe on.
  mutating func resume() {
    guard isSuspended else { return }
    isSuspended = false
    isDropping = true
    hasRoom = true
  }

  /// Notes how full the queue is.
  /// - Parameter hasRoom: whether half of the queue is free.
  mutating func note(hasRoom: Bool) { if !isSuspended { self.hasRoom = hasRoom } }

  /// Decides about a packet.
  /// - Parameters:
  ///   - age: how long the oldest packet in the queue has waited, in nanoseconds.
  ///   - fits: whether there is memory for the packet.
  mutating func offer(
    _ packet: QueuedPacket, age: Int64, fits: Bool, now: MediaTime
  ) -> Verdict {
    if isPaused, packet.isVideo { pauseScene = packet.scene }
    guard !isHidden(packet), present[Int(packet.track)] > 0, !isPaused else { return .ignore }
    if packet.isVideo { videoAt = now }
    if packet.isVideo, packet.scene == pauseScene { return .ignore }
    if isSuspended { return drop(packet) }
    let beginsGroup =
      packet.kind == .keyframe
      || !packet.isVideo && !hasVideo(now: now)
    if isDropping {
      guard beginsGroup, hasRoom, fits else { return drop(packet) }
      isDropping = false
      gaps.end(at: packet.time)
    }
    if age > RecorderRules.maxAgeNanos || !fits {
      isDropping = true
      hasRoom = false
      return drop(packet)
    }
    if packet.kind == .keyframe { awaitsKeyframe = false }
    return packet.isVideo && awaitsKeyframe ? .ignore : .queue
  }

  /// Notes that a packet is lost.
  private mutating func drop(_ packet: QueuedPacket) -> Verdict {
    lose(packet)
    return .drop
  }

  /// Notes that a packet is lost, also one that was queued.
  mutating func lose(_ packet: QueuedPacket) {
    gaps.note(packet)
    if packet.isVideo { awaitsKeyframe = true }
  }
}

/// The packets that are missing in a recording, because the disk did not keep up or failed.
struct RecorderGaps: Equatable {
  /// The number of gaps.
  private(set) var count = 0
  /// The length of the gaps that have ended, in nanoseconds.
  private(set) var nanos: Int64 = 0
  /// The video frames that were dropped.
  private(set) var frames = 0
  /// The time of the first packet of the present gap; `nil` outside of gaps.
  private(set) var since: MediaTime?
  /// When the last gap ended.
  private(set) var endedAt = MediaTime.distantPast

  /// Notes that a packet is lost.
  mutating func note(_ packet: QueuedPacket) {
    if packet.isVideo { frames += 1 }
    guard since == nil else { return }
    since = packet.time
    count += 1
  }

  /// Ends the present gap.
  mutating func end(at time: MediaTime) {
    guard let since else { return }
    nanos += max(0, time - since)
    self.since = nil
    endedAt = time
  }
}
