// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// The costs of the rungs of the speed ladder, as measured on a machine.
public struct SpeedCosts: Equatable, Sendable, Codable {
  /// The processor time of each rung, divided by that of the first rung.
  public var rungs: [Double]
  /// Nanoseconds of processor time for a pixel of a demanding scene on the first rung; `nil` if it was not measured.
  public var nanosPerPixel: Double?

  /// - Parameter rungs: by default the costs on a common x86-64 processor.
  public init(rungs: [Double] = SpeedLadder.usualCosts, nanosPerPixel: Double? = nil) {
    self.rungs = rungs
    self.nanosPerPixel = nanosPerPixel
  }
}

extension SpeedCosts {
  /// Whether there is one cost for each rung of the present ladder, and all costs are in the range that is possible for
  /// a processor.
  public var arePlausible: Bool {
    rungs.count == SpeedLadder.efforts.count && rungs.allSatisfy { (0.1...1_000).contains($0) }
      && nanosPerPixel.map { (0.01...1_000_000).contains($0) } ?? true
  }

  /// The time that a frame takes is its processor time, divided by the number of processors, times this factor: a part
  /// of the encoder's work cannot be divided.
  private static let undividedFactor = 1.35

  /// The frame rate at which the first rung can encode a demanding scene; `nil` if that was not measured.
  public func framesPerSecond(_ size: PictureSize, processors: Int) -> Double? {
    guard let nanosPerPixel else { return nil }
    let nanos = nanosPerPixel * Double(size.width * size.height)
    return 1e9 * SpeedGovernor.plannedFilling * Double(processors) / (nanos * Self.undividedFactor)
  }
}

/// The efforts that the speed governor chooses from, and the cost of each.
///
/// The efforts were chosen by measuring all sensible combinations at 1280x720 and 2 Mbit/s: each rung has a better SSIM
/// than the one below, on quiet and on moving content, and none is both dearer and worse than another. No effort below
/// the first rung is cheaper by more than a few percent.
public struct SpeedLadder: Equatable, Sendable {
  /// The effort of each rung, from the cheapest to the dearest.
  public static let efforts: [EncoderEffort] = [
    // Equals x264's preset superfast.
    EncoderEffort(subpixelRefinement: 1, motionSearch: .diamond, splitsBlocks: false),
    EncoderEffort(subpixelRefinement: 2, motionSearch: .diamond, splitsBlocks: false),
    // Equals x264's preset veryfast.
    EncoderEffort(subpixelRefinement: 2),
    EncoderEffort(subpixelRefinement: 3),
    // Equals x264's preset faster.
    EncoderEffort(subpixelRefinement: 4, references: 2),
    EncoderEffort(subpixelRefinement: 5, references: 2),
    // Equals x264's preset fast.
    EncoderEffort(subpixelRefinement: 6, references: 2, mixesReferences: true),
    // Equals x264's preset medium.
    EncoderEffort(subpixelRefinement: 7, references: 3, mixesReferences: true, trellis: 1),
    EncoderEffort(subpixelRefinement: 8, references: 3, mixesReferences: true, trellis: 1),
    // Equals x264's preset slow, but with fewer reference frames.
    EncoderEffort(subpixelRefinement: 8, references: 3, mixesReferences: true, trellis: 2),
    EncoderEffort(
      subpixelRefinement: 8, motionSearch: .multiHexagon, references: 3, mixesReferences: true,
      trellis: 2),
  ]

  /// The index of the rung that equals x264's preset veryfast, at which the governor begins.
  public static let usual = 2
  /// The index of the highest rung.
  public static var top: Int { efforts.count - 1 }

  /// The processor time of each rung, divided by that of the first rung, on a common x86-64 processor.
  public static let usualCosts = [1, 1.2, 1.45, 1.75, 1.95, 2.25, 3.1, 3.75, 4.6, 6.7, 7.8]

  /// Each rung costs at least this many times what the rung below costs, so that costs always rise.
  private static let leastRatio = 1.01
  /// The share of an observed deviation by which a rung's cost is corrected.
  private static let learningShare = 0.1
  /// A deviation by a larger factor than this is ignored: it comes from the scene.
  private static let plausibleDeviation = 1.5

  /// The cost of each rung, divided by that of the first rung.
  public private(set) var costs: [Double]

  /// - Parameter costs: measured costs in any unit. `usualCosts` are used instead unless there is one positive number
  ///   for each rung.
  public init(costs: [Double] = usualCosts) {
    let isUsable =
      costs.count == SpeedLadder.efforts.count && costs.allSatisfy { $0 > 0 && $0.isFinite }
    self.costs = isUsable ? costs.map { $0 / costs[0] } : SpeedLadder.usualCosts
    keepRising(from: 1)
  }

  /// The mean cost of the frames at a level. At a level between two rungs, frames alternate between these.
  public func cost(at level: Double) -> Double {
    let below = min(max(Int(level), 0), SpeedLadder.top)
    let above = min(below + 1, SpeedLadder.top)
    return costs[below] + (costs[above] - costs[below]) * (level - Double(below))
  }

  /// The highest level that costs at most `cost`; -1 if even the first rung costs more.
  public func level(of cost: Double) -> Double {
    guard cost >= costs[0] else { return -1 }
    guard let above = costs.firstIndex(where: { $0 > cost }) else { return Double(SpeedLadder.top) }
    return Double(above - 1) + (cost - costs[above - 1]) / (costs[above] - costs[above - 1])
  }

  /// Learns from two consecutive frames of one scene that were encoded at different rungs.
  /// - Parameter ratio: the processor time of the frame at `rung`, divided by that of the frame before, at `other`.
  public mutating func learn(_ rung: Int, after other: Int, ratio: Double) {
    guard rung != other, ratio > 0 else { return }
    let expected = costs[rung] / costs[other]
    let deviation = ratio / expected
    guard deviation < SpeedLadder.plausibleDeviation,
      deviation > 1 / SpeedLadder.plausibleDeviation
    else { return }
    let (lower, upper) = (min(rung, other), max(rung, other))
    // The factor by which the cost of the upper rung, and of all above it, is corrected.
    let factor = 1 + (rung > other ? deviation - 1 : 1 / deviation - 1) * SpeedLadder.learningShare
    for index in (lower + 1)...SpeedLadder.top {
      // Rungs between `lower` and `upper` are corrected in proportion to their distance from `lower`.
      let share = min(1, Double(index - lower) / Double(upper - lower))
      costs[index] *= 1 + (factor - 1) * share
    }
    keepRising(from: lower + 1)
  }

  /// Raises costs where needed, from the rung `first` upwards, so that each rung costs more than the one below.
  private mutating func keepRising(from first: Int) {
    for index in first...SpeedLadder.top {
      costs[index] = max(costs[index], costs[index - 1] * SpeedLadder.leastRatio)
    }
  }
}
