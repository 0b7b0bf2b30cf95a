// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import Director
@testable import Panel

@Suite struct LampTests {
  @Test func aPatternIsNotRestarted() {
    var lamp = Lamp(.live, at: .zero)
    #expect(lamp.state(at: .seconds(5)) == (.green, nil))
    lamp.show(.paused, at: .seconds(5))
    lamp.show(.paused, at: .milliseconds(5_700))
    #expect(lamp.state(at: .milliseconds(5_700)) == (.blue, .milliseconds(6_200)))
    #expect(lamp.state(at: .milliseconds(6_300)) == (nil, .milliseconds(7_400)))
  }

  @Test func aPressIsAnsweredByThreeFlashes() {
    var lamp = Lamp(.live, at: .zero)
    lamp.blink(at: .seconds(1))
    var flashes = 0
    var now = Duration.seconds(1)
    var wasLit = false
    while case let (lit, until?) = lamp.state(at: now) {
      if lit == .white, !wasLit { flashes += 1 }
      wasLit = lit != nil
      now = until
    }
    #expect(flashes == 3)
    #expect(lamp.state(at: now) == (.green, nil))
  }

  @Test func theAlarmIsThreeTones() {
    var buzzer = Buzzer()
    #expect(buzzer.state(at: .zero) == (false, nil))
    buzzer.sound(.alarm, at: .seconds(1))
    var tones = 0
    var now = Duration.seconds(1)
    while case let (sounds, until?) = buzzer.state(at: now) {
      tones += sounds ? 1 : 0
      now = until
    }
    #expect(tones == 3)
    #expect(buzzer.state(at: now + .seconds(1)) == (false, nil))
  }

  @Test func blueMeansPausedAndGreenMeansLive() {
    #expect(LampPattern.allCases.filter { $0.colour == .blue } == [.paused])
    #expect(LampPattern.allCases.filter { $0.colour == .green } == [.live, .ending])
  }

  /// On a lamp of one colour: two rhythms differ in the number of beats, or one beat is at least twice as long.
  @Test func rhythmsAreDistinguishableWithoutColours() {
    for (index, one) in LampPattern.allCases.enumerated() {
      for other in LampPattern.allCases.dropFirst(index + 1) {
        let (a, b) = (one.rhythm, other.rhythm)
        let differ =
          a.count != b.count
          || zip(a, b).contains {
            max($0.milliseconds, $1.milliseconds) >= 2 * min($0.milliseconds, $1.milliseconds)
          }
        #expect(differ, "\(one) and \(other)")
      }
    }
  }

  @Test func descriptionsNameColourAndRhythm() {
    #expect(LampPattern.paused.words == "blue, blinking slowly")
    #expect(LampPattern.starting.words == "yellow, blinking quickly")
    #expect(Set(LampPattern.allCases.map(\.rhythmWords)).count == LampPattern.allCases.count)
    for pattern in LampPattern.allCases {
      #expect(pattern.words == "\(pattern.colour.rawValue), \(pattern.rhythmWords)")
    }
  }

  /// With any set of lamps every pattern lights one; and a green lamp alone means live, unless it is the only lamp.
  @Test(
    arguments: [
      [], [.green], [.red, .green], [.green, .blue], [.red, .blue], [.red, .green, .blue],
    ] as [Set<LampPattern.Primary>])
  func coloursAreMixedFromTheLampsThereAre(_ lamps: Set<LampPattern.Primary>) {
    for pattern in LampPattern.allCases {
      let mix = pattern.colour.mix(of: lamps)
      #expect(mix.isEmpty == lamps.isEmpty)
      #expect(mix.isSubset(of: lamps))
      if lamps.count > 1, pattern.colour != .green { #expect(mix != [.green]) }
    }
  }

  /// When lamps fail, green alone is never shown for another colour.
  @Test func theRestOfAColourIsNotGreen() {
    let all: Set<LampPattern.Primary> = [.red, .green, .blue]
    let none: Set<LampPattern.Primary> = []
    for working in [none, [.green], [.red], [.blue], [.red, .green], [.green, .blue], all] {
      for pattern in LampPattern.allCases {
        let mix = pattern.colour.mix(of: all, working: working)
        #expect(mix.isSubset(of: working))
        if pattern.colour == .green {
          #expect(mix == working.intersection([.green]))
        } else {
          #expect(mix != [.green])
        }
      }
    }
    // A board with one lamp shows every pattern on it.
    #expect(LampPattern.Colour.blue.mix(of: [.green], working: [.green]) == [.green])
    #expect(LampPattern.Colour.yellow.mix(of: all, working: [.green, .blue]) == [.blue])
  }
}

@Suite struct TaskButtonTests {
  @Test func aPressActsWhenTheButtonGoesDown() {
    var button = TaskButton(isDown: false)
    #expect(button.change(isDown: true, at: .seconds(1)) == [.pressed])
    #expect(button.change(isDown: true, at: .seconds(2)).isEmpty)
    #expect(button.change(isDown: false, at: .seconds(3)).isEmpty)
    #expect(button.deadline == nil)
  }

  @Test func aButtonDownAtTheStartDoesNothing() {
    var button = TaskButton(isDown: true)
    #expect(button.deadline == nil)
    #expect(button.change(isDown: false, at: .seconds(40)) == [.released])
    #expect(button.change(isDown: true, at: .seconds(41)) == [.pressed])
  }

  @Test func aStuckButtonIsReported() {
    var button = TaskButton(isDown: false)
    #expect(button.change(isDown: true, at: .zero) == [.pressed])
    #expect(button.change(isDown: false, at: .seconds(31)) == [.stuck, .released])
  }
}
