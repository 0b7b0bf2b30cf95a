// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Settings
internal import Studio

/// The test of picture and sound before a scheduled broadcast: it opens them, off air, and waits until both deliver.
struct CameraTest {
  enum Phase {
    case none
    /// The studio is open for the test, until `deadline` at most.
    case running(StudioUser, deadline: MediaTime)
    case good
    case failed(String)
  }

  /// Time after which what delivers nothing is told: half a minute is left to do something then.
  static let patience = Int64.seconds(30)

  var phase = Phase.none

  /// The phase as a code of the status.
  var word: String {
    switch phase {
    case .none: "none"
    case .running: "running"
    case .good: "good"
    case .failed: "failed"
    }
  }

  /// What is wrong, and what to do; `nil` for nothing.
  var sentence: String? { if case .failed(let sentence) = phase { sentence } else { nil } }

  /// What the studio's state says of the test: whether it is over, and what is wrong.
  static func verdict(
    _ health: StudioHealth, isOver: Bool
  ) -> (isDone: Bool, sentence: String?) {
    func isGood(_ input: StudioHealth.Input) -> Bool { input == .good || input == .unused }
    let (hasVideo, hasAudio) = (isGood(health.video), isGood(health.audio))
    if hasVideo, hasAudio, !health.encoderFailed { return (true, nil) }
    guard isOver else { return (false, nil) }
    let missing =
      health.encoderFailed
      ? "picture or sound cannot be encoded"
      : !hasVideo && !hasAudio
        ? "there is neither picture nor sound: check camera and microphone"
        : hasVideo
          ? "there is no sound: check the microphone" : "there is no picture: check the camera"
    return (true, missing)
  }
}
