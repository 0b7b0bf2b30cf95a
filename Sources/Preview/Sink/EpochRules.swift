// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media
internal import Mux

/// Decides which packets the preview muxes, and with which packet a new epoch begins. Reads no clock and does no I/O:
/// the time is passed in.
///
/// An epoch is a run of packets with one initialization segment. It begins with a keyframe or, without video, with an
/// audio packet. A new epoch begins when a header changes, when video or audio starts or stops, and after a frame was
/// lost.
struct EpochRules {
  /// The decision about a packet.
  enum Verdict: Equatable {
    /// The packet is discarded: it is from before a cut, such as a pause, or a frame that cannot be decoded because
    /// frames before it are missing.
    case ignore
    /// The packet is added to the present epoch: the run of packets with one initialization segment.
    case queue
    /// The packet begins a new epoch, which `EpochRules.epoch` now describes.
    case begin
  }

  /// The time without a packet after which a track counts as stopped, in nanoseconds: new epochs do not contain the
  /// track until its next packet or header.
  static let silenceNanos: Int64 = .seconds(2)
  /// The time for which the first epoch waits for the header of the missing track, video or audio, in nanoseconds. The
  /// camera, for example, may not be open yet.
  static let graceNanos: Int64 = .seconds(1)
  /// The age of the newest keyframe at which another one is requested, in nanoseconds. The keyframes of a still may be
  /// ten seconds apart, but a reader can join only at a keyframe that the store has not removed yet.
  static let keyframeAgeNanos: Int64 = .seconds(4)

  /// The newest format of the video; `nil` before the first header.
  private var video: VideoHeader?
  /// The newest format of the audio; `nil` before the first header.
  private var audio: AudioHeader?
  /// When the last video packet or header arrived.
  private var videoArrivedAt = MediaTime.distantPast
  /// When the last audio packet or header arrived.
  private var audioArrivedAt = MediaTime.distantPast
  /// The present scenes of video and audio: what is sent since the last cut, such as a pause or a mute. Packets of
  /// earlier scenes are discarded.
  private var scenes = PresentScenes()
  /// The present epoch. Its number is 0 before the first one.
  private(set) var epoch = Epoch()
  /// Whether a frame is missing, or no packet has arrived yet, so that the next packet has to begin a new epoch.
  private var isBroken = true
  /// The time until which the packets of the first epoch wait for the missing track, video or audio; `distantPast` if
  /// they do not wait.
  private(set) var heldUntil = MediaTime.distantPast
  /// The capture time of the newest keyframe.
  private var keyframeAt = MediaTime.distantPast
  /// Whether the encoder should make the next frame a keyframe.
  private(set) var needsKeyframe = true

  /// Sets the format of the video packets that follow.
  mutating func setVideo(_ header: VideoHeader, now: MediaTime) {
    video = header
    videoArrivedAt = now
    needsKeyframe = true
  }

  /// Sets the format of the audio packets that follow.
  mutating func setAudio(_ header: AudioHeader, now: MediaTime) {
    audio = header
    audioArrivedAt = now
    guard now < heldUntil else { return }
    // Add the audio track to the first epoch, which is still held back: nothing of it is muxed yet.
    if epoch.audio == nil { epoch.audio = header }
    if epoch.video != nil { heldUntil = .distantPast }
  }

  /// Begins new scenes at a cut, such as a pause or a mute: packets of earlier scenes are discarded from now on. A
  /// scene number that is not higher than the present one changes nothing.
  /// - Returns: whether all waiting packets have to be discarded, since the epoch cannot continue without the packets
  ///   of earlier scenes.
  mutating func cut(video: UInt32, audio: UInt32) -> Bool {
    let cuts = scenes.begin(video: video, audio: audio)
    let hidesEpoch = cuts.video || cuts.audio && epoch.video == nil
    if hidesEpoch { noteLoss() }
    return hidesEpoch
  }

  /// Whether a packet belongs to a scene from before the last cut, such as a pause, so that it must be discarded.
  func isHidden(_ kind: PacketKind, scene: UInt32) -> Bool {
    scenes.hides(kind, of: scene)
  }

  /// Notes that packets were lost: the next packet has to begin a new epoch.
  mutating func noteLoss() {
    isBroken = true
    needsKeyframe = video != nil
    heldUntil = .distantPast
  }

  /// Decides whether a packet is discarded, is added to the present epoch, or begins a new epoch.
  /// - Parameters:
  ///   - time: the capture time of the packet.
  ///   - now: the present time.
  mutating func offer(
    _ kind: PacketKind, scene: UInt32, time: MediaTime, now: MediaTime
  ) -> Verdict {
    let isVideo = kind != .audio
    guard !isHidden(kind, scene: scene), isVideo ? video != nil : audio != nil else {
      return .ignore
    }
    if isVideo { videoArrivedAt = now } else { audioArrivedAt = now }
    var next = Epoch(number: epoch.number + 1)
    if now - videoArrivedAt <= EpochRules.silenceNanos { next.video = video }
    if now - audioArrivedAt <= EpochRules.silenceNanos { next.audio = audio }
    let isDue = isBroken || !next.hasTracks(of: epoch)
    needsKeyframe =
      next.video != nil && (isDue || time - keyframeAt >= EpochRules.keyframeAgeNanos)
    if kind == .keyframe {
      keyframeAt = time
      needsKeyframe = false
    }
    if isDue, kind == .keyframe || !isVideo && next.video == nil {
      let isFirst = epoch.number == 0 || now < heldUntil
      if !isFirst || next.video != nil && next.audio != nil {
        heldUntil = .distantPast
      } else if epoch.number == 0 {
        heldUntil = now + EpochRules.graceNanos
      }
      epoch = next
      isBroken = false
      return .begin
    }
    guard !isBroken else { return .ignore }
    // Until the next keyframe, the present epoch continues with the tracks whose decoder configuration has not changed.
    let isInEpoch =
      isVideo
      ? epoch.video?.avcConfiguration == video?.avcConfiguration
      : epoch.audio?.audioSpecificConfig == audio?.audioSpecificConfig
    return isInEpoch ? .queue : .ignore
  }
}
