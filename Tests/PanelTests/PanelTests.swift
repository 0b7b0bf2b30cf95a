// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Director
import Glibc
import Media
import Synchronization
import Testing

@testable import Panel

/// A line without a wire: the test is the hand, or looks at the lamp.
private final class FakeLine: GPIOLine, Sendable {
  private struct State {
    var level = false
    var edges: [LineEdge] = []
    var isBroken = false
    var levels: [Bool] = []
  }

  private let state = Mutex(State())
  private let waker = Waker()
  let debounces: Bool

  init(debounces: Bool = true, isActive: Bool = false) {
    self.debounces = debounces
    state.withLock { $0.level = isActive }
  }

  var descriptor: Int32 { waker.descriptor }

  func isActive() throws(GPIOError) -> Bool {
    if state.withLock({ $0.isBroken }) { throw GPIOError(code: ENODEV) }
    return state.withLock { $0.level }
  }

  func set(_ isActive: Bool) throws(GPIOError) {
    if state.withLock({ $0.isBroken }) { throw GPIOError(code: ENODEV) }
    state.withLock {
      $0.level = isActive
      $0.levels.append(isActive)
    }
  }

  func edges() throws(GPIOError) -> [LineEdge] {
    waker.clear()
    if state.withLock({ $0.isBroken }) { throw GPIOError(code: ENODEV) }
    return state.withLock { state in
      defer { state.edges = [] }
      return state.edges
    }
  }

  func move(down: Bool, tellingEdge: Bool = true) {
    state.withLock {
      $0.level = down
      if tellingEdge { $0.edges.append(LineEdge(isActive: down, at: .now())) }
    }
    waker.wake()
  }

  func unplug() {
    state.withLock { $0.isBroken = true }
    waker.wake()
  }

  /// Every level that was set.
  var levels: [Bool] { state.withLock { $0.levels } }
}

private struct FakeGPIO: GPIOHost {
  let lines: [Int: FakeLine]
  var busy: Set<Int> = []

  func chips() -> [GPIOChipDescription] {
    [
      GPIOChipDescription(
        path: "/dev/gpiochip0", name: "gpiochip0", label: "fake", problem: nil,
        lines: (0..<8).map {
          GPIOLineDescription(
            offset: $0, name: "L\($0)", direction: .input, isUsed: busy.contains($0),
            usedBy: busy.contains($0) ? "spi0" : nil)
        })
    ]
  }

  func hold(path: String, offset: Int, use: LineUse) throws(GPIOError) -> any GPIOLine {
    guard !busy.contains(offset), let line = lines[offset] else { throw GPIOError(code: EBUSY) }
    return line
  }
}

/// A panel at work, and a box that does as it is told.
private final class Bench: Sendable {
  private struct State {
    var intent: Intent
    var lamp = LampPattern.live
    var commands: [Command] = []
    var events: [PanelEvent] = []
  }

  private let state: Mutex<State>
  private let panel = Mutex<Panel?>(nil)

  init(_ intent: Intent = Intent(broadcast: .live)) { state = Mutex(State(intent: intent)) }

  func start(_ plan: PanelPlan, _ host: FakeGPIO) {
    let panel = Panel(
      plan: plan, host: host,
      handlers: Panel.Handlers(
        intent: { [self] in state.withLock { $0.intent } },
        lamp: { [self] in state.withLock { $0.lamp } },
        perform: { [self] command in
          state.withLock { state in
            state.commands.append(command)
            guard let intent = try? state.intent.after(command) else { return false }
            state.intent = intent
            return true
          }
        },
        report: { [self] event in state.withLock { $0.events.append(event) } }))
    self.panel.withLock { $0 = panel }
    panel.start()
  }

  var commands: [Command] { state.withLock { $0.commands } }
  var events: [PanelEvent] { state.withLock { $0.events } }

  func show(_ pattern: LampPattern) {
    state.withLock { $0.lamp = pattern }
    panel.withLock { $0 }?.refreshLamp()
  }

