// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import RateControl

/// The table that `onair bench` prints: how well this machine can encode each size at each frame rate.
public struct SpeedTable: Sendable {
  /// The result for one size and one frame rate.
  public struct Row: Sendable {
    public var size: PictureSize
    public var framesPerSecond: Int
    /// The highest effort of the encoder with which the machine keeps up, as a level of the speed ladder, 0 to
    /// `SpeedLadder.top`; `nil` if even level 0 takes too long.
    public var level: Double?
    /// The time for encoding a frame at `level` (at level 0 if `level` is `nil`), divided by the time between two
    /// frames. Above 1 if the machine is too slow.
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

  /// The frame rates of the table, in frames per second.
  public static let rates = [25, 30, 60]

  /// One row for each measured size and each of `rates`.
  public private(set) var rows: [Row] = []

  /// - Parameters:
  ///   - processors: the number of processors of the machine.
  ///   - processorShare: the share of all processors' time that encoding may use, more than 0 and at most 1: the
  ///     setting `video.cpu_percent` divided by 100.
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

  /// The recommended row: the largest size that the machine can encode with at least the effort of x264's preset
  /// veryfast, with the highest frame rate up to 30 for this size. If no row reaches veryfast, rows with less effort
  /// are considered. `nil` if the machine is too slow for all rows.
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
