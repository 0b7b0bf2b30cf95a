// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import Studio

@Suite struct KeyframeRequestsTests {
  private let start = MediaTime(nanos: .seconds(1_000))

  @Test func theMainDestinationNeverWaits() {
    var requests = KeyframeRequests()
    for step in 0..<100 {
      let isTaken = requests.take(
        main: true, others: step % 2 == 0, now: start + Int64(step) * .milliseconds(10))
      #expect(isTaken)
    }
    // It has not used up what the others may ask for.
    let isTaken = requests.take(main: false, others: true, now: start + .seconds(1))
    #expect(isTaken)
  }

  /// A sink that asks with every frame, at 30 frames a second for a minute.
  @Test func othersForceOneEveryTwoSeconds() {
    var requests = KeyframeRequests()
    var forced: [Int64] = []
    for frame in 0..<1_800 {
      let time = Int64(frame) * 1_000_000_000 / 30
      if requests.take(main: false, others: true, now: start + time) { forced.append(time) }
    }
    #expect(forced == (0..<30).map { .seconds(2 * $0) })
  }

  @Test func askingWhetherItIsDueChangesNothing() {
    var requests = KeyframeRequests()
    #expect(!requests.isDue(main: false, others: false, now: start))
    #expect(requests.isDue(main: false, others: true, now: start))
    let isTaken = requests.take(main: false, others: true, now: start)
    #expect(isTaken)
    #expect(!requests.isDue(main: false, others: true, now: start + .seconds(2) - 1))
    #expect(requests.isDue(main: true, others: true, now: start + 1))
    #expect(requests.isDue(main: false, others: true, now: start + .seconds(2)))
  }
}
