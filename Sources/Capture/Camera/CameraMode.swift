// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// The time from frame to frame as a fraction of seconds, as V4L2 gives it.
struct FrameInterval: Hashable, Sendable {
  var numerator: UInt32
  var denominator: UInt32

  /// 0 when the fraction says nothing.
  var framesPerSecond: Double {
    numerator == 0 ? 0 : Double(denominator) / Double(numerator)
  }

  /// Nanoseconds; 0 when the fraction says nothing.
  var nanos: Int64 {
    denominator == 0 ? 0 : Int64(numerator) * 1_000_000_000 / Int64(denominator)
  }
}

/// Sizes that a device offers in one format (VIDIOC_ENUM_FRAMESIZES).
enum SizeOffer: Hashable, Sendable {
  case one(PictureSize)
  case range(least: PictureSize, greatest: PictureSize, step: PictureSize)

  /// Those that may be the nearest to `wanted`: it or the next above where that is offered, and the
  /// greatest of its shape where it is not.
  func candidates(for wanted: PictureSize) -> [PictureSize] {
    switch self {
    case .one(let size):
      return [size]
    case .range(let least, let greatest, let step):
      let next = PictureSize(
        width: SizeOffer.above(wanted.width, least.width, greatest.width, step.width),
        height: SizeOffer.above(wanted.height, least.height, greatest.height, step.height))
      if next.width >= wanted.width, next.height >= wanted.height { return [next] }
      // Too small in one dimension or both: the largest that keeps the shape.
      let scale = min(
        Double(greatest.width) / Double(wanted.width),
        Double(greatest.height) / Double(wanted.height))
      let shaped = PictureSize(
        width: SizeOffer.below(
          Int(Double(wanted.width) * scale), least.width, greatest.width, step.width),
        height: SizeOffer.below(
          Int(Double(wanted.height) * scale), least.height, greatest.height, step.height))
      return shaped == next ? [next] : [shaped, next]
    }
  }

  private static func above(_ wanted: Int, _ least: Int, _ greatest: Int, _ step: Int) -> Int {
    let steps = (max(wanted, least) - least + max(step, 1) - 1) / max(step, 1)
    let value = least + steps * max(step, 1)
    return value <= greatest ? value : below(greatest, least, greatest, step)
  }

  private static func below(_ wanted: Int, _ least: Int, _ greatest: Int, _ step: Int) -> Int {
    let limited = min(max(wanted, least), greatest)
    return least + (limited - least) / max(step, 1) * max(step, 1)
  }
}

/// Frame intervals that a device offers in one format and size (VIDIOC_ENUM_FRAMEINTERVALS).
enum IntervalOffer: Hashable, Sendable {
  case one(FrameInterval)
  case range(least: FrameInterval, greatest: FrameInterval)

  /// The nearest to so many frames a second.
  func candidate(framesPerSecond wanted: Int) -> FrameInterval {
    switch self {
    case .one(let interval):
      return interval
    case .range(let least, let greatest):
      if least.framesPerSecond > 0, least.framesPerSecond < Double(wanted) { return least }
      if greatest.framesPerSecond > Double(wanted) { return greatest }
      return FrameInterval(numerator: 1, denominator: UInt32(wanted))
    }
  }
}

/// One way to run a device.
struct CameraMode: Hashable, Sendable {
  var format: FourCC
  var size: PictureSize
  /// `nil` when the driver does not list any.
  var interval: FrameInterval?

  var framesPerSecond: Double? {
    guard let rate = interval?.framesPerSecond, rate > 0 else { return nil }
    return rate
  }
}
