// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Director
internal import Posix
internal import Settings
internal import Video

/// All values on which the preparation of a still depends. When one of them changes, the still is prepared again.
struct StillRecipe: Equatable {
  /// The key of the setting that names the image file, such as "pause.image".
  var setting: String
  /// The path of the image file; empty for the built-in image.
  var path: String
  /// The frame that the still shows in place of an image; `nil` for an image.
  var frozen: FrozenFrame?
  /// The version of the image file that was read; `nil` if there is no file.
  var stamp: FileStamp?
  /// The size in which the still is encoded, in pixels.
  var size: PictureSize
  /// The encoder's speed preset.
  var speed: EncoderSpeed
  /// The frame rate, keyframe interval and bit rate of the still.
  var rate: Still.Rate
  /// The layers that are drawn on the image.
  var layers: Composition
  /// For each of `layers`, the version of its content (`Composition.stillVersions`).
  var versions: [Int]

  /// - Parameters:
  ///   - composition: all layers of the broadcast's video, whether they are shown on stills or not.
  ///   - stamp: the version of the image file; `nil` if it is not known.
  ///   - frozen: the frame that the still shows, with its layers; `nil` for an image.
  init(
    _ picture: Plan.Video, _ settings: Settings, _ composition: Composition, stamp: FileStamp?,
    frozen: FrozenFrame? = nil
  ) {
    self.frozen = frozen
    layers = frozen == nil ? composition.onStills : Composition()
    versions = layers.stillVersions
    let (pause, slate) = (settings.pause, settings.slate)
    (setting, path) =
      switch picture {
      case .pauseStill, .soundOnly: ("pause.image", pause.image)
      case .noCameraStill, .videoOffStill: ("slate.camera_image", slate.cameraImage)
      case .poorNetworkStill: ("slate.network_image", slate.networkImage)
      case .none, .camera, .lastFrame: ("", "")
      }
    self.stamp = stamp
    size = settings.video.size
    speed = settings.video.speed ?? .veryfast
    rate = Still.Rate(
      framesPerSecond: slate.fps, gopNanos: Int64(slate.gopSeconds * 1e9))
    // A link that is too slow for live video cannot carry more than 28 kbit/s; a larger keyframe would arrive late.
    if picture == .poorNetworkStill {
      rate.kbps = 28
      rate.gopNanos = min(rate.gopNanos, .seconds(4))
    }
  }

  /// Whether two recipes are equal, apart from the versions of the image file and of the layers' content.
  func isSame(as other: StillRecipe) -> Bool {
    var other = other
    (other.stamp, other.versions) = (stamp, versions)
    return self == other
  }
}

extension StillImage.BuiltIn {
  init?(_ picture: Plan.Video) {
    switch picture {
    case .pauseStill, .soundOnly: self = .pause
    case .noCameraStill, .videoOffStill: self = .noCamera
    case .poorNetworkStill: self = .poorNetwork
    case .none, .camera, .lastFrame: return nil
    }
  }
}
