// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import RateControl

/// Relays on a thin line give way to the main destination, and come back by themselves.
@Suite struct RelayRulesTests {
  /// A line that all share, and the rate controller of the main destination, whose bit rate all get.
  private struct Line {
    var capacityKbps: Double
    /// Whether the relays send on the same line as the main destination.
    var isShared = true
    var rules = RelayRules()
    var now = MediaTime(nanos: 1_000_000_000_000)
    var thinning: [String: Thinning] = ["a": .whole, "b": .whole]
    let target = 2_128.0
    /// The bit rate that is encoded, in kbit/s.
    var rate = 2_128.0
    /// Kilobits of the main destination that wait.
    var waiting = 0.0
    var longestWait = 0.0
    var arrived: [Double] = []
    var isMainThere = true

    mutating func run(seconds: Double) {
      longestWait = 0
      for tick in 0..<Int(seconds * 20) {
        now = now + .milliseconds(50)
        let shares: [Thinning: Double] = [.whole: 1, .keyframes: 0.3, .nothing: 0]
        let relays = thinning.values.reduce(0) { $0 + (shares[$1] ?? 0) * rate }
        let main = isMainThere ? rate + (waiting > 0 ? 400 : 0) : 0
        let asked = main + (isShared ? relays : 0)
        // Each gets its share of a line that is full.
        let share = min(1, capacityKbps / max(asked, 1))
        // A connection begins with an empty queue.
        waiting = isMainThere ? max(0, waiting + (rate - main * share) / 20) : 0
        let behind = waiting / rate
        longestWait = max(longestWait, behind)
        if tick.isMultiple(of: 5) {
          // It lowers the rate to what gets through, and raises it slowly.
          rate = behind > 0.15 ? max(300, min(rate, main * share) * 0.9) : min(target, rate * 1.02)
        }
        arrived.append(main * share + relays * (isShared ? share : 1))
        let proven = arrived.suffix(10).reduce(0, +) / Double(min(10, arrived.count))
        thinning = rules.decide(
          .init(
            behind: isMainThere ? Int64(behind * 1e9) : nil, kbps: Int(rate),
            targetKbps: Int(target)),
          ["a", "b"].map { .init(name: $0, isSending: thinning[$0] != .nothing, drops: 0) },
          throughputKbps: Int(proven), now: now)
      }
    }
  }

  private let all: [String: Thinning] = ["a": .whole, "b": .whole]

  /// A relay that gets the camera alone takes less of the line than the main destination: where all of it arrives, a dip
  /// of the main destination is no reason to give way at once.
  @Test(arguments: [(1_100 as Int?, Thinning.whole), (nil, .nothing)])
  func aSmallRelayCountsAsSmall(targetKbps: Int?, expected: Thinning) {
    var rules = RelayRules()
    var now = MediaTime(nanos: 1_000_000_000_000)
    func decide(seconds: Int, kbps: Int) -> Thinning? {
      var thinning: [String: Thinning] = [:]
      for _ in 0..<seconds * 20 {
        now = now + .milliseconds(50)
        thinning = rules.decide(
          .init(behind: 0, kbps: kbps, targetKbps: 4_500),
          [.init(name: "a", isSending: true, drops: 0, targetKbps: targetKbps)],
          throughputKbps: 5_600, now: now)
      }
      return thinning["a"]
    }
    #expect(decide(seconds: 30, kbps: 4_500) == .whole)
    #expect(decide(seconds: 1, kbps: 3_000) == expected)
  }

  @Test func onAWideLineNothingHappens() {
    var line = Line(capacityKbps: 7_000)
    line.run(seconds: 60)
    #expect(line.thinning == all)
  }

  /// 5,000 kbit/s for three streams of 2,128 are too little already; at 2,500 only the main one fits.
  @Test func theyGiveWayAndComeBack() {
    var line = Line(capacityKbps: 7_000)
    line.run(seconds: 20)
    line.capacityKbps = 2_500
    line.run(seconds: 5)
    #expect(line.longestWait < 1.5, "the main destination stays within its contract")
    #expect(line.thinning == ["a": .nothing, "b": .nothing])
    line.run(seconds: 20)
    #expect(line.longestWait < 1.5)
    #expect(line.rate == line.target, "the main one has its whole rate")
    line.capacityKbps = 7_000
    line.run(seconds: 240)
    #expect(line.thinning == all)
    #expect(line.rate == line.target)
    #expect(line.longestWait < 1.5)
  }

  @Test func whatTheLineCarriesBesideTheMainOneGoesOn() {
    var line = Line(capacityKbps: 4_700)
    line.run(seconds: 6)
    #expect(line.thinning == ["a": .whole, "b": .nothing])
    #expect(line.longestWait < 1.5)
  }

