// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
package import Settings
package import Studio

// Sentences for people about a source that delivers nothing and gives no reason: what is so, and what to do.

extension VideoSource {
  /// A sentence for people, for the time while no frames come from this source.
  var stalledSentence: String {
    switch self {
    case .camera, .none:
      "No picture comes from the camera, so the still is sent in its place. It comes back by itself. If this happens often, "
        + "check the camera's cable, and what else keeps the box busy."
    case .pattern:
      "The test picture has stopped, so the still is sent in its place: the box is too busy. It comes back by itself."
    case .pipe:
      "Nothing comes from the pipe, so the still is sent in its place: check the program that writes into it."
    case .file:
      "No picture comes from the file, so the still is sent in its place. It comes back by itself. If this happens often, "
        + "check the file's disk, and what else keeps the box busy."
    case .guest:
      "No picture comes from the guest, so the still is sent in its place. It comes back by itself: check what he sends with, "
        + "and his network."
    }
  }
}

extension AudioSource {
  /// A sentence for people, for the time while no samples come from this source.
  var stalledSentence: String {
    switch self {
    case .microphone, .silence, .none:
      "No sound comes from the microphone, so silence is sent in its place. It comes back by itself. If this happens often, "
        + "check the microphone's cable, and what else keeps the box busy."
    case .tone:
      "The test tone has stopped, so silence is sent in its place: the box is too busy. It comes back by itself."
    case .file:
      "No sound comes from the file, so silence is sent in its place. It comes back by itself. If this happens often, "
        + "check the file's disk, and what else keeps the box busy."
    case .pipe:
      "No sound comes from the pipe, so viewers hear silence. Check the program that writes into it."
    }
  }
}

/// The kinds of the video source and the audio source that are open.
package struct OpenSources: Sendable {
  /// The `cause` of events and troubles when a source delivers nothing and gives no reason.
  package static let stalledCause = "stalled"

  /// The kind of the open video source; `nil` while video is closed.
  var video: VideoSource?
  /// The kind of the open audio source; `nil` while audio is closed.
  var audio: AudioSource?

  package init(_ sources: (video: VideoSource?, audio: AudioSource?)) {
    (video, audio) = sources
  }

  /// Whether the video may come from a camera: `false` only while a test picture, a pipe, a file or a guest is open.
  var mayHaveCamera: Bool {
    switch video {
    case .pattern, .pipe, .file, .guest: false
    case .camera, .some(.none), nil: true
    }
  }

  /// Whether the audio may come from a microphone: `false` only while the test tone, a pipe or a file is open.
  var mayHaveMicrophone: Bool {
    switch audio {
    case .tone, .pipe, .file: false
    case .microphone, .silence, .some(.none), nil: true
    }
  }

  /// A sentence for people about a source that delivers nothing.
  /// - Parameter half: whether it is the video or the audio source.
  package func stalledSentence(_ half: StudioReport.Input) -> String {
    half == .video ? (video ?? .none).stalledSentence : (audio ?? .none).stalledSentence
  }

  /// A sentence for people about a source that delivers again.
  /// - Parameters:
  ///   - half: whether it is the video or the audio source.
  ///   - seconds: for how long the source has delivered nothing.
  package static func recoveredSentence(_ half: StudioReport.Input, seconds: Int) -> String {
    let age = Phrase.duration(seconds)
    return half == .video
      ? "The picture was missing for \(age). The still was sent in its place."
      : "The sound was missing for \(age). Silence was sent in its place."
  }
}