  func stop() {
    #expect(panel.withLock { $0 }?.stop(by: .now() + .seconds(5)) == true)
  }

  /// Waits until something is so.
  func wait(_ isSo: () -> Bool) -> Bool {
    let deadline = MediaTime.now() + .seconds(10)
    while MediaTime.now() < deadline {
      if isSo() { return true }
      (MediaTime.now() + .milliseconds(2)).sleepUntil()
    }
    return false
  }
}

@Suite struct PanelTests {
  private static func line(_ offset: Int) -> LineAddress {
    LineAddress(chip: nil, line: .name("L\(offset)"))
  }

  private static func plan(_ edit: (inout PanelPlan) -> Void) -> PanelPlan {
    var plan = PanelPlan(
      secondTask: .mute, buttonsAreActiveLow: true, buttonBias: .pullUp,
      debounceNanos: .milliseconds(20), lampsAreActiveLow: false, buzzerIsActiveLow: false)
    edit(&plan)
    return plan
  }

  @Test func aPressPausesWhileItIsDownAndTheNextEndsThePauseAtItsRelease() {
    let button = FakeLine()
    let bench = Bench()
    bench.start(
      PanelTests.plan { $0.mainButton = PanelTests.line(1) }, FakeGPIO(lines: [1: button]))
    (MediaTime.now() + .milliseconds(50)).sleepUntil()
    button.move(down: true)
    #expect(bench.wait { bench.commands == [.pause] })
    button.move(down: false)
    // Sooner it would be a slip.
    (MediaTime.now() + .milliseconds(600)).sleepUntil()
    button.move(down: true)
    (MediaTime.now() + .milliseconds(50)).sleepUntil()
    #expect(bench.commands == [.pause])
    button.move(down: false)
    #expect(bench.wait { bench.commands == [.pause, .resume] })
    bench.stop()
    #expect(bench.events.isEmpty)
  }

  /// Where the kernel does not debounce, the panel does.
  @Test func bouncesAreOnePress() {
    let button = FakeLine(debounces: false)
    let bench = Bench()
    bench.start(
      PanelTests.plan { $0.mainButton = PanelTests.line(1) }, FakeGPIO(lines: [1: button]))
    (MediaTime.now() + .milliseconds(50)).sleepUntil()
    for level in [true, false, true, false, true] {
      button.move(down: level)
      (MediaTime.now() + .milliseconds(3)).sleepUntil()
    }
    #expect(bench.wait { bench.commands == [.pause] })
    for level in [false, true, false] {
      button.move(down: level)
      (MediaTime.now() + .milliseconds(3)).sleepUntil()
    }
    (MediaTime.now() + .milliseconds(100)).sleepUntil()
    bench.stop()
    #expect(bench.commands == [.pause])
  }

  /// The kernel's queue of edges is short: what was lost in it shows in the level.
  @Test func aLostEdgeIsMadeGood() {
    let button = FakeLine()
    let bench = Bench()
    bench.start(
      PanelTests.plan { $0.mainButton = PanelTests.line(1) }, FakeGPIO(lines: [1: button]))
    (MediaTime.now() + .milliseconds(50)).sleepUntil()
    button.move(down: true, tellingEdge: false)
    #expect(bench.wait { bench.commands == [.pause] })
    bench.stop()
  }

  @Test func bothButtonsAtOnceDoBothTheirTasks() {
    let main = FakeLine()
    let second = FakeLine()
    let bench = Bench()
    bench.start(
      PanelTests.plan {
        $0.mainButton = PanelTests.line(1)
        $0.secondButton = PanelTests.line(2)
      }, FakeGPIO(lines: [1: main, 2: second]))
    (MediaTime.now() + .milliseconds(50)).sleepUntil()
    main.move(down: true)
    second.move(down: true)
    #expect(bench.wait { Set(bench.commands) == [.pause, .mute] })
    second.move(down: false)
    second.move(down: true)
    #expect(bench.wait { bench.commands.last == .unmute })
    bench.stop()
  }

