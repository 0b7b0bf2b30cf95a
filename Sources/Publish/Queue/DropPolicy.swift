// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media

/// Decides which packets are queued, sent or dropped. Reads no clock and does no I/O: the time is passed in.
///
/// Frames need the frames before them, so after a dropped frame all others are dropped up to the next keyframe. When
/// the link falls behind, video is held back until the queue has been sent; audio goes on. The first keyframe of a
/// stream and of a new scene is always queued and sent. Packets of an earlier scene are neither queued nor sent: they
/// may be private.
struct DropPolicy {
  /// Why video is held back, and when it may start again.
  struct Hold: Equatable {
    /// Whether the rate controller has suspended video.
    var isSuspended = false
    /// The time before which no keyframe is requested, because a keyframe was dropped that would have arrived too late.
    /// The pause gives the rate controller time to lower the bit rate.
    var notBefore = MediaTime.distantPast
  }

  /// The decision about a packet that is offered to the queue.
  enum OfferDecision: Equatable {
    /// Queue the packet.
    /// - isFirstOfScene: whether it is the first keyframe of the stream or of a new scene, which is never too late.
    case queue(isFirstOfScene: Bool)
    /// Discard the packet without counting it as dropped: it is of an earlier scene, or from before the first keyframe.
    case ignore
    /// Drop the packet: the link has fallen behind, or the packet depends on one that was dropped.
    case drop
    /// Drop the packet, and the queued video, too.
    case dropWithQueuedVideo
  }

  /// The decision whether the packet that is next in the queue is sent or dropped.
  enum SendDecision: Equatable {
    case send
    case drop
    /// Drop the packet, and the queued video, too.
    case dropWithQueuedVideo
  }

  /// Held-back video may start again when the oldest queued packet has waited for at most this many nanoseconds.
  private static let freshNanos: Int64 = .milliseconds(150)
  /// Nanoseconds after the drop of a late keyframe before another keyframe is requested.
  private static let keyframePauseNanos: Int64 = .milliseconds(300)

  /// Whether a stream starts with a keyframe; otherwise with the first audio packet.
  let hasVideo: Bool
  /// How old a packet may be when it arrives at the server, in nanoseconds.
  var behindNanos: Int64
  /// The age in nanoseconds above which a packet is no longer handed to the kernel. The remaining 15 % of `behindNanos`
  /// are for the time that bytes spend in the kernel's send buffer.
  private var staleNanos: Int64 { behindNanos / 100 * 85 }
  /// The present scenes of video and audio. Packets of earlier scenes are neither queued nor sent.
  private var scenes = PresentScenes()
  /// Whether the stream has started since `begin`: with a keyframe or, if there is no video, with an audio packet.
  private(set) var hasStarted = false
  /// Whether frames are dropped until the next keyframe.
  private var needsKeyframe = false
  /// Whether a stream or a new scene of video has begun whose first keyframe is not queued yet.
  private var awaitsSceneKeyframe = false
  /// Why video is held back; `nil` while it is not.
  private(set) var hold: Hold?
  /// Which part of the stream is queued: the whole stream, only keyframes and audio, or nothing.
  private(set) var thinning = Thinning.whole
  /// How many times dropping began because the link was too slow.
  private(set) var overflows: UInt64 = 0

  /// - Parameters:
  ///   - hasVideo: whether a stream starts with a keyframe; otherwise with the first audio packet.
  ///   - behindNanos: how old a packet may be when it arrives at the server, in nanoseconds. A packet that is expected
  ///     to be older on arrival is dropped.
  init(hasVideo: Bool, behindNanos: Int64) {
    self.hasVideo = hasVideo
    self.behindNanos = behindNanos
  }

  /// Whether the next frame should be a keyframe. `false` while video is held back: the keyframe would be dropped as
  /// well.
  var requestsKeyframe: Bool {
    guard needsKeyframe, thinning < .nothing else { return false }
    return awaitsSceneKeyframe || (hold == nil && thinning == .whole)
  }

  /// Starts a stream, on a new connection. The scene numbers stay.
  mutating func begin() {
    restart()
    hold = nil
  }

  /// Starts the stream again, before any of it was sent.
  mutating func restart() {
    hasStarted = false
    needsKeyframe = hasVideo
    awaitsSceneKeyframe = hasVideo
  }

  /// Begins the video scene and the audio scene with these numbers (a scene is what is sent between two cuts). A scene
  /// whose number is not higher than the present one's does not begin.
  /// - Returns: for video and for audio, whether a new scene has begun, so that the queued packets of the earlier scene
  ///   have to be dropped.
  mutating func cut(video: UInt32, audio: UInt32) -> (video: Bool, audio: Bool) {
    let cuts = scenes.begin(video: video, audio: audio)
    if cuts.video {
      awaitsSceneKeyframe = hasVideo
      needsKeyframe = hasVideo
      // The new scene may need fewer bits than the last scene, so the new scene's video is not held back.
      hold = nil
    }
    return cuts
  }

