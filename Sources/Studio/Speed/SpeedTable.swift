// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import RateControl

/// The sizes and frame rates that this machine can encode, as the table that `onair bench` prints.
public struct SpeedTable: Sendable {
  /// The result for one size and one frame rate.
  public struct Row: Sendable {
    public var size: PictureSize
    public var framesPerSecond: Int
    /// The highest level of the speed ladder with which the machine keeps up, 0 to `SpeedLadder.top`; `nil` if even the
    /// first rung takes too long.
    public var level: Double?
    /// The share of the time between two frames that encoding a frame takes at `level`, or at the first rung if `level`
    /// is `nil`.
    public var timeShare: Double

    /// The x264 preset that is nearest to the level; "too slow" without a level.
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
  ///   - processors: how many processors there are.
  ///   - processorShare: the share of their time that encoding may use, more than 0 and at most 1:
  ///     `video.cpu_percent` divided by 100.
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

  /// The row to recommend: the largest size that the machine can encode with at least the effort of x264's veryfast, at
  /// its highest frame rate up to 30. If it reaches veryfast in no row, any effort counts; `nil` if it is too slow for
  /// all rows.
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
