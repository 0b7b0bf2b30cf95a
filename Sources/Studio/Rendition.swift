// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// One encoding of the stream's video or audio.
///
/// The first video and the first audio are always encoded while there is a sink. Another one, such as audio of a codec for
/// calls or a second picture, is encoded only while a sink wants it.
enum Rendition: Int, CaseIterable, Sendable {
  case video, audio, secondVideo, secondAudio

  var isVideo: Bool { self == .video || self == .secondVideo }
}

/// What a sink wants of the stream: at most one video and one audio.
struct RenditionChoice: Equatable, Sendable {
  static let programme = RenditionChoice(video: .video, audio: .audio)

  /// `nil` for none.
  let video: Rendition?
  let audio: Rendition?

  init(video: Rendition?, audio: Rendition?) {
    precondition(video?.isVideo ?? true && !(audio?.isVideo ?? false))
    self.video = video
    self.audio = audio
  }

  func includes(_ rendition: Rendition) -> Bool { video == rendition || audio == rendition }
}
