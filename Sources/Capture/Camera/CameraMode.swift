// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// The time from one frame to the next as V4L2 states it: a fraction, in seconds.
struct FrameInterval: Hashable, Sendable {
  /// The numerator of the frame interval, which is a fraction of seconds.
  var numerator: UInt32
  /// The denominator of the frame interval, which is a fraction of seconds.
  var denominator: UInt32

  /// The frame rate; 0 for an invalid fraction.
  var framesPerSecond: Double {
    numerator == 0 ? 0 : Double(denominator) / Double(numerator)
  }

  /// The interval in nanoseconds; 0 for an invalid fraction.
  var nanos: Int64 {
    denominator == 0 ? 0 : Int64(numerator) * 1_000_000_000 / Int64(denominator)
  }
}

/// An entry in the list of the picture sizes that a device offers in a pixel format (VIDIOC_ENUM_FRAMESIZES): one size,
/// or a range of sizes.
enum SizeOffer: Hashable, Sendable {
  /// A single size in pixels.
  case one(PictureSize)
  /// The sizes from `minimum` to `maximum` in steps of `step`, all in pixels.
  case range(minimum: PictureSize, maximum: PictureSize, step: PictureSize)

  /// The sizes of this entry to compare with the requested size `wanted`: at least one of them is the nearest to it.
  /// A single size is its own candidate. A range has one candidate, the smallest size that is at least as large as
  /// `wanted` in both dimensions. A range without such a size has two: the nearest width with the nearest height, and
  /// the largest size with the aspect ratio of `wanted`.
  func candidates(for wanted: PictureSize) -> [PictureSize] {
    switch self {
    case .one(let size):
      return [size]
    case .range(let minimum, let maximum, let step):
      let next = PictureSize(
        width: SizeOffer.roundedUp(wanted.width, minimum.width, maximum.width, step.width),
        height: SizeOffer.roundedUp(wanted.height, minimum.height, maximum.height, step.height))
      if next.width >= wanted.width, next.height >= wanted.height { return [next] }
      // No size is as large as `wanted`: find the largest size with the aspect ratio of `wanted`.
      let scale = min(
        Double(maximum.width) / Double(wanted.width),
        Double(maximum.height) / Double(wanted.height))
      let shaped = PictureSize(
        width: SizeOffer.roundedDown(
          Int(Double(wanted.width) * scale), minimum.width, maximum.width, step.width),
        height: SizeOffer.roundedDown(
          Int(Double(wanted.height) * scale), minimum.height, maximum.height, step.height))
      return shaped == next ? [next] : [shaped, next]
    }
  }

  /// The smallest value of a range that is at least `wanted`; the largest value if there is none.
  private static func roundedUp(_ wanted: Int, _ minimum: Int, _ maximum: Int, _ step: Int) -> Int {
    let steps = (max(wanted, minimum) - minimum + max(step, 1) - 1) / max(step, 1)
    let value = minimum + steps * max(step, 1)
    return value <= maximum ? value : roundedDown(maximum, minimum, maximum, step)
  }

  /// The largest value of a range that is at most `wanted`; the minimum if there is none.
  private static func roundedDown(_ wanted: Int, _ minimum: Int, _ maximum: Int, _ step: Int) -> Int
  {
    let limited = min(max(wanted, minimum), maximum)
    return minimum + (limited - minimum) / max(step, 1) * max(step, 1)
  }
}

/// An entry in the list of the frame intervals that a device offers in a pixel format and size
/// (VIDIOC_ENUM_FRAMEINTERVALS): one interval, or a range of intervals.
enum IntervalOffer: Hashable, Sendable {
  /// A single interval.
  case one(FrameInterval)
  /// All intervals from `shortest` to `longest`.
  case range(shortest: FrameInterval, longest: FrameInterval)

  /// The interval of this entry that is nearest to `wanted` frames per second.
  func candidate(framesPerSecond wanted: Int) -> FrameInterval {
    switch self {
    case .one(let interval):
      return interval
    case .range(let shortest, let longest):
      if shortest.framesPerSecond > 0, shortest.framesPerSecond < Double(wanted) {
        return shortest
      }
      if longest.framesPerSecond > Double(wanted) { return longest }
      return FrameInterval(numerator: 1, denominator: UInt32(wanted))
    }
  }
}

/// A mode of a device: a combination of pixel format, size and frame rate that it offers.
struct CameraMode: Hashable, Sendable {
  /// The pixel format of the mode.
  var format: FourCC
  /// The picture size of the mode in pixels.
  var size: PictureSize
  /// The frame interval; `nil` if the driver lists none for this format and size.
  var interval: FrameInterval?

  /// The frame rate; `nil` if the driver lists no valid interval for this format and size.
  var framesPerSecond: Double? {
    guard let rate = interval?.framesPerSecond, rate > 0 else { return nil }
    return rate
  }
}
