// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
internal import Base
internal import Media
internal import TestSupport
internal import Video

/// What the filters on the camera's picture cost for each frame. Measured in this process: processor time of this thread, the
/// best of many. The copy of the frame that the first filter needs is part of it.
struct Filters: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "filters", abstract: "Prints the microseconds of a frame for each filter.")

  private static let size = PictureSize(width: 1_280, height: 720)
  private static let rounds = 200

  func run() throws {
    let none = try Filters.microseconds(SourceFilters())
    func line(_ name: String, _ filters: SourceFilters) throws {
      let cost = try Filters.microseconds(filters) - none
      print(name, Int(cost.rounded()))
    }
    func region(_ cover: PrivacyMask.Cover) -> SourceFilters {
      SourceFilters(
        mask: PrivacyMask([
          PrivacyMask.Region(x: 0.3, y: 0.3, width: 400 / 1_280, height: 300 / 720, cover)
        ]))
    }
    func step(_ plan: any PictureFilterPlan) -> SourceFilters {
      SourceFilters(steps: [PictureFilterStep("it", plan)])
    }
    try line("mask", region(.solid(red: 0, green: 0, blue: 0)))
    try line("blocks", region(.blocks))
    var colour = ColourFilterPlan()
    (colour.brightness, colour.contrast) = (10, 10)
    try line("brightness", step(colour))
    colour.saturation = 20
    try line("saturation", step(colour))
    (colour.temperature, colour.tint) = (20, 10)
    try line("white-balance", step(colour))
    try line("sharpen", step(SharpenFilterPlan(sharpness: 50)))
    try line("skin", step(SkinFilterPlan(white: 70, buffing: 40, ruddy: 40)))
  }

  /// Processor time of taking a frame, the best of many.
  private static func microseconds(_ filters: SourceFilters) throws -> Double {
    var composition = Composition()
    composition.filters = filters
    let composer = VideoComposer(Layout(size: size, colour: .bt709), composition)
    let format = FrameFormat(pixelFormat: .i420, size: size, colour: .bt709)
    let pool = FramePool(count: 2, capacity: format.byteCount)
    var dice = SplitMix64(seed: 5)
    // Skin with grain, which gives each filter something to do.
    let luma = size.width * size.height
    for _ in 0..<2 {
      guard let blank = pool.borrow() else { continue }
      for index in 0..<format.byteCount {
        let middle: UInt64 = index < luma ? 120 : index < luma * 5 / 4 ? 104 : 150
        unsafe blank.bytes[index] = UInt8(truncatingIfNeeded: middle + dice.next() % 8)
      }
    }
    var best = Int64.max
    for _ in 0..<rounds {
      guard let blank = pool.borrow() else { continue }
      let frame = blank.finish(format: format, capturedAt: .now())
      let before = Processors.usedByThreadNanos
      try composer.take(frame)
      best = min(best, Processors.usedByThreadNanos - before)
    }
    return Double(best) / 1_000
  }
}
