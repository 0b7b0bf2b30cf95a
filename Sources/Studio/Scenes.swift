// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Director

/// The present video scene and the present audio scene. A scene is what viewers see or hear between two cuts; its
/// number is one higher than that of the scene before (`Packet.scene`). Reads no clock and does no I/O: the time is
/// passed in.
struct Scenes {
  /// Which scenes a call of `Scenes.change` has changed, and whether sinks must discard earlier scenes.
  struct Change {
    /// Whether a new video scene has begun.
    var beginsVideo: Bool
    /// Whether a new audio scene has begun.
    var beginsAudio: Bool
    /// Whether sinks must discard the video of earlier scenes, including what they have queued, because viewers must
    /// not see it any more.
    var hidesVideo: Bool
    /// As `hidesVideo`, for the second rendition of the video, which shows no still for a poor network.
    var hidesSecondVideo: Bool
    /// Whether sinks must discard the audio of earlier scenes, including what they have queued, because viewers must
    /// not hear it any more.
    var hidesAudio: Bool
  }

  /// The pictures that must replace the live video at once, together with what sinks have queued of it.
  private static let hiding: Set<Plan.Video> = [
    .pauseStill, .lastFrame, .soundOnly, .poorNetworkStill, .videoOffStill,
  ]

  /// The video of the present scene: live video or one of the stills.
  private(set) var video = Plan.Video.camera
  /// The present audio scene: which tracks are heard, and from which capture time on.
  private(set) var audioScene = AudioScene()
  /// The number of the present video scene.
  private(set) var videoNumber: UInt32 = 0
  /// The number of the present audio scene.
  var audioNumber: UInt32 { audioScene.number }
  /// When the video was last cut to other content. `renew` keeps this time, so that the current frame stays visible.
  private(set) var videoSince = MediaTime.distantPast
  /// The video of the present scene in the second rendition, which a poor network does not replace by a still.
  var secondVideo: Plan.Video { video == .poorNetworkStill ? .camera : video }
  /// When the second rendition of the video was last cut to other content.
  private(set) var secondVideoSince = MediaTime.distantPast
  /// When the present audio scene began.
  private(set) var audioSince = MediaTime.distantPast

  /// Cuts to this video and audio. `.none` (in a plan for the end of a broadcast) changes nothing: the last viewers
  /// keep the present video or audio.
  mutating func change(_ video: Plan.Video, _ audio: Plan.Audio, now: MediaTime) -> Change {
    let changesVideo = video != self.video && video != .none
    let hidesAudio: Bool
    var changesAudio = false
    if case .tracks(let silenced) = audio, silenced != audioScene.silenced {
      changesAudio = true
      hidesAudio = audioScene.cut(to: silenced, now: now)
      audioSince = now
    } else {
      hidesAudio = false
    }
    let secondBefore = secondVideo
    if changesVideo {
      self.video = video
      videoNumber += 1
      videoSince = now
    }
    let changesSecond = secondVideo != secondBefore
    if changesSecond { secondVideoSince = now }
    return Change(
      beginsVideo: changesVideo, beginsAudio: changesAudio,
      hidesVideo: changesVideo && Scenes.hiding.contains(video),
      hidesSecondVideo: changesSecond && Scenes.hiding.contains(secondVideo),
      hidesAudio: hidesAudio)
  }

  /// Begins a new video scene and a new audio scene with the same content. Sinks that join from now on get nothing of
  /// earlier scenes, except for the current frame, which the new scene shows as well.
  mutating func renew(now: MediaTime) {
    videoNumber += 1
    audioScene.renew(now: now)
    audioSince = now
  }
}
