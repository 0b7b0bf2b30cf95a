// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Encode
public import RateControl

/// The encoding speed of this machine, as measured by `onair bench`.
public struct SpeedMeasurement: Codable, Equatable, Sendable {
  /// The time for encoding one frame of a demanding scene in one picture size, at the usual effort of the encoder
  /// (`SpeedLadder.usual`).
  public struct FrameTime: Codable, Equatable, Sendable {
    public var width: Int
    public var height: Int
    /// The elapsed time of encoding one frame, in seconds.
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
    /// Whether all figures are possible. Impossible ones come from a damaged file.
    var isUsable: Bool {
      (1...16_384).contains(width) && (1...16_384).contains(height)
        && [seconds, processorSeconds].allSatisfy { $0 > 0 && $0.isFinite }
    }
  }

  /// The measured processor time of each rung of the speed ladder (each effort of the encoder), relative to the first
  /// rung.
  public var costs: SpeedCosts
  /// The measured sizes, from the smallest to the largest.
  public let sizes: [FrameTime]

  /// Returns `nil` if `sizes` is empty, or if a size has impossible figures.
  public init?(costs: SpeedCosts, sizes: [FrameTime]) {
    guard !sizes.isEmpty, sizes.allSatisfy(\.isUsable) else { return nil }
    self.costs = costs
    self.sizes = sizes.sorted { $0.pixels < $1.pixels }
  }

  /// The highest encoding cost per frame at which this machine keeps up with a frame rate. The unit is the cost of the
  /// lowest effort of the encoder (the first rung of `SpeedLadder`).
  /// - Parameters:
  ///   - size: any picture size. The time for a size that was not measured is interpolated.
  ///   - processorShare: the share of all processors' time that encoding may use, more than 0 and at most 1.
  func affordable(
    _ size: PictureSize, framesPerSecond: Double, processors: Int, processorShare: Double
  ) -> Double {
    let frame = frameTime(size)
    let byTime = SpeedGovernor.plannedFilling / frame.seconds
    let byShare = Double(processors) * processorShare / frame.processorSeconds
    return min(byTime, byShare) / framesPerSecond * usualCost
  }

  /// The highest frame rate at which this machine can encode a demanding scene with the lowest effort of the encoder
  /// (the first rung of `SpeedLadder`).
  public func framesPerSecond(
    _ size: PictureSize, processors: Int, processorShare: Double
  ) -> Double {
    affordable(
      size, framesPerSecond: 1, processors: processors, processorShare: processorShare)
  }

  /// The cost of the usual effort of the encoder, in multiples of the cost of the lowest effort.
  var usualCost: Double { SpeedLadder(costs: costs.rungs).costs[SpeedLadder.usual] }

  /// The time for encoding a frame of any size at the usual effort of the encoder, interpolated between the measured
  /// sizes by the number of pixels.
  func frameTime(_ size: PictureSize) -> FrameTime {
    let pixels = Double(size.width * size.height)
    let above = sizes.first { $0.pixels >= pixels } ?? sizes[sizes.count - 1]
    let below = sizes.last { $0.pixels <= pixels } ?? above
    func cost(_ value: (FrameTime) -> Double) -> Double {
      guard below.pixels < above.pixels else { return value(above) * pixels / above.pixels }
      let share = (pixels - below.pixels) / (above.pixels - below.pixels)
      return value(below) + (value(above) - value(below)) * share
    }
    return FrameTime(
      width: size.width, height: size.height, seconds: cost(\.seconds),
      processorSeconds: cost(\.processorSeconds))
  }
}

extension SpeedMeasurement {
  /// The picture sizes that are measured, in pixels.
  private static let measured = [(640, 360), (854, 480), (960, 540), (1280, 720), (1920, 1080)]
  /// The numbers of frames that are encoded in each size: at first `before` frames that are not measured, then
  /// `measured` frames.
  private static let frames = (before: 5, measured: 20)

  /// Measures the time for encoding frames of several sizes. No other program should use the processor meanwhile.
  /// - Parameter progress: called with each size before it is measured.
  public init(
    costs: SpeedCosts, progress: (PictureSize) -> Void
  ) throws(SpeedTrial.FailedError) {
    var sizes: [FrameTime] = []
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

  /// Measures the time for encoding a frame of this size at the usual effort of the encoder.
  private static func measure(_ size: PictureSize) throws(SpeedTrial.FailedError) -> FrameTime {
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
    return FrameTime(
      width: size.width, height: size.height, seconds: Double(nanos) / count,
      processorSeconds: Double(processorNanos) / count)
  }
}
