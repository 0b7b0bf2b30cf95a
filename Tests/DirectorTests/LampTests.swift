// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import Director

@Suite struct LampTests {
  @Test func aPatternGoesOnFromItsOwnBeginning() {
    var lamp = Lamp(.live, at: .zero)
    #expect(lamp.look(at: .seconds(5)) == (.green, nil))
    lamp.show(.paused, at: .seconds(5))
    lamp.show(.paused, at: .milliseconds(5_700))
    #expect(lamp.look(at: .milliseconds(5_700)) == (.blue, .milliseconds(6_200)))
    #expect(lamp.look(at: .milliseconds(6_300)) == (nil, .milliseconds(7_400)))
  }

  @Test func aPressIsAnsweredByThreeFlashesWhateverIsOn() {
    var lamp = Lamp(.live, at: .zero)
    lamp.blink(at: .seconds(1))
    var flashes = 0
    var now = Duration.seconds(1)
    var wasLit = false
    while case let (lit, until?) = lamp.look(at: now) {
      if lit == .white, !wasLit { flashes += 1 }
      wasLit = lit != nil
      now = until
    }
    #expect(flashes == 3)
    #expect(lamp.look(at: now) == (.green, nil))
  }

  @Test func theBuzzerEndsByItself() {
    var buzzer = Buzzer()
    #expect(buzzer.look(at: .zero) == (false, nil))
    buzzer.sound(.trouble, at: .seconds(1))
    var tones = 0
    var now = Duration.seconds(1)
    while case let (sounds, until?) = buzzer.look(at: now) {
      tones += sounds ? 1 : 0
      now = until
    }
    #expect(tones == 3)
    #expect(buzzer.look(at: now + .seconds(1)) == (false, nil))
  }

  /// Whatever lamps a board has, something is lit; and a green lamp alone among others means live.
  @Test(
    arguments: [
      [], [.green], [.red, .green], [.green, .blue], [.red, .blue], [.red, .green, .blue],
    ] as [Set<LampPattern.Primary>])
  func coloursAreMixedOfWhatThereIs(_ lamps: Set<LampPattern.Primary>) {
    for pattern in LampPattern.allCases {
      let mix = pattern.colour.mix(of: lamps)
      #expect(mix.isEmpty == lamps.isEmpty)
      #expect(mix.isSubset(of: lamps))
      if lamps.count > 1, pattern != .live { #expect(mix != [.green]) }
    }
  }

  /// A lamp that is broken, or whose line somebody else holds, never leaves green to be seen for another colour.
  @Test func whatIsLeftOfAColourIsNotGreen() {
    let all: Set<LampPattern.Primary> = [.red, .green, .blue]
    let none: Set<LampPattern.Primary> = []
    for working in [none, [.green], [.red], [.blue], [.red, .green], [.green, .blue], all] {
      for pattern in LampPattern.allCases {
        let mix = pattern.colour.mix(of: all, working: working)
        #expect(mix.isSubset(of: working))
        if pattern == .live {
          #expect(mix == working.intersection([.green]))
        } else {
          #expect(mix != [.green])
        }
      }
    }
    // The only one there is says it all by its rhythm.
    #expect(LampPattern.Colour.blue.mix(of: [.green], working: [.green]) == [.green])
    #expect(LampPattern.Colour.yellow.mix(of: all, working: [.green, .blue]) == [.blue])
  }
}

@Suite struct TaskButtonTests {
  @Test func itActsWhenItGoesDown() {
    var button = TaskButton(isDown: false)
    #expect(button.change(isDown: true, at: .seconds(1)) == [.pressed])
    #expect(button.change(isDown: true, at: .seconds(2)).isEmpty)
    #expect(button.change(isDown: false, at: .seconds(3)).isEmpty)
    #expect(button.reviewAt == nil)
  }

  @Test func oneThatIsDownAtTheStartDoesNothing() {
    var button = TaskButton(isDown: true)
    #expect(button.reviewAt == nil)
    #expect(button.change(isDown: false, at: .seconds(40)) == [.released])
    #expect(button.change(isDown: true, at: .seconds(41)) == [.pressed])
  }

  @Test func oneThatLiesUnderSomethingIsTold() {
    var button = TaskButton(isDown: false)
    #expect(button.change(isDown: true, at: .zero) == [.pressed])
    #expect(button.change(isDown: false, at: .seconds(31)) == [.stuck, .released])
  }
}
