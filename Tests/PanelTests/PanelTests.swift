// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Director
import Glibc
import TestSupport
import Testing

@testable import Panel

@Suite struct PanelTests {
  private let clock = VirtualClock()

  private func press(_ rig: Rig, _ button: FakeLine, milliseconds: Int64 = 100) {
    rig.move(button, down: true)
    rig.wait(milliseconds: milliseconds)
    rig.move(button, down: false)
    rig.wait(milliseconds: 600)
  }

  @Test func aPressPausesAtOnceAndTheNextResumesAtItsRelease() {
    let button = FakeLine(clock)
    let rig = Rig(plan { $0.mainButton = line(1) }, FakeGPIO([1: button]), clock)
    rig.move(button, down: true)
    #expect(rig.program.outputs == [.command(.pause)])
    rig.wait(milliseconds: 100)
    rig.move(button, down: false)
    rig.wait(milliseconds: 600)
    rig.move(button, down: true)
    #expect(rig.program.outputs == [.command(.pause)])
    rig.wait(milliseconds: 100)
    rig.move(button, down: false)
    #expect(rig.program.outputs == [.command(.pause), .command(.resume)])
  }

  /// The kernel's queue of edges is short. A lost edge is recovered from the level.
  @Test(arguments: [true, false]) func aLostEdgeIsReplacedByTheLevel(debounces: Bool) {
    let button = FakeLine(clock, debounces: debounces)
    let rig = Rig(plan { $0.mainButton = line(1) }, FakeGPIO([1: button]), clock)
    rig.move(button, down: true, losingEdge: true)
    rig.wait(milliseconds: 20)
    #expect(rig.program.outputs == [.command(.pause)])
  }

