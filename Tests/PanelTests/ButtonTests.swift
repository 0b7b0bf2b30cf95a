// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import Director
@testable import Panel

/// Presses a main button, and applies its commands to a broadcast.
private struct Hand {
  var button: MainButton
  var broadcast: Intent.Broadcast
  var now = Duration.zero
  var actions: [MainButton.Action] = []

  init(_ broadcast: Intent.Broadcast, isDown: Bool = false) {
    button = MainButton(isDown: isDown)
    self.broadcast = broadcast
  }

  mutating func wait(_ length: Duration) {
    let end = now + length
    while let due = button.deadline, due <= end { take(button.advance(to: due)) }
    now = end
  }

  mutating func move(down: Bool) {
    take(button.change(isDown: down, broadcast: broadcast, at: now))
  }

  mutating func press(for length: Duration) {
    move(down: true)
    wait(length)
    move(down: false)
  }

  private mutating func take(_ more: [MainButton.Action]) {
    actions += more
    for case .command(let command) in more {
      let intent = try? Intent(broadcast: broadcast).after(command)
      broadcast = intent?.broadcast ?? broadcast
    }
  }
}

@Suite struct MainButtonTests {
  /// The table at `MainButton`.
  @Test(
    arguments: [
      (.live, 50, [.command(.pause)], .paused),
      (.live, 1_999, [.command(.pause)], .paused),
      (.live, 2_000, [.command(.pause), .command(.stop)], .off),
      (.live, 9_999, [.command(.pause), .command(.stop)], .off),
      (.live, 10_000, [.command(.pause), .command(.stop), .blink, .reset], .off),
      (.live, 29_999, [.command(.pause), .command(.stop), .blink, .reset], .off),
      (.live, 30_000, [.command(.pause), .command(.stop), .blink, .stuck, .released], .off),
      (.paused, 50, [.command(.resume)], .live),
      (.paused, 1_999, [.command(.resume)], .live),
      (.paused, 2_000, [.command(.stop)], .off),
      (.paused, 12_000, [.command(.stop), .blink, .reset], .off),
      (.paused, 31_000, [.command(.stop), .blink, .stuck, .released], .off),
      (.off, 50, [.blink], .off),
      (.off, 1_999, [.blink], .off),
      (.off, 2_000, [.command(.start)], .live),
      (.off, 9_999, [.command(.start)], .live),
      (.off, 15_000, [.command(.start), .command(.stop), .blink, .reset], .off),
      (.off, 31_000, [.command(.start), .command(.stop), .blink, .stuck, .released], .off),
    ] as [(Intent.Broadcast, Int, [MainButton.Action], Intent.Broadcast)])
  func aPressMeans(
    _ broadcast: Intent.Broadcast, _ milliseconds: Int, _ actions: [MainButton.Action],
    _ after: Intent.Broadcast
  ) {
    var hand = Hand(broadcast)
    hand.wait(.seconds(90))
    hand.press(for: .milliseconds(milliseconds))
    #expect(hand.actions == actions)
    #expect(hand.broadcast == after)
  }

  @Test func thePauseStartsWhenTheButtonGoesDown() {
    var hand = Hand(.live)
    hand.move(down: true)
    #expect(hand.broadcast == .paused)
    hand.wait(.milliseconds(1_000))
    #expect(hand.broadcast == .paused)
  }

  @Test func repeatedPressesPauseAndResume() {
    var hand = Hand(.live)
    for _ in 0..<100 {
      hand.press(for: .milliseconds(120))
      #expect(hand.broadcast == .paused)
      hand.wait(.milliseconds(500))
      hand.press(for: .milliseconds(120))
      #expect(hand.broadcast == .live)
      hand.wait(.milliseconds(80))
    }
  }

