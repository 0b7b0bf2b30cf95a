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
  /// What is heard, for the audio pipeline.
  private(set) var heard = AudioScene()
  private(set) var videoNumber: UInt32 = 0
  var audioNumber: UInt32 { heard.number }
  /// When they began.
  private(set) var videoSince = MediaTime.distantPast
  private(set) var audioSince = MediaTime.distantPast

  /// `.none` changes nothing: what was shown last is shown until nobody is left to see it.
  mutating func change(_ video: Plan.Video, _ audio: Plan.Audio, now: MediaTime) -> Change {
    let changesVideo = video != self.video && video != .none
    let hidesAudio: Bool
    var changesAudio = false
    if case .tracks(let silenced) = audio, silenced != heard.silenced {
      changesAudio = true
      hidesAudio = heard.cut(to: silenced, now: now)
      audioSince = now
    } else {
      hidesAudio = false
    }
    if changesVideo {
      self.video = video
      videoNumber += 1
      videoSince = now
    }
    return Change(
      video: changesVideo, audio: changesAudio,
      hidesVideo: changesVideo && [.pauseStill, .poorNetworkStill].contains(video),
      hidesAudio: hidesAudio)
  }

  /// Begins new scenes with the same video and audio: what was sent before is not for those who join from now on. The
  /// frame that is shown at this moment stays.
  mutating func renew(now: MediaTime) {
    videoNumber += 1
    heard.renew(now: now)
    audioSince = now
  }
}
