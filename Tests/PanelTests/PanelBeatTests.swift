// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Director
import TestSupport
import Testing

@testable import Panel

/// Lamp and buzzer during a lip-sync measurement.
@Suite struct PanelBeatTests {
  /// They are switched in the same step, whatever the lamp has to show, and show it again afterwards.
  @Test func lampAndBuzzerAreSwitchedTogether() {
    let clock = VirtualClock()
    let start = clock.now
    let handlers = Panel.Handlers(
      intent: { Intent() }, lamp: { .live },
      beat: { now in
        let passed = now - start
        guard passed < .seconds(3) else { return nil }
        let into = passed % .seconds(1)
        return into < .milliseconds(100)
          ? (true, now + .milliseconds(100) - into) : (false, now + .seconds(1) - into)
      }, perform: { _ in true }, report: { _ in })
    let (lamp, buzzer) = (FakeLine(clock), FakeLine(clock))
    let lines = plan {
      $0.lamp = line(1)
      $0.buzzer = line(2)
    }
    let loop = PanelLoop(
      wiring: lines, host: FakeGPIO([1: lamp, 2: buzzer]), handlers: handlers, clock: clock.clock)
    for _ in 0..<300 {
      loop.runOnce()
      #expect(clock.now - start >= .seconds(3) || lamp.levels.last == buzzer.levels.last)
      // It asks to be called when the beat changes.
      #expect(loop.deadline - clock.now <= .seconds(1))
      clock.advance(by: .milliseconds(10))
    }
    #expect(buzzer.levels.filter { $0 }.count == 3)
    loop.runOnce()
    #expect(lamp.levels.last == true && buzzer.levels.last == false)
  }
}
