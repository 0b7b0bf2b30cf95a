// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Director

/// What sinks get to see and hear, numbered: a number rises by one with each change (`Packet.scene`). Pure.
struct Scenes {
  /// What a change does.
  struct Change {
    var video: Bool
    var audio: Bool
    /// The video so far must not be sent any more.
    var hidesVideo: Bool
    var hidesAudio: Bool
  }

  private(set) var video = Plan.Video.camera
  private(set) var audio = Plan.Audio.microphone
  private(set) var videoNumber: UInt32 = 0
  private(set) var audioNumber: UInt32 = 0
  /// When they began.
  private(set) var videoSince = MediaTime.distantPast
  private(set) var audioSince = MediaTime.distantPast

  /// `.none` changes nothing: what was shown last is shown until nobody is left to see it.
  mutating func change(_ video: Plan.Video, _ audio: Plan.Audio, now: MediaTime) -> Change {
    let changesVideo = video != self.video && video != .none
    let changesAudio = audio != self.audio && audio != .none
    if changesVideo {
      self.video = video
      videoNumber += 1
      videoSince = now
    }
    if changesAudio {
      self.audio = audio
      audioNumber += 1
      audioSince = now
    }
    return Change(
      video: changesVideo, audio: changesAudio,
      hidesVideo: changesVideo && [.pauseStill, .poorNetworkStill].contains(video),
      hidesAudio: changesAudio && audio == .silence)
  }

  /// Begins new scenes with the same video and audio: what was sent before is not for those who join from now on. The
  /// frame that is shown at this moment stays.
  mutating func renew(now: MediaTime) {
    videoNumber += 1
    audioNumber += 1
    audioSince = now
  }

  /// For the audio pipeline.
  var heard: AudioPipeline.Scene {
    AudioPipeline.Scene(number: audioNumber, isHeard: audio == .microphone, since: audioSince)
  }
}
