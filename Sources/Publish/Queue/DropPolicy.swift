// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media

/// Decides which packets are queued, sent or dropped. Pure: values and the time in, a decision out.
///
/// Frames need the frames before them, so what follows a dropped frame is dropped up to the next keyframe. When the
/// link falls behind, video is held back until the queue has been sent; audio goes on. The first keyframe of a new
/// scene is always queued and sent. Packets of an earlier scene never are: they may be private.
struct DropPolicy {
  /// Why video is held back.
  struct Hold: Equatable {
    /// The rate controller has suspended video.
    var isSuspended = false
    /// A keyframe would have arrived late: no other is requested before this time. By then the bit rate is lower.
    var notBefore = MediaTime.distantPast
  }

  /// What to do with an offered packet.
  enum Offer: Equatable {
    case queue(isFirstOfScene: Bool)
    /// It is of no use: of an earlier scene, or from before the first keyframe.
    case ignore
    /// The link, or an earlier drop, leaves no room for it.
    case drop
    /// The same, and the queued video has to be dropped, too.
    case dropWithQueuedVideo
  }

  /// What to do with the packet that would be sent next.
  enum Send: Equatable {
    case send
    case drop
    /// The queued video has to be dropped, too.
    case dropWithQueuedVideo
  }

  /// Queue delays below this are treated as zero.
  private static let freshNanos: Int64 = .milliseconds(150)
  /// Minimum time between keyframe requests after a keyframe was dropped.
  private static let keyframePauseNanos: Int64 = .milliseconds(300)

  let hasVideo: Bool
  /// The age at which a packet should have arrived at the server.
  var behindNanos: Int64
  /// The age from which a packet is no longer handed to the kernel. The rest is for the bytes in the kernel.
  private var staleNanos: Int64 { behindNanos / 100 * 85 }
  private var scenes = PresentScenes()
  /// A packet with which a stream may start was queued since `begin`.
  private(set) var hasStarted = false
  /// Frames are dropped up to the next keyframe.
  private var needsKeyframe = false
  /// A new scene has begun and its first keyframe is not queued yet.
  private var awaitsScene = false
  private(set) var hold: Hold?
  /// How much of the stream is queued at all.
  private(set) var thinning = Thinning.whole
  /// How often dropping began.
  private(set) var overflows: UInt64 = 0

  /// - Parameters:
  ///   - hasVideo: whether a stream starts with a keyframe; otherwise with the first audio packet.
  ///   - behindNanos: how old a packet may be when it arrives at the server, as far as this side decides.
  init(hasVideo: Bool, behindNanos: Int64) {
    self.hasVideo = hasVideo
    self.behindNanos = behindNanos
  }

  /// Whether the next frame should be a keyframe. Not while video is held back: it would be dropped as well.
  var requestsKeyframe: Bool {
    guard needsKeyframe, thinning < .nothing else { return false }
    return awaitsScene || (hold == nil && thinning == .whole)
  }

  /// Starts a stream. The scenes go on.
  mutating func begin() {
    hasStarted = false
    needsKeyframe = hasVideo
    awaitsScene = false
    hold = nil
  }

  /// Begins new scenes; a number that is not higher changes nothing.
  /// - Returns: which of the two have changed. Their queued packets have to be dropped.
  mutating func cut(video: UInt32, audio: UInt32) -> (video: Bool, audio: Bool) {
    let cuts = scenes.begin(video: video, audio: audio)
    if cuts.video {
      awaitsScene = hasVideo
      needsKeyframe = hasVideo
      // Whether the new scene fits the link has to be found out anew.
      hold = nil
    }
    return cuts
  }

  /// - Returns: whether the queued packets have to be dropped: the video, or all.
  mutating func thin(_ thinning: Thinning) -> (video: Bool, all: Bool) {
    guard thinning != self.thinning else { return (false, false) }
    // Frames need those that were not queued.
    needsKeyframe = hasVideo
    defer { self.thinning = thinning }
    return (thinning == .keyframes && self.thinning == .whole, thinning == .nothing)
  }

  /// - Returns: whether the queued video has to be dropped.
  mutating func suspendVideo(_ isSuspended: Bool) -> Bool {
    guard hasVideo, isSuspended != (hold?.isSuspended ?? false) else { return false }
    if isSuspended { holdVideo() }
    hold?.isSuspended = isSuspended
    return isSuspended
  }

  /// - Parameter oldest: the oldest packet in the queue or being sent.
  mutating func offer(
    _ kind: PacketKind, scene: UInt32, oldest: QueuedPacket?, now: MediaTime
  ) -> Offer {
    let isVideo = kind != .audio
    guard !scenes.hide(kind, of: scene) else { return .ignore }
    switch (thinning, kind) {
    case (.nothing, _), (.keyframes, .frame):
      if isVideo { needsKeyframe = true }
      return hasStarted ? .drop : .ignore
    case (.whole, _), (.keyframes, _): break
    }
    let isFirstOfScene = awaitsScene && kind == .keyframe
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
    if !hasStarted {
      guard kind == (hasVideo ? .keyframe : .audio) else { return .ignore }
      hasStarted = true
    }
    return .queue(isFirstOfScene: isFirstOfScene)
  }

  /// The offered packet is in the queue.
  mutating func queued(_ kind: PacketKind) {
    guard kind == .keyframe else { return }
    needsKeyframe = false
    awaitsScene = false
  }

  /// There is no room for the offered packet: the queue has to be emptied.
  mutating func overflow() {
    overflows += 1
    needsKeyframe = hasVideo
  }

  /// - Parameters:
  ///   - behind: nanoseconds until the link has carried what is in flight.
  ///   - nanosPerByte: nanoseconds that the link needs for each byte of the packet.
  mutating func send(
    _ packet: QueuedPacket, behind: Int64, nanosPerByte: Int64, now: MediaTime
  ) -> Send {
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

  /// The queue has been sent.
  mutating func drained(now: MediaTime) {
    if canResume(now) { hold = nil }
  }

  private func canResume(_ now: MediaTime) -> Bool {
    hold.map { !$0.isSuspended && now >= $0.notBefore } ?? true
  }

  private mutating func holdVideo() {
    needsKeyframe = true
    guard hold == nil else { return }
    overflows += 1
    hold = Hold()
  }
}
