// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Director
import Testing

@testable import Panel

/// The main button, held from the moment on at which the box is switched on.
@Suite struct FactoryResetTests {
  /// 5 s after the kernel's start, or long after it.
  private func clock(hasJustStarted: Bool) -> VirtualClock {
    VirtualClock(start: MediaTime(nanos: hasJustStarted ? .seconds(5) : .seconds(86_400)))
  }

  private func rig(_ clock: VirtualClock, _ button: FakeLine, _ lamp: FakeLine) -> Rig {
    Rig(
      plan {
        $0.mainButton = line(1)
        $0.lamp = line(2)
      }, FakeGPIO([1: button, 2: lamp]), clock, intent: Intent())
  }

  private func events(_ rig: Rig) -> [PanelEvent] {
    rig.program.outputs.compactMap { if case .event(let event) = $0 { event } else { nil } }
  }

  /// How long it is held, in milliseconds, and what comes of it.
  @Test(
    arguments: [
      (100, .released(.mainButton)), (19_999, .released(.mainButton)),
      (20_000, .heldForFactoryReset), (29_999, .heldForFactoryReset),
      (30_000, .released(.mainButton)), (3_600_000, .released(.mainButton)),
    ] as [(Int64, PanelEvent)])
  func theReleaseDecides(_ milliseconds: Int64, _ event: PanelEvent) {
    let clock = clock(hasJustStarted: true)
    let button = FakeLine(clock, isActive: true)
    let rig = rig(clock, button, FakeLine(clock))
    rig.wait(milliseconds: milliseconds)
    #expect(events(rig) == [.downAtStart(.mainButton)])
    rig.move(button, down: false)
    #expect(events(rig) == [.downAtStart(.mainButton), event])
    // It works from then on.
    rig.move(button, down: true)
    rig.wait(milliseconds: 2_000)
    #expect(rig.program.outputs.last == .command(.start))
  }

  /// OnAir that starts again, or gets its line back, takes no button for one that was held at power-on.
  @Test func laterItDoesNothing() {
    let clock = clock(hasJustStarted: false)
    let button = FakeLine(clock, isActive: true)
    let rig = rig(clock, button, FakeLine(clock))
    rig.wait(milliseconds: 25_000)
    rig.move(button, down: false)
    #expect(events(rig) == [.downAtStart(.mainButton), .released(.mainButton)])
  }

  @Test func aPressAfterTheStartResetsNothing() {
    let clock = clock(hasJustStarted: true)
    let button = FakeLine(clock)
    let rig = rig(clock, button, FakeLine(clock))
    rig.move(button, down: true)
    rig.wait(milliseconds: 25_000)
    rig.move(button, down: false)
    #expect(!events(rig).contains(.heldForFactoryReset))
  }

  /// The lamp blinks fast from 10 s on, is steady from 20 s on, and shows the box's state again at the end.
  @Test func theLampTellsWhatTheReleaseWillDo() {
    let clock = clock(hasJustStarted: true)
    let (button, lamp) = (FakeLine(clock, isActive: true), FakeLine(clock))
    let rig = rig(clock, button, lamp)
    let start = clock.now
    rig.program.show(.live)
    rig.step()
    rig.wait(milliseconds: 35_000)
    let changes = lamp.changes.map { (($0.at - start) / 1_000_000, $0.isLit) }
    #expect(changes.first.map { $0 == (0, true) } == true)
    let warning = changes.filter { (10_000..<20_000).contains($0.0) }
    #expect(warning.count >= 99, "ten changes a second")
    #expect(zip(warning, warning.dropFirst()).allSatisfy { $1.0 - $0.0 == 100 })
    #expect(changes.filter { (20_001..<30_000).contains($0.0) }.isEmpty)
    #expect(lamp.levels.last == true, "live is steady, too")
    rig.program.show(.offAir)
    rig.step()
    rig.wait(milliseconds: 100)
    #expect(lamp.levels.last == false)
  }

  /// Without the button nobody can end the warning.
  @Test func aLostButtonEndsTheWarning() {
    let clock = clock(hasJustStarted: true)
    let (button, lamp) = (FakeLine(clock, isActive: true), FakeLine(clock))
    let rig = rig(clock, button, lamp)
    rig.program.show(.offAir)
    rig.wait(milliseconds: 21_000)
    #expect(lamp.levels.last == true)
    rig.unplug(button)
    rig.wait(milliseconds: 100)
    #expect(lamp.levels.last == false)
    #expect(!events(rig).contains(.heldForFactoryReset))
  }
}
