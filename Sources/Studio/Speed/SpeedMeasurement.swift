// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Encode
public import RateControl

/// How long encoding takes on this machine, as `onair bench` has measured it.
public struct SpeedMeasurement: Codable, Equatable, Sendable {
  /// How long one frame of a demanding scene takes to encode in one picture size, at the usual rung of the speed
  /// ladder.
  public struct Size: Codable, Equatable, Sendable {
    public var width: Int
    public var height: Int
    /// Elapsed time of encoding one frame.
    public var seconds: Double
    /// Processor time of all threads for one frame, in seconds.
    public var processorSeconds: Double

    public init(width: Int, height: Int, seconds: Double, processorSeconds: Double) {
      self.width = width
      self.height = height
      self.seconds = seconds
      self.processorSeconds = processorSeconds
    }

    var picture: PictureSize { PictureSize(width: width, height: height) }
    var pixels: Double { Double(width * height) }
    var isUsable: Bool {
      (1...16_384).contains(width) && (1...16_384).contains(height)
        && [seconds, processorSeconds].allSatisfy { $0 > 0 && $0.isFinite }
    }
  }

  public var costs: SpeedCosts
  /// The measured sizes, from the smallest to the largest.
  public let sizes: [Size]

  /// Returns `nil` if `sizes` is empty, or if one of them has impossible figures.
  public init?(costs: SpeedCosts, sizes: [Size]) {
    guard !sizes.isEmpty, sizes.allSatisfy(\.isUsable) else { return nil }
    self.costs = costs
    self.sizes = sizes.sorted { $0.pixels < $1.pixels }
  }

  /// The highest cost of a frame with which this machine keeps up with a frame rate, in multiples of the cost of the
  /// ladder's first rung.
  /// - Parameters:
  ///   - size: if it was not measured, its cost is interpolated between the two nearest measured sizes.
  ///   - processorShare: the share of all processors' time that encoding may use, more than 0 and at most 1.
  func affordable(
    _ size: PictureSize, framesPerSecond: Double, processors: Int, processorShare: Double
  ) -> Double {
    let frame = frame(size)
    let byTime = SpeedGovernor.plannedFilling / frame.seconds
    let byShare = Double(processors) * processorShare / frame.processorSeconds
    return min(byTime, byShare) / framesPerSecond * usualCost
  }

  /// The highest frame rate, for a demanding scene, with which this machine keeps up at the ladder's first rung.
  public func framesPerSecond(
    _ size: PictureSize, processors: Int, processorShare: Double
  ) -> Double {
    affordable(
      size, framesPerSecond: 1, processors: processors, processorShare: processorShare)
  }

  /// The cost of the ladder's usual rung, in multiples of the cost of the first rung.
  var usualCost: Double { SpeedLadder(costs: costs.rungs).costs[SpeedLadder.usual] }

  /// How long a frame of this size takes at the usual rung, interpolated by the number of pixels between the measured
  /// sizes.
  func frame(_ size: PictureSize) -> Size {
    let pixels = Double(size.width * size.height)
    let above = sizes.first { $0.pixels >= pixels } ?? sizes[sizes.count - 1]
    let below = sizes.last { $0.pixels <= pixels } ?? above
    func cost(_ value: (Size) -> Double) -> Double {
      guard below.pixels < above.pixels else { return value(above) * pixels / above.pixels }
      let share = (pixels - below.pixels) / (above.pixels - below.pixels)
      return value(below) + (value(above) - value(below)) * share
    }
    return Size(
      width: size.width, height: size.height, seconds: cost(\.seconds),
      processorSeconds: cost(\.processorSeconds))
  }
}

extension SpeedMeasurement {
  private static let measured = [(640, 360), (854, 480), (960, 540), (1280, 720), (1920, 1080)]
  private static let frames = (before: 5, measured: 20)

  /// Measures how long frames of several sizes take to encode. Nothing else should run meanwhile.
  /// - Parameter progress: called with each size before it is measured.
  public init(
    costs: SpeedCosts, progress: (PictureSize) -> Void
  ) throws(SpeedTrial.FailedError) {
    var sizes: [Size] = []
    for (width, height) in SpeedMeasurement.measured {
      let size = PictureSize(width: width, height: height)
      progress(size)
      sizes.append(try SpeedMeasurement.measure(size))
    }
    guard let whole = SpeedMeasurement(costs: costs, sizes: sizes) else {
      throw SpeedTrial.FailedError()
    }
    self = whole
  }

  private static func measure(_ size: PictureSize) throws(SpeedTrial.FailedError) -> Size {
    let scene = TrialScene(size)
    var (nanos, processorNanos): (Int64, Int64) = (0, 0)
    do throws(EncoderError) {
      let kbps = 2_000 * size.width * size.height / 921_600
      let encoder = try EncoderFactory.libraries.video(
        VideoFormat(
          size: size, framesPerSecond: 30, bitrateKbps: kbps, speed: nil, colour: .bt709))
      try encoder.change(
        VideoRate(bitrateKbps: kbps, effort: SpeedLadder.efforts[SpeedLadder.usual]))
      for number in 0..<(frames.before + frames.measured) {
        try unsafe scene.next { (picture) throws(EncoderError) in
          let (begun, used) = (MediaTime.now(), Processors.usedNanos)
          try unsafe encoder.encode(
            picture, FrameTag(time: MediaTime(nanos: 0)), key: false, introduced: false
          ) { _ in }
          guard number >= frames.before else { return }
          nanos += MediaTime.now() - begun
          processorNanos += Processors.usedNanos - used
        }
      }
    } catch {
      throw SpeedTrial.FailedError()
    }
    let count = Double(frames.measured) * 1e9
    return Size(
      width: size.width, height: size.height, seconds: Double(nanos) / count,
      processorSeconds: Double(processorNanos) / count)
  }
}