  /// A bad contact or a slip of the hand does not resume.
  @Test func aPressWithinHalfASecondOfAPauseOnlyBlinks() {
    var hand = Hand(.live)
    for gap in [25, 100, 499] {
      hand.press(for: .milliseconds(200))
      hand.wait(.milliseconds(gap))
    }
    hand.press(for: .milliseconds(200))
    #expect(hand.broadcast == .paused)
    #expect(hand.actions == [.command(.pause), .blink, .blink, .blink])
    hand.wait(.milliseconds(500))
    hand.press(for: .milliseconds(200))
    #expect(hand.broadcast == .live)
    // If it is held, it still ends the broadcast.
    hand.press(for: .milliseconds(200))
    hand.wait(.milliseconds(100))
    hand.press(for: .seconds(3))
    #expect(hand.broadcast == .off)
  }

  /// However long it was down, and however soon it is held again.
  @Test(arguments: [3, 10, 100])
  func aButtonDownAtTheStartDoesNothingUntilItIsReleased(seconds: Int) {
    var hand = Hand(.live, isDown: true)
    hand.wait(.seconds(seconds))
    #expect(hand.actions.isEmpty)
    hand.move(down: false)
    #expect(hand.actions == [.released])
    #expect(hand.broadcast == .live)
    hand.press(for: .milliseconds(100))
    #expect(hand.actions == [.released, .command(.pause)])
  }

  /// A hold right after that is a hold like any other.
  @Test func aHoldAfterADownStartStartsTheBroadcast() {
    var hand = Hand(.off, isDown: true)
    hand.wait(.seconds(3))
    hand.move(down: false)
    hand.wait(.seconds(1))
    hand.press(for: .seconds(9))
    #expect(hand.actions == [.released, .command(.start)])
  }

  @Test(arguments: [1, 4, 15])
  func bouncesAreOnePress(_ milliseconds: Int) {
    var debouncer = Debouncer(isDown: false, period: .milliseconds(20))
    var now = Duration.seconds(1)
    var changes: [Bool] = []
    for edge in 0..<21 {
      debouncer.change(isDown: edge.isMultiple(of: 2), at: now)
      now += .milliseconds(milliseconds)
      if let change = debouncer.settle(at: now) { changes.append(change.isDown) }
    }
    if let change = debouncer.settle(at: now + .milliseconds(20)) { changes.append(change.isDown) }
    #expect(changes == [true])
  }

  @Test func aSpikeShorterThanThePeriodIsIgnored() {
    var debouncer = Debouncer(isDown: false, period: .milliseconds(20))
    debouncer.change(isDown: true, at: .zero)
    debouncer.change(isDown: false, at: .milliseconds(19))
    #expect(debouncer.settle(at: .seconds(1)) == nil)
    #expect(debouncer.settlesAt == nil)
  }
}

@Suite struct LampPatternTests {
  @Test func eachPatternHasARhythmOfItsOwn() {
    let rhythms = LampPattern.allCases.map(\.rhythm)
    for (index, one) in rhythms.enumerated() {
      for other in rhythms.dropFirst(index + 1) {
        #expect(one.count != other.count || differ(one, other))
      }
    }
  }

  /// Beats differ by at least half of the longer one, so that a person can distinguish them.
  private func differ(_ one: [LampPattern.Beat], _ other: [LampPattern.Beat]) -> Bool {
    zip(one, other).contains { a, b in
      let (short, long) = (min(a.milliseconds, b.milliseconds), max(a.milliseconds, b.milliseconds))
      return short * 2 <= long
    }
  }

  @Test(arguments: LampPattern.allCases)
  func theLampFollowsItsRhythmForEver(_ pattern: LampPattern) {
    var now = Duration.seconds(1_000_000_000)
    let period = pattern.rhythm.reduce(0) { $0 + $1.milliseconds }
    let start = Duration.milliseconds(Int(1_000_000_000_000) / period * period)
    now = start
    guard pattern.rhythm.count > 1 else {
      #expect(pattern.isLit(after: now) && pattern.nextChange(after: now) == nil)
      return
    }
    for beat in pattern.rhythm + pattern.rhythm {
      #expect(pattern.isLit(after: now) == beat.isLit)
      #expect(pattern.nextChange(after: now) == .milliseconds(beat.milliseconds))
      now += .milliseconds(beat.milliseconds)
    }
  }

  @Test func greenIsForLiveAlone() {
    #expect(LampPattern.allCases.filter { $0.colour == .green } == [.live, .ending])
  }
}
