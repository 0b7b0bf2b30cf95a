// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Encode
internal import Media
internal import Video

/// How video is scaled and encoded.
struct VideoPlan: Sendable {
  var format: VideoFormat
  /// Nanoseconds from one keyframe to the next.
  var gopNanos: Int64
  var rotation: Rotation
  var mirror: Bool
  var fit: Fit

  func layout(of size: PictureSize) -> Layout {
    Layout(size: size, rotation: rotation, mirror: mirror, fit: fit)
  }
}
