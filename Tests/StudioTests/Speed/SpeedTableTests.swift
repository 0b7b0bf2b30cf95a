// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import RateControl
import Testing

@testable import Studio

@Suite struct SpeedTableTests {
  /// The usual rung costs twice the first, which takes 4 and 16 ms.
  private static let costs = SpeedCosts(rungs: (0...SpeedLadder.top).map { 1 + Double($0) / 2 })
  private static let small = SpeedMeasurement.FrameTime(
    width: 640, height: 360, seconds: 0.008, processorSeconds: 0.012)
  private static let large = SpeedMeasurement.FrameTime(
    width: 1_280, height: 720, seconds: 0.032, processorSeconds: 0.048)

  private let measurement: SpeedMeasurement

  init() throws {
    measurement = try #require(
      SpeedMeasurement(costs: Self.costs, sizes: [Self.large, Self.small]))
  }

  private func seconds(_ width: Int, _ height: Int) -> Double {
    measurement.frameTime(PictureSize(width: width, height: height)).seconds
  }

  @Test func aSizeCostsWhatItsPixelsDo() {
    #expect(seconds(640, 360) == 0.008)
    #expect(seconds(1_280, 720) == 0.032)
    // Halfway between the two.
    #expect(abs(seconds(576, 1_000) - 0.02) < 1e-9)
    // A quarter of the smallest, and four times the largest.
    #expect(abs(seconds(320, 180) - 0.002) < 1e-9)
    #expect(abs(seconds(2_560, 1_440) - 0.128) < 1e-9)
  }

  @Test func theTableIsThatOfTheMeasurement() throws {
    let table = SpeedTable(measurement, processors: 2, processorShare: 1)
    #expect(table.rows.count == 6)
    let row = try #require(
      table.rows.first { $0.size.width == 1_280 && $0.framesPerSecond == 30 })
    // 0.68 of 33.3 ms, by 16 ms.
    let cost = 0.68 / 30 / 0.016
    #expect(abs(try #require(row.level) - (cost - 1) * 2) < 1e-9)
    #expect(abs(row.timeShare - 0.68) < 1e-9)
    let fast = try #require(
      table.rows.first { $0.size.width == 1_280 && $0.framesPerSecond == 60 })
    #expect(fast.level == nil && abs(fast.timeShare - 0.96) < 1e-9)
    #expect(table.recommendation?.size == Self.small.picture)
    // With a fifth of the processors: 0.4 / 30 by 24 ms.
    let less = SpeedTable(measurement, processors: 2, processorShare: 0.2)
    #expect(less.rows.first { $0.size.width == 1_280 && $0.framesPerSecond == 30 }?.level == nil)
  }

  @Test func impossibleFiguresAreNone() {
    #expect(SpeedMeasurement(costs: Self.costs, sizes: []) == nil)
    for seconds in [0, -1, Double.infinity, .nan] {
      var size = Self.small
      size.seconds = seconds
      #expect(SpeedMeasurement(costs: Self.costs, sizes: [Self.large, size]) == nil)
    }
    var size = Self.small
    size.width = 0
    #expect(SpeedMeasurement(costs: Self.costs, sizes: [size]) == nil)
  }
}
