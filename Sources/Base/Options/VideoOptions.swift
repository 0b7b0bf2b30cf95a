// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// How a source frame is fitted into an output frame of another aspect ratio.
public enum Fit: String, Sendable, CaseIterable {
  /// Shows the whole source frame, with bars if the aspect ratios differ.
  case fit
  /// Fills the output without bars: the source frame is cropped by the same amount on two opposite sides.
  case fill
  /// Shows the whole source frame without bars: it is distorted if the aspect ratios differ.
  case stretch
}

/// How one layout of the host and the guests follows another.
public enum LayoutTransition: String, Sendable, CaseIterable {
  case cut
  case fade

  /// How long the picture fades, in nanoseconds; 0 for a cut.
  public var nanos: Int64 { self == .fade ? .milliseconds(200) : 0 }
}

/// The rotation of a source frame, in degrees clockwise.
public enum Rotation: Int, Sendable, CaseIterable {
  /// The frame is not rotated.
  case none = 0
  /// The frame is rotated by 90 degrees.
  case quarter = 90
  /// The frame is rotated by 180 degrees.
  case half = 180
  /// The frame is rotated by 270 degrees.
  case threeQuarters = 270

  /// Whether the rotation swaps the width and the height of the frame.
  public var swapsSides: Bool { self == .quarter || self == .threeQuarters }
}

/// How source frames are rotated, mirrored and fitted into the frames of the broadcast.
///
/// The settings pass this struct unchanged to the code that places frames, so a further property needs no change in the
/// code between them.
public struct VideoLook: Hashable, Sendable {
  /// The rotation that shows the source frames upright.
  public var rotation = Rotation.none
  /// Whether the frame is mirrored left to right, after the rotation.
  public var mirror = false
  /// How a source frame of another aspect ratio is fitted into the output.
  public var fit = Fit.fit
  /// The edges that are cut off after rotation and mirroring.
  public var crop = Crop.none

  public init(
    rotation: Rotation = .none, mirror: Bool = false, fit: Fit = .fit, crop: Crop = .none
  ) {
    (self.rotation, self.mirror, self.fit, self.crop) = (rotation, mirror, fit, crop)
  }
}

/// How much is cut off at each edge of a picture, as fractions of its width or its height.
public struct Crop: Hashable, Sendable {
  /// The most that is cut off at one edge, so that something is left.
  public static let most = 0.45
  public static let none = Crop(left: 0, top: 0, right: 0, bottom: 0)

  public let left, top, right, bottom: Double

  /// Each edge is limited to `most`.
  public init(left: Double, top: Double, right: Double, bottom: Double) {
    func limited(_ share: Double) -> Double { max(0, min(Crop.most, share)) }
    (self.left, self.top) = (limited(left), limited(top))
    (self.right, self.bottom) = (limited(right), limited(bottom))
  }

  /// The shares of the width and of the height that are left.
  public var rest: (width: Double, height: Double) { (1 - left - right, 1 - top - bottom) }
}

/// A fixed speed of the video encoder: the x264 presets that OnAir supports.
///
/// The preset ultrafast is missing: an encoder that was opened with it (subpixel refinement 0, no deblocking, no CABAC)
/// cannot be switched to another speed later.
public enum EncoderSpeed: String, Sendable, CaseIterable {
  case superfast, veryfast, faster, fast, medium, slow
}

/// Which properties of the video are reduced when the network cannot carry its full bit rate.
public enum NetworkMode: String, Sendable, CaseIterable {
  /// Reduces the bit rate, then the frame rate. Also reduces the size if the settings allow that, but only at lower bit
  /// rates than `fluency`.
  case resolution
  /// Reduces the bit rate, then the size of the video if the settings allow that; never the frame rate.
  case fluency
  /// Reduces the bit rate, then the frame rate; never the size. The bit-rate limits come from the settings.
  case custom
  /// Reduces nothing: the bit rate is constant.
  case fixed
}