  /// Where the main destination's own server is slow, it does not help it that others give way.
  @Test func withoutAnEffectTheyGoOn() {
    var line = Line(capacityKbps: 1_000, isShared: false)
    var without = 0
    for second in 1...1_200 {
      line.run(seconds: 1)
      if line.thinning != all { without += 1 }
      if second == 3 { #expect(line.thinning != all) }
    }
    #expect(without < 240, "\(without) of 1,200 s with less")
  }

  /// A main destination that has lost its server needs the line when it is back.
  @Test func withoutTheMainOneTheyGoOnAfterAWhile() {
    var line = Line(capacityKbps: 7_000)
    line.run(seconds: 5)
    line.capacityKbps = 2_500
    line.run(seconds: 5)
    let given = line.thinning
    #expect(given != all)
    line.isMainThere = false
    line.run(seconds: 10)
    #expect(line.thinning == given)
    line.isMainThere = true
    line.run(seconds: 5)
    #expect(line.thinning == given)
    line.isMainThere = false
    line.run(seconds: 16)
    #expect(line.thinning == all)
  }

  /// What is enough at first may not be later.
  @Test func theyGiveWayFurtherWhenTheLineCarriesLess() {
    var line = Line(capacityKbps: 7_000)
    line.run(seconds: 20)
    line.capacityKbps = 4_700
    line.run(seconds: 8)
    #expect(line.thinning == ["a": .whole, "b": .nothing])
    line.capacityKbps = 2_500
    line.run(seconds: 6)
    #expect(line.thinning == ["a": .nothing, "b": .nothing])
    #expect(line.longestWait < 1.5)
  }

  /// On a wide line neither a pause of all connections nor the start of the main one takes anything from them.
  @Test func aStallAndAStartChangeNothing() {
    var line = Line(capacityKbps: 20_000)
    line.run(seconds: 20)
    line.capacityKbps = 1
    line.run(seconds: 0.6)
    line.capacityKbps = 20_000
    for _ in 0..<40 {
      line.run(seconds: 0.5)
      #expect(line.thinning == all)
    }
    line.isMainThere = false
    line.run(seconds: 5)
    line.isMainThere = true
    line.rate = line.target * 0.75
    for _ in 0..<40 {
      line.run(seconds: 0.5)
      #expect(line.thinning == all)
    }
  }

  @Test func aMainServerThatStopsReadingChangesNothing() {
    var rules = RelayRules()
    var now = MediaTime(nanos: 1_000_000_000_000)
    for tick in 0..<1_200 {
      now = now + .milliseconds(50)
      let isHeld = tick >= 400
      let given = rules.decide(
        .init(
          behind: isHeld ? .seconds(3) : 0, kbps: 2_128, targetKbps: 2_128,
          hasStoppedReading: isHeld),
        ["a", "b"].map { .init(name: $0, isSending: true, drops: 0) }, throughputKbps: 4_256,
        now: now)
      #expect(given == all)
    }
  }

  /// A still scene needs a fraction of the bit rate, so that nothing proves what the line carries.
  @Test func aNewConnectionOfTheMainOneChangesNothing() {
    var rules = RelayRules()
    var now = MediaTime(nanos: 1_000_000_000_000)
    func run(seconds: Double, _ main: RelayRules.Main) {
      for _ in 0..<Int(seconds * 20) {
        now = now + .milliseconds(50)
        let given = rules.decide(
          main, ["a", "b"].map { .init(name: $0, isSending: true, drops: 0) }, throughputKbps: 300,
          now: now)
        #expect(given == all)
      }
    }
    run(seconds: 20, .init(behind: 0, kbps: 1_128, targetKbps: 1_128, connection: 1))
    // It takes the bit rate over from the connection before, falls behind with its first keyframe, and looks for its rate.
    run(seconds: 0.2, .init(behind: 0, kbps: 1_128, targetKbps: 1_128, connection: 2))
    run(seconds: 2.5, .init(behind: 800_000_000, kbps: 700, targetKbps: 1_128, connection: 2))
    run(seconds: 6, .init(behind: 0, kbps: 700, targetKbps: 1_128, connection: 2))
    run(seconds: 20, .init(behind: 0, kbps: 1_128, targetKbps: 1_128, connection: 2))
  }

  /// One that joins while others give way gets nothing at first.
  @Test func aNewOneWaits() {
    var line = Line(capacityKbps: 7_000)
    line.run(seconds: 20)
    line.capacityKbps = 2_500
    line.run(seconds: 8)
    let joined = line.rules.decide(
      .init(behind: 0, kbps: 2_000, targetKbps: 2_128),
      ["a", "b", "c"].map { .init(name: $0, isSending: true, drops: 0) }, throughputKbps: 2_400,
      now: line.now + .milliseconds(50))
    #expect(joined["c"] == .nothing)
  }

  @Test func oneThatIsHeldBackGetsLess() {
    var backlog = RelayBacklog(now: MediaTime(nanos: 0))
    var thinning = Thinning.whole
    for second in 1...25 {
      thinning = backlog.decide(
        drops: 1, isHoldingVideo: true, now: MediaTime(nanos: .seconds(Int64(second))))
    }
    #expect(thinning == .nothing)
  }

  /// Steps back that are too much come less and less often.
  @Test func comingBackDoesNotOscillate() {
    var line = Line(capacityKbps: 2_500)
    line.run(seconds: 300)
    var changes = 0
    for _ in 0..<600 {
      let before = line.thinning
      line.run(seconds: 1)
      if line.thinning != before { changes += 1 }
    }
    #expect(changes <= 40, "\(changes) in ten minutes")
  }

  @Test func aRelayThatDoesNotKeepUpGetsLess() {
    var backlog = RelayBacklog(now: MediaTime(nanos: 0))
    var now = MediaTime(nanos: 0)
    var drops: UInt64 = 0
    func look(_ seconds: Int, dropping: Bool) -> Thinning {
      var thinning = Thinning.whole
      for second in 0..<seconds {
        now = now + .seconds(1)
        if dropping, second.isMultiple(of: 2) { drops += 1 }
        thinning = backlog.decide(drops: drops, isHoldingVideo: false, now: now)
      }
      return thinning
    }
    #expect(look(20, dropping: false) == .whole)
    #expect(look(5, dropping: true) == .keyframes)
    #expect(look(5, dropping: true) == .nothing)
    #expect(look(11, dropping: false) == .keyframes)
    #expect(look(11, dropping: false) == .whole)
    // At once too much again: it waits longer.
    #expect(look(5, dropping: true) == .keyframes)
    #expect(look(12, dropping: false) == .keyframes)
    #expect(look(12, dropping: false) == .whole)
  }
}