  @Test func aButtonThatIsDownAtTheStartDoesNothingAndIsTold() {
    let main = FakeLine(isActive: true)
    let second = FakeLine(isActive: true)
    let bench = Bench()
    bench.start(
      PanelTests.plan {
        $0.mainButton = PanelTests.line(1)
        $0.secondButton = PanelTests.line(2)
      }, FakeGPIO(lines: [1: main, 2: second]))
    #expect(
      bench.wait { bench.events == [.downAtStart(.mainButton), .downAtStart(.secondButton)] })
    main.move(down: false)
    second.move(down: false)
    (MediaTime.now() + .milliseconds(50)).sleepUntil()
    #expect(bench.commands.isEmpty)
    #expect(bench.events.suffix(2).contains(.released(.mainButton)))
    second.move(down: true)
    #expect(bench.wait { bench.commands == [.mute] })
    bench.stop()
  }

  /// One warning for all lines with the same fault, and the others work on.
  @Test func whatCannotBeHadIsToldOnce() {
    let button = FakeLine()
    let bench = Bench()
    bench.start(
      PanelTests.plan {
        $0.mainButton = PanelTests.line(1)
        $0.lamp = PanelTests.line(3)
        $0.buzzer = LineAddress(chip: "gone", line: .offset(1))
        $0.colouredLamps[.red] = LineAddress(chip: "gone", line: .offset(2))
      }, FakeGPIO(lines: [1: button], busy: [3]))
    #expect(bench.wait { bench.events.count == 2 })
    (MediaTime.now() + .milliseconds(50)).sleepUntil()
    button.move(down: true)
    #expect(bench.wait { bench.commands == [.pause] })
    bench.stop()
    #expect(bench.events.count == 2)
    #expect(bench.events.contains(.lost([.lamp], .busy("L3", holder: "spi0"))))
    #expect(bench.events.contains(.lost([.colouredLamp(.red), .buzzer], .noChip("gone"))))
  }

  /// What is unplugged while it is down is not held for two seconds.
  @Test func aButtonThatIsUnpluggedIsNotHeld() {
    let button = FakeLine()
    let bench = Bench()
    bench.start(
      PanelTests.plan { $0.mainButton = PanelTests.line(1) }, FakeGPIO(lines: [1: button]))
    (MediaTime.now() + .milliseconds(50)).sleepUntil()
    button.move(down: true)
    #expect(bench.wait { bench.commands == [.pause] })
    button.unplug()
    (MediaTime.now() + .milliseconds(2_300)).sleepUntil()
    bench.stop()
    #expect(bench.commands == [.pause])
  }

  @Test func aChipThatIsUnpluggedIsTold() {
    let button = FakeLine()
    let lamp = FakeLine()
    let bench = Bench()
    bench.start(
      PanelTests.plan {
        $0.mainButton = PanelTests.line(1)
        $0.lamp = PanelTests.line(2)
      }, FakeGPIO(lines: [1: button, 2: lamp]))
    #expect(bench.wait { lamp.levels == [true] })
    button.unplug()
    #expect(bench.wait { bench.events == [.lost([.mainButton], .failed("L1", ENODEV))] })
    lamp.unplug()
    bench.show(.offAir)
    #expect(bench.wait { bench.events.count == 2 })
    bench.stop()
  }

  @Test func lampsSayWhatTheyAreToldAndAreDarkAtTheEnd() {
    let lamp = FakeLine()
    let red = FakeLine()
    let green = FakeLine()
    let bench = Bench()
    bench.start(
      PanelTests.plan {
        $0.lamp = PanelTests.line(1)
        $0.colouredLamps = [.red: PanelTests.line(2), .green: PanelTests.line(3)]
      }, FakeGPIO(lines: [1: lamp, 2: red, 3: green]))
    #expect(bench.wait { lamp.levels == [true] && green.levels == [true] && red.levels.isEmpty })
    bench.show(.reconnecting)
    #expect(bench.wait { red.levels.count > 4 && green.levels == [true, false] })
    bench.stop()
    #expect(lamp.levels.last == false)
    #expect(red.levels.last == false)
  }
}
