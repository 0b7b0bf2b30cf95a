// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Publish
import Testing

@testable import Studio

@Suite struct ReadingHaltTests {
  private static func figures(
    connection: UInt64 = 1, arrived: UInt64, inFlight: Int = 1_000, heldBack: Int64 = 0
  ) -> LinkFigures {
    var figures = LinkFigures()
    figures.connection = connection
    figures.arrivedBytes = arrived
    figures.inFlightBytes = inFlight
    figures.heldBackNanos = heldBack
    return figures
  }

  private var halt = ReadingHalt()
  private var now = MediaTime(nanos: 1_000_000_000_000)

  private mutating func look(after milliseconds: Int64, _ figures: LinkFigures?) -> Bool {
    now = now + .milliseconds(milliseconds)
    return halt.update(figures, now: now)
  }

  @Test mutating func aFullWindowAndNoArrivalIsAHalt() {
    #expect(!look(after: 0, Self.figures(arrived: 5_000)))
    #expect(!look(after: 150, Self.figures(arrived: 5_000, heldBack: .milliseconds(150))))
    #expect(look(after: 100, Self.figures(arrived: 5_000, heldBack: .milliseconds(250))))
  }

  @Test mutating func itCountsUntilTheServerHasReadForAWhile() {
    #expect(!look(after: 0, Self.figures(arrived: 5_000)))
    #expect(look(after: 500, Self.figures(arrived: 5_000, heldBack: .milliseconds(500))))
    for _ in 1...20 { #expect(look(after: 3_000, nil), "its connection is lost") }
    #expect(look(after: 3_000, Self.figures(connection: 2, arrived: 100)))
    #expect(look(after: 3_000, Self.figures(connection: 2, arrived: 200)))
    #expect(!look(after: 5_000, Self.figures(connection: 2, arrived: 300)))
  }

  @Test mutating func aLineThatIsDeadOrFullIsNone() {
    #expect(!look(after: 0, Self.figures(arrived: 5_000)))
    #expect(!look(after: 5_000, Self.figures(arrived: 5_000)), "dead: no window is full")
    for step in 1...20 {
      #expect(
        !look(
          after: 250,
          Self.figures(arrived: 5_000 + UInt64(step), heldBack: .milliseconds(Int64(step) * 250))))
    }
  }

  @Test mutating func nothingInFlightAndANewConnectionAreNone() {
    #expect(!look(after: 0, Self.figures(arrived: 5_000)))
    #expect(!look(after: 1_000, Self.figures(arrived: 5_000, inFlight: 0, heldBack: .seconds(1))))
    #expect(!look(after: 1_000, Self.figures(connection: 2, arrived: 5_000, heldBack: .seconds(2))))
    #expect(!look(after: 1_000, nil))
    #expect(!look(after: 1_000, Self.figures(arrived: 5_000, heldBack: .seconds(4))))
  }
}