  @Test func buttonsThatAreDownAtTheStartDoNothing() {
    let main = FakeLine(clock, isActive: true)
    let second = FakeLine(clock, isActive: true)
    let rig = Rig(
      plan {
        $0.mainButton = line(1)
        $0.secondButton = line(2)
        $0.secondTask = .reconnect
      }, FakeGPIO([1: main, 2: second]), clock)
    rig.wait(milliseconds: 40_000)
    #expect(
      rig.program.outputs == [
        .event(.downAtStart(.mainButton)), .event(.downAtStart(.secondButton)),
      ])
    rig.move(main, down: false)
    rig.move(second, down: false)
    #expect(
      rig.program.outputs.dropFirst(2) == [
        .event(.released(.mainButton)), .event(.released(.secondButton)),
      ])
    press(rig, second)
    // A long hold right after the start is a hold like any other.
    press(rig, main, milliseconds: 9_300)
    #expect(
      rig.program.outputs.dropFirst(4) == [
        .command(.reconnect), .command(.pause), .command(.stop),
      ])
  }

  @Test func theSecondButtonSwitchesLayouts() {
    let second = FakeLine(clock)
    let wiring = plan {
      $0.secondButton = line(2)
      $0.secondTask = .layout
    }
    let rig = Rig(wiring, FakeGPIO([2: second]), clock)
    for count in 1...2 {
      press(rig, second)
      #expect(rig.program.outputs == Array(repeating: .switchLayout, count: count))
    }
  }

  /// One event for all parts that fail for the same reason; the other parts work.
  @Test func missingAndBusyLinesAreReportedOnce() {
    let (button, lamp) = (FakeLine(clock), FakeLine(clock))
    let gpio = FakeGPIO([1: button, 3: lamp])
    gpio.setBusy(3, true)
    let rig = Rig(
      plan {
        $0.mainButton = line(1)
        $0.secondButton = LineAddress(chip: "fake", line: .name("nobody"))
        $0.lamp = line(3)
        $0.buzzer = LineAddress(chip: "gone", line: .offset(1))
        $0.colouredLamps[.red] = LineAddress(chip: "gone", line: .offset(2))
      }, gpio, clock)
    let lost: [Output] = [
      .event(.lost([.secondButton], .noLine("fake:nobody"))),
      .event(.lost([.lamp], .busy("L3", holder: "spi0"))),
      .event(.lost([.colouredLamp(.red), .buzzer], .noChip("gone"))),
    ]
    #expect(rig.program.outputs == lost)
    press(rig, button)
    rig.wait(milliseconds: 60_000)
    #expect(rig.program.outputs == lost + [.command(.pause)])
    gpio.setBusy(3, false)
    let freed = clock.now
    rig.wait(milliseconds: 5_000)
    #expect(rig.program.outputs.last == .event(.recovered(.lamp)))
    #expect((rig.program.timedOutputs.last?.at ?? .distantFuture) - freed <= .seconds(5))
    #expect(lamp.levels == [true])
  }

  @Test func aChipThatComesLateIsFound() {
    let (button, lamp) = (FakeLine(clock), FakeLine(clock))
    let gpio = FakeGPIO([1: button, 2: lamp])
    gpio.setPresent(false)
    let rig = Rig(
      plan {
        $0.mainButton = LineAddress(chip: "fake", line: .name("L1"))
        $0.lamp = LineAddress(chip: "fake", line: .name("L2"))
      }, gpio, clock)
    #expect(rig.program.outputs == [.event(.lost([.mainButton, .lamp], .noChip("fake")))])
    rig.wait(milliseconds: 12_000)
    gpio.setPresent(true)
    rig.wait(milliseconds: 5_000)
    #expect(
      rig.program.outputs.dropFirst() == [
        .event(.recovered(.mainButton)), .event(.recovered(.lamp)),
      ])
    press(rig, button)
    #expect(rig.program.outputs.last == .command(.pause))
  }

  /// A button that is unplugged while it is down does not count as held.
  @Test func anUnpluggedButtonIsNotHeld() {
    let button = FakeLine(clock)
    let rig = Rig(plan { $0.mainButton = line(1) }, FakeGPIO([1: button]), clock)
    rig.move(button, down: true)
    rig.unplug(button)
    rig.wait(milliseconds: 3_000)
    let outputs: [Output] = [
      .command(.pause), .event(.lost([.mainButton], .failed("L1", ENODEV))),
    ]
    #expect(rig.program.outputs == outputs)
    let other = FakeLine(clock)
    rig.gpio.replace(1, by: other)
    rig.wait(milliseconds: 2_000)
    #expect(rig.program.outputs == outputs + [.event(.recovered(.mainButton))])
    press(rig, other)
    #expect(rig.program.outputs.last == .command(.resume))
  }

  @Test func aLampThatFailsIsReported() {
    let lamp = FakeLine(clock)
    let rig = Rig(plan { $0.lamp = line(2) }, FakeGPIO([2: lamp]), clock)
    #expect(lamp.levels == [true])
    lamp.unplug()
    rig.program.show(.offAir)
    // At the end of the first flash the lamp is to be switched off.
    rig.wait(milliseconds: 1_060)
    #expect(rig.program.outputs == [.event(.lost([.lamp], .failed("L2", ENODEV)))])
  }

  @Test func lampsShowThePatternExactly() {
    let (lamp, red, green) = (FakeLine(clock), FakeLine(clock), FakeLine(clock))
    let rig = Rig(
      plan {
        $0.lamp = line(1)
        $0.colouredLamps = [.red: line(2), .green: line(3)]
      }, FakeGPIO([1: lamp, 2: red, 3: green]), clock)
    #expect(lamp.levels == [true] && green.levels == [true] && red.levels.isEmpty)
    rig.program.show(.reconnecting)
    let begin = clock.now
    rig.step()
    rig.wait(milliseconds: 500)
    #expect(green.levels == [true, false])
    #expect(red.changes.map { ($0.at - begin) / 1_000_000 } == [0, 120, 240, 360, 480])
    #expect(red.levels == [true, false, true, false, true])
    rig.darken()
    #expect(lamp.levels.last == false)
    #expect(red.levels.last == false)
  }

  /// A pattern that changes without a call of `refreshLamp` shows within a second.
  @Test func theLampIsRefreshedEverySecond() {
    let lamp = FakeLine(clock)
    let rig = Rig(plan { $0.lamp = line(1) }, FakeGPIO([1: lamp]), clock)
    rig.program.show(.paused)
    rig.wait(milliseconds: 1_000 + 1_200)
    #expect(lamp.levels == [true, false])
  }

  @Test func theBuzzerChirpsAtAPressAndAtTrouble() {
    let (button, buzzer) = (FakeLine(clock), FakeLine(clock))
    let rig = Rig(
      plan {
        $0.mainButton = line(1)
        $0.buzzer = line(2)
      }, FakeGPIO([1: button, 2: buzzer]), clock)
    let begin = clock.now
    press(rig, button)
    #expect(buzzer.changes.map { ($0.at - begin) / 1_000_000 } == [0, 40])
    rig.program.show(.fault)
    rig.step()
    let alarm = clock.now
    rig.wait(milliseconds: 2_000)
    #expect(
      buzzer.changes.dropFirst(2).map { ($0.at - alarm) / 1_000_000 } == [
        0, 150, 270, 420, 540, 690,
      ])
  }

  /// The thread reacts to a press and to a new pattern, and switches the lamp off at the end.
  @Test func theThreadServesTheLines() {
    let (button, lamp) = (FakeLine(clock), FakeLine(clock))
    let program = FakeProgram(Intent(broadcast: .live), clock)
    let panel = Panel(
      wiring: plan {
        $0.mainButton = line(1)
        $0.lamp = line(2)
      }, host: FakeGPIO([1: button, 2: lamp]), handlers: program.handlers)
    panel.start()
    #expect(eventually { lamp.levels == [true] })
    button.move(down: true)
    #expect(eventually { program.outputs.first == .command(.pause) })
    program.show(.offAir)
    panel.refreshLamp()
    #expect(eventually { lamp.levels.count >= 2 })
    #expect(panel.stop(by: .now() + .seconds(30)))
    #expect(lamp.levels.last == false)
  }

  /// The watchdog is fed only while it goes around.
  @Test func aThreadThatHangsIsNoticed() {
    let release = Signal()
    let begun = Signal()
    let handlers = Panel.Handlers(
      intent: {
        begun.signal()
        _ = release.wait(until: .distantFuture)
        return Intent()
      }, lamp: { .offAir }, perform: { _ in true }, report: { _ in })
    let panel = Panel(
      wiring: plan { $0.mainButton = line(1) }, host: FakeGPIO([1: FakeLine(clock)]),
      handlers: handlers, clock: clock.clock)
    panel.start()
    #expect(begun.wait(until: .now() + .seconds(30)))
    clock.advance(by: .seconds(10) - 1)
    #expect(panel.isAlive(clock.now))
    clock.advance(by: 1)
    #expect(!panel.isAlive(clock.now))
    // It hangs at each step, until it is to end.
    #expect(!panel.stop(by: .distantPast))
    for _ in 0..<10 { release.signal() }
    #expect(panel.stop(by: .now() + .seconds(30)))
    #expect(panel.isAlive(clock.now))
  }
}
