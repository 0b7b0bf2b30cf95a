// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media
internal import Mux

/// Decides which packets the preview takes, and where a new epoch begins. Pure: values and the time in, a decision out.
///
/// An epoch begins with a keyframe, or, without video, with an audio packet. A new one begins when a header changes,
/// when video or audio comes or goes, and when a frame is missing.
struct EpochRules {
  enum Verdict: Equatable {
    /// It is hidden, or of no use before the next keyframe.
    case ignore
    case queue
    /// It begins `epoch`.
    case begin
  }

  /// A track from which nothing was offered for this long is left out until it is heard of again.
  static let silenceNanos: Int64 = .seconds(2)
  /// How long the first epoch is held back while one of the two headers is unknown, as when a camera is being opened.
  static let graceNanos: Int64 = .seconds(1)
  /// A keyframe is requested when the newest one is this old. (A still has one every ten seconds.) Readers join at a
  /// keyframe that the store still holds.
  static let keyframeAgeNanos: Int64 = .seconds(4)

  private var video: VideoHeader?
  private var audio: AudioHeader?
  /// When something was last heard of a track: its header, or a packet.
  private var videoHeardAt = MediaTime.distantPast
  private var audioHeardAt = MediaTime.distantPast
  private var scenes = PresentScenes()
  /// The present epoch; its number is 0 before the first one.
  private(set) var epoch = Epoch()
  /// A frame is missing, or none has come yet: only a new epoch may follow.
  private var isBroken = true
  /// The packets of the first epoch wait until this time for the other track.
  private(set) var heldUntil = MediaTime.distantPast
  private var keyframeAt = MediaTime.distantPast
  /// Whether the next frame should be a keyframe.
  private(set) var needsKeyframe = true

  mutating func setVideo(_ header: VideoHeader, now: MediaTime) {
    video = header
    videoHeardAt = now
    needsKeyframe = true
  }

  mutating func setAudio(_ header: AudioHeader, now: MediaTime) {
    audio = header
    audioHeardAt = now
    guard now < heldUntil else { return }
    // Nothing has been muxed yet: the epoch gets this track, too.
    if epoch.audio == nil { epoch.audio = header }
    if epoch.video != nil { heldUntil = .distantPast }
  }

  /// Begins new scenes; a number that is not higher changes nothing.
  /// - Returns: whether all that is queued has to be discarded, since the epoch cannot go on without what is hidden.
  mutating func cut(video: UInt32, audio: UInt32) -> Bool {
    let cuts = scenes.begin(video: video, audio: audio)
    let hidesEpoch = cuts.video || cuts.audio && epoch.video == nil
    if hidesEpoch { lose() }
    return hidesEpoch
  }

  /// Whether a packet is of an earlier scene.
  func isHidden(_ kind: PacketKind, scene: UInt32) -> Bool {
    scenes.hide(kind, of: scene)
  }

  /// Packets that were taken are lost: what follows needs a new epoch.
  mutating func lose() {
    isBroken = true
    needsKeyframe = video != nil
    heldUntil = .distantPast
  }

  mutating func offer(
    _ kind: PacketKind, scene: UInt32, time: MediaTime, now: MediaTime
  ) -> Verdict {
    let isVideo = kind != .audio
    guard !isHidden(kind, scene: scene), isVideo ? video != nil : audio != nil else {
      return .ignore
    }
    if isVideo { videoHeardAt = now } else { audioHeardAt = now }
    var next = Epoch(number: epoch.number + 1)
    if now - videoHeardAt <= EpochRules.silenceNanos { next.video = video }
    if now - audioHeardAt <= EpochRules.silenceNanos { next.audio = audio }
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
    // Until the next keyframe, the present epoch goes on with those tracks that have not changed.
    let isIn =
      isVideo
      ? epoch.video?.avcConfiguration == video?.avcConfiguration
      : epoch.audio?.audioSpecificConfig == audio?.audioSpecificConfig
    return isIn ? .queue : .ignore
  }
}
