// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import RateControl

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

  public static let rates = [25, 30, 60]

  public private(set) var rows: [Row] = []

  /// - Parameters:
  ///   - processors: how many there are.
  ///   - processorShare: as `video.cpu_percent`, above 0 to 1.
  public init(_ measurement: SpeedMeasurement, processors: Int, processorShare: Double) {
    let ladder = SpeedLadder(costs: measurement.costs.rungs)
    for measured in measurement.sizes {
      for rate in SpeedTable.rates {
        let level = ladder.level(
          of: measurement.affordable(
            measured.picture, framesPerSecond: Double(rate), processors: processors,
            processorShare: processorShare))
        let cost = ladder.cost(at: max(0, level)) / measurement.usualCost
        rows.append(
          Row(
            size: measured.picture, framesPerSecond: rate, level: level < 0 ? nil : level,
            timeShare: measured.seconds * cost * Double(rate)))
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
}
