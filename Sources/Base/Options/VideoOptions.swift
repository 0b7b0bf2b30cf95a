// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// How a frame of one shape is placed in a video of another.
public enum Fit: String, Sendable, CaseIterable {
  /// The whole frame, with bars where the shapes differ.
  case fit
  /// No bars: the frame is cropped, evenly on both sides.
  case fill
  /// The whole frame and no bars: it is distorted where the shapes differ.
  case stretch
}

/// How far a frame is turned, in degrees clockwise.
public enum Rotation: Int, Sendable, CaseIterable {
  case none = 0
  case quarter = 90
  case half = 180
  case threeQuarters = 270

  /// Whether width and height change places.
  public var swapsSides: Bool { self == .quarter || self == .threeQuarters }
}

/// How a picture is placed on the frames of the broadcast. It goes as a whole from the settings to the place where it
/// counts, so that a further property needs nothing in between.
public struct VideoLook: Hashable, Sendable {
  public var rotation = Rotation.none
  /// Whether to swap left and right after the rotation.
  public var mirror = false
  /// How a picture of another shape is placed.
  public var fit = Fit.fit

  public init(rotation: Rotation = .none, mirror: Bool = false, fit: Fit = .fit) {
    (self.rotation, self.mirror, self.fit) = (rotation, mirror, fit)
  }
}

/// How much work x264 puts into a frame: those of its presets that OnAir can run live.
///
/// There is no ultrafast: an encoder that was opened with it (subpixel refinement 0, no deblocking, no CABAC) cannot
/// be given another speed later.
public enum EncoderSpeed: String, Sendable, CaseIterable {
  case superfast, veryfast, faster, fast, medium, slow
}

/// What is reduced when the network carries less than the video needs.
public enum NetworkMode: String, Sendable, CaseIterable {
  /// The bit rate, then the frame rate; never the size of the video.
  case resolution
  /// The bit rate, then the size where it may change; the frame rate last.
  case fluency
  /// As `resolution`, within limits that a person has set.
  case custom
  /// Nothing: the bit rate is constant.
  case fixed
}
