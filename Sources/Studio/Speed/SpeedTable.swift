// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Encode
public import Media
public import RateControl

/// Which sizes and frame rates this machine carries, as `onair bench` prints it.
public struct SpeedTable: Sendable {
  /// A size and a frame rate.
  public struct Row: Sendable {
    public var size: PictureSize
    public var framesPerSecond: Int
    /// The level of the speed ladder that it carries, 0 to `SpeedLadder.top`; `nil` if not even the first rung fits.
    public var level: Double?
    /// The share of the time between two frames that a frame takes at that level, or at the first rung.
    public var timeShare: Double

    /// What the level is like: the nearest of x264's presets.
    public var quality: String {
      guard let level else { return "too slow" }
      return switch level {
      case ..<1.5: "superfast"
      case ..<3.5: "veryfast"
      case ..<5.5: "faster"
      case ..<6.5: "fast"
      case ..<8.5: "medium"
      default: "slow"
      }
    }
  }

  public static let sizes = [(640, 360), (854, 480), (960, 540), (1280, 720), (1920, 1080)]
  public static let rates = [25, 30, 60]
  private static let frames = (before: 5, measured: 20)
  /// As much as the governor plans.
  private static let filling = SpeedGovernor.plannedFilling

  public private(set) var rows: [Row] = []

  /// Measures. Nothing else should run meanwhile.
  /// - Parameters:
  ///   - processors: how many there are.
  ///   - processorShare: as `video.cpu_percent`, above 0 to 1.
  public init(
    costs: SpeedCosts, processors: Int, processorShare: Double, progress: (PictureSize) -> Void
  ) throws(SpeedTrial.Failed) {
    let ladder = SpeedLadder(costs: costs.rungs)
    for (width, height) in SpeedTable.sizes {
      let size = PictureSize(width: width, height: height)
      progress(size)
      let (seconds, processorSeconds) = try SpeedTable.measure(size)
      for rate in SpeedTable.rates {
        let interval = 1 / Double(rate)
        let byTime = interval * SpeedTable.filling / seconds
        let byShare = interval * Double(processors) * processorShare / processorSeconds
        let level = ladder.level(
          of: min(byTime, byShare) * ladder.cost(at: Double(SpeedLadder.usual)))
        let usual = ladder.cost(at: Double(SpeedLadder.usual))
        rows.append(
          Row(
            size: size, framesPerSecond: rate, level: level < 0 ? nil : level,
            timeShare: seconds / usual * ladder.cost(at: max(0, level)) / interval))
      }
    }
  }

  /// The best that this machine carries with at least the work of veryfast: the largest size, and of its frame rates the
  /// highest up to 30.
  public var recommendation: Row? {
    let good = rows.filter {
      $0.framesPerSecond <= 30 && ($0.level ?? -1) >= Double(SpeedLadder.usual)
    }
    let any = rows.filter { $0.framesPerSecond <= 30 && $0.level != nil }
    return (good.isEmpty ? any : good).max {
      ($0.size.width * $0.size.height, $0.framesPerSecond)
        < ($1.size.width * $1.size.height, $1.framesPerSecond)
    }
  }

  /// - Returns: the seconds that a frame takes at the usual rung, and the processor time of all threads.
  private static func measure(
    _ size: PictureSize
  ) throws(SpeedTrial.Failed) -> (seconds: Double, processorSeconds: Double) {
    let scene = TrialScene(size)
    var (nanos, processorNanos): (Int64, Int64) = (0, 0)
    do throws(EncoderError) {
      let kbps = 2_000 * size.width * size.height / 921_600
      let encoder = try X264Encoder(
        VideoFormat(
          size: size, framesPerSecond: 30, bitrateKbps: kbps, speed: nil, colour: .bt709))
      try encoder.change(
        VideoRate(bitrateKbps: kbps, effort: SpeedLadder.efforts[SpeedLadder.usual]))
      for number in 0..<(frames.before + frames.measured) {
        try unsafe scene.next { (picture) throws(EncoderError) in
          let (begun, used) = (MediaTime.now(), Processors.usedNanos)
          try unsafe encoder.encode(picture, time: MediaTime(nanos: 0), key: false) { _ in }
          guard number >= frames.before else { return }
          nanos += MediaTime.now() - begun
          processorNanos += Processors.usedNanos - used
        }
      }
    } catch {
      throw SpeedTrial.Failed()
    }
    let count = Double(frames.measured) * 1e9
    return (Double(nanos) / count, Double(processorNanos) / count)
  }
}
