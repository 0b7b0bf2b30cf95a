// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Settings
internal import Studio

extension LateLoss {
  /// Whether the loss was counted over more than a minute, which means that the machine is too slow only at times.
  private var isOccasional: Bool { seconds > 60 }

  /// The cause as a code for programs.
  var cause: String { isOccasional ? "too_slow_at_times" : "too_slow" }

  /// A sentence for people: what the machine is too slow for, and what to do.
  func sentence(_ video: VideoSettings) -> String {
    let count = Phrase.count(dropped, "frame or audio block", plural: "frames or audio blocks")
    return "This machine is too slow or too busy\(isOccasional ? " at times" : "") for "
      + "\(video.size) at \(video.fps) frames per second: it dropped \(count) in "
      + "\(Phrase.duration(seconds)). \(advice(video))"
  }

  /// A sentence about which settings to change.
  private func advice(_ video: VideoSettings) -> String {
    switch video.speed {
    case nil:
      "Choose a smaller video.size or a lower video.fps."
    case .superfast:
      "Set video.speed = \"auto\", or choose a smaller video.size or a lower video.fps."
    case let speed?:
      "Set video.speed = \"auto\" or one that is faster than \"\(speed.rawValue)\", or choose a smaller "
        + "video.size or a lower video.fps."
    }
  }
}