  /// Sets which part of the stream is queued from now on.
  /// - Returns: whether the queued video, and whether all queued packets, have to be dropped.
  mutating func thin(_ thinning: Thinning) -> (video: Bool, all: Bool) {
    guard thinning != self.thinning else { return (false, false) }
    // Later frames depend on frames that were not queued, so the next frame that is queued has to be a keyframe.
    needsKeyframe = hasVideo
    defer { self.thinning = thinning }
    return (thinning == .keyframes && self.thinning == .whole, thinning == .nothing)
  }

  /// Suspends (`true`) or resumes (`false`) video.
  /// - Returns: whether the queued video has to be dropped.
  mutating func suspendVideo(_ isSuspended: Bool) -> Bool {
    guard hasVideo, isSuspended != (hold?.isSuspended ?? false) else { return false }
    if isSuspended { holdVideo() }
    hold?.isSuspended = isSuspended
    return isSuspended
  }

  /// Decides about a packet that is offered to the queue.
  /// - Parameter oldest: the oldest packet in the queue or being sent; `nil` if there is none.
  mutating func offer(
    _ kind: PacketKind, scene: UInt32, oldest: QueuedPacket?, now: MediaTime
  ) -> OfferDecision {
    let isVideo = kind != .audio
    guard !scenes.hides(kind, of: scene) else { return .ignore }
    switch (thinning, kind) {
    case (.nothing, _), (.keyframes, .frame):
      if isVideo { needsKeyframe = true }
      return hasStarted ? .drop : .ignore
    case (.whole, _), (.keyframes, _): break
    }
    let isFirstOfScene = awaitsSceneKeyframe && kind == .keyframe
    if isVideo, !isFirstOfScene, hasStarted {
      if hold != nil {
        guard canResume(now), oldest.map({ now - $0.offeredAt <= DropPolicy.freshNanos }) ?? true
        else {
          needsKeyframe = true
          return .drop
        }
        hold = nil
      } else if let oldest, now - oldest.ageSince > staleNanos {
        holdVideo()
        return .dropWithQueuedVideo
      }
    }
    if kind == .frame, needsKeyframe { return hasStarted ? .drop : .ignore }
    if !hasStarted, kind != (hasVideo ? .keyframe : .audio) { return .ignore }
    return .queue(isFirstOfScene: isFirstOfScene)
  }

  /// Notes that the offered packet was queued.
  mutating func queued(_ kind: PacketKind) {
    hasStarted = true
    guard kind == .keyframe else { return }
    needsKeyframe = false
    awaitsSceneKeyframe = false
  }

  /// Notes that there is no room for the offered packet, so that the queue is emptied.
  mutating func overflow() {
    overflows += 1
    needsKeyframe = hasVideo
  }

  /// Decides whether the next packet is sent or dropped. After a video packet is dropped, video is held back.
  /// - Parameters:
  ///   - behind: nanoseconds that the link still needs for the bytes in flight.
  ///   - nanosPerByte: nanoseconds that the link needs for each byte of the packet.
  mutating func send(
    _ packet: QueuedPacket, behind: Int64, nanosPerByte: Int64, now: MediaTime
  ) -> SendDecision {
    let ahead = behind + Int64(packet.bytes) * nanosPerByte
    if packet.isFirstOfScene || now - packet.ageSince <= min(staleNanos, behindNanos - ahead) {
      return .send
    }
    guard packet.isVideo else {
      if !hasVideo { overflows += 1 }
      return .drop
    }
    holdVideo()
    if packet.kind == .keyframe, ahead > 0 {
      hold?.notBefore = now + DropPolicy.keyframePauseNanos
    }
    return .dropWithQueuedVideo
  }

  /// Notes that all queued packets have been sent, so that held-back video may start again.
  mutating func drained(now: MediaTime) {
    if canResume(now) { hold = nil }
  }

  /// Whether held-back video may start again: it is not suspended, and `Hold.notBefore` has passed. `true` if video is
  /// not held back.
  private func canResume(_ now: MediaTime) -> Bool {
    hold.map { !$0.isSuspended && now >= $0.notBefore } ?? true
  }

  /// Holds video back until the queue has been sent. Counts an overflow unless video is held back already.
  private mutating func holdVideo() {
    needsKeyframe = true
    guard hold == nil else { return }
    overflows += 1
    hold = Hold()
  }
}
