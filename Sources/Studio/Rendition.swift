// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// One encoding of the stream's video or audio.
///
/// `video` and `audio` are encoded in every broadcast, the others only while a sink wants them: `secondVideo` is the
/// programme as the settings ask for it, whatever the network carries; `cameraVideo` and `cameraAudio` are the box's own
/// picture and sound, without guests.
enum Rendition: Int, CaseIterable, Sendable {
  /// The raw values, from 0, are indices into arrays with one element for each rendition.
  case video, audio, secondVideo, cameraVideo, cameraAudio

  /// Whether this is a rendition of video, not of audio.
  var isVideo: Bool { self == .video || self == .secondVideo || self == .cameraVideo }
}

/// The renditions that a sink gets: at most one of video and one of audio.
struct RenditionChoice: Equatable, Sendable {
  /// The video and audio of the broadcast.
  static let programme = RenditionChoice(video: .video, audio: .audio)
  /// The box's own picture and sound.
  static let camera = RenditionChoice(video: .cameraVideo, audio: .cameraAudio)

  /// The rendition of video that the sink gets; `nil` for no video.
  let video: Rendition?
  /// The rendition of audio that the sink gets; `nil` for no audio.
  let audio: Rendition?

  init(video: Rendition?, audio: Rendition?) {
    precondition(video?.isVideo ?? true && !(audio?.isVideo ?? false))
    self.video = video
    self.audio = audio
  }

  /// Whether the sink gets this rendition.
  func includes(_ rendition: Rendition) -> Bool { video == rendition || audio == rendition }
}
