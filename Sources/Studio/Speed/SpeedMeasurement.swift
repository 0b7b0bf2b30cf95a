// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Encode
public import RateControl

/// What encoding takes on this machine, as `onair bench` has measured it.
public struct SpeedMeasurement: Codable, Equatable, Sendable {
  /// What a frame of a demanding scene takes at the usual rung.
  public struct Size: Codable, Equatable, Sendable {
    public var width: Int
    public var height: Int
    public var seconds: Double
    /// Of all threads.
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
  /// From the smallest to the largest.
  public let sizes: [Size]

  /// - Parameter sizes: `nil` results from none, or from impossible figures.
  public init?(costs: SpeedCosts, sizes: [Size]) {
    guard !sizes.isEmpty, sizes.allSatisfy(\.isUsable) else { return nil }
    self.costs = costs
    self.sizes = sizes.sorted { $0.pixels < $1.pixels }
  }

  /// The cost of a frame that a frame rate leaves room for, by that of the first rung.
  /// - Parameters:
  ///   - size: one that was not measured is taken to cost what its pixels do, between the two nearest.
  ///   - processorShare: of all processors, above 0 to 1.
  func affordable(
    _ size: PictureSize, framesPerSecond: Double, processors: Int, processorShare: Double
  ) -> Double {
    let frame = frame(size)
    let byTime = SpeedGovernor.plannedFilling / frame.seconds
    let byShare = Double(processors) * processorShare / frame.processorSeconds
    return min(byTime, byShare) / framesPerSecond * usualCost
  }

  /// The frames a second of a demanding scene that the first rung carries.
  public func framesPerSecond(
    _ size: PictureSize, processors: Int, processorShare: Double
  ) -> Double {
    affordable(
      size, framesPerSecond: 1, processors: processors, processorShare: processorShare)
  }

  /// Of the usual rung, by that of the first.
  var usualCost: Double { SpeedLadder(costs: costs.rungs).costs[SpeedLadder.usual] }

  /// What a frame takes at the usual rung.
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

  /// Measures. Nothing else should run meanwhile.
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
