// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import RateControl
import Testing

/// Two further encodings, with room for one, two or none.
@Suite struct SecondEncodingsTests {
  private var encodings = SecondEncodings(count: 2)

  /// - Parameter level: what the governor has left by the number of encodings that run.
  private mutating func run(
    _ seconds: Range<Int>, wanted: [Bool] = [true, true], isTooMuch: Bool = false,
    level: (Int) -> Double
  ) -> [[Bool]] {
    var runs = [false, false]
    return seconds.map { second in
      var load = SecondEncodingRules.Load()
      (load.level, load.isTooMuch) = (level(runs.count { $0 }), isTooMuch)
      runs = encodings.follow(
        wanted.map { SecondEncodings.Request(isWanted: $0, load) }, at: .seconds(second))
      return runs
    }
  }

  @Test mutating func oneBeginsAtATime() {
    let runs = run(0..<20) { 8 - Double($0) }
    #expect(runs[0] == [true, false] && runs[4] == [true, false] && runs[5] == [true, true])
    #expect(runs.last == [true, true])
  }

  /// With room for one, one runs: the newer one gives up, and the older one goes on.
  @Test mutating func whereThereIsRoomForOneOneRuns() {
    let runs = run(0..<600) { [4, 2, 0.5][$0] }
    #expect(runs.dropFirst().allSatisfy { $0[0] }, "the first one never ends")
    #expect(runs.contains([true, true]) && runs.last == [true, false])
  }

  /// What has run for long does not end because the other is tried.
  @Test mutating func theNewerOneEnds() {
    #expect(run(0..<900, wanted: [false, true]) { [4, 2, 0.5][$0] }.last == [false, true])
    let both = run(900..<1_000) { [4, 2, 0.5][max(1, $0)] }
    #expect(both.allSatisfy { $0[1] } && both.last == [false, true])
  }

  @Test mutating func whereThereIsNoRoomNoneRuns() {
    _ = run(0..<20) { 8 - Double($0) }
    let runs = run(20..<40, isTooMuch: true) { _ in 0 }
    #expect(runs[0] == [true, false] && runs[4] == [true, false] && runs[5] == [false, false])
    #expect(encodings.isRefused(0) && encodings.isRefused(1))
  }
}
