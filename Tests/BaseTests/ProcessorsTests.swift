// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Testing

@testable import Base

@Suite struct ProcessorsTests {
  /// Boards as their kernels describe them, and the processors that encode.
  static let boards: [(name: String, capacities: [Int], fast: [Int32])] = [
    ("four alike", [1024, 1024, 1024, 1024], [0, 1, 2, 3]),
    ("RK3588: four of each", [414, 414, 414, 414, 1024, 1024, 1024, 1024], [4, 5, 6, 7]),
    ("RK3399: four and two", [485, 485, 485, 485, 1024, 1024], [4, 5]),
    ("three kinds", [290, 290, 290, 290, 860, 860, 860, 1024], [4, 5, 6, 7]),
    ("one fast: it could not share a frame", [380, 380, 380, 1024], [0, 1, 2, 3]),
  ]

  @Test(arguments: boards)
  func encodersRunOnTheFastOnes(name: String, capacities: [Int], fast: [Int32]) {
    let numbered = Dictionary(uniqueKeysWithValues: zip(Int32(0)..., capacities))
    #expect(Processors.fast(of: numbered) == fast, "\(name)")
  }

  /// On this machine: where the kernel tells no capacities, a thread keeps all processors.
  @Test func withoutCapacitiesAllAreUsed() async {
    await confirmation { ended in
      let thread = MediaThread(name: "test", urgency: .ordinary) {
        #expect(Processors.avoidSlow(capacitiesIn: "/nonexistent") == Processors.available)
      }
      if thread.join(until: .now() + .seconds(60)) { ended() }
    }
  }
}
