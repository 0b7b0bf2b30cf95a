// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Director
import Glibc
import Posix
import Synchronization
import Testing

@testable import Panel

/// A GPIO line whose level the test sets, and which records the levels that the panel sets.
final class FakeLine: GPIOLine, Sendable {
  private struct State {
    var level: Bool
    var edges: [LineEdge] = []
    var isBroken = false
    var changes: [Change] = []
  }

  struct Change: Equatable {
    var at: MediaTime
    var isLit: Bool
  }

  private let state: Mutex<State>
  private let clock: VirtualClock
  private let waker = Waker()
  let debounces: Bool

  init(_ clock: VirtualClock, debounces: Bool = true, isActive: Bool = false) {
    self.clock = clock
    self.debounces = debounces
    state = Mutex(State(level: isActive))
  }

  var descriptor: Int32 { waker.descriptor }

  func isActive() throws(SystemError) -> Bool {
    let (isBroken, level) = state.withLock { ($0.isBroken, $0.level) }
    if isBroken { throw SystemError(ENODEV) }
    return level
  }

  func set(_ isActive: Bool) throws(SystemError) {
    let now = clock.now
    let isBroken = state.withLock { state in
      if !state.isBroken { state.changes.append(Change(at: now, isLit: isActive)) }
      return state.isBroken
    }
    if isBroken { throw SystemError(ENODEV) }
  }

  func edges() throws(SystemError) -> [LineEdge] {
    waker.clear()
    let (isBroken, edges) = state.withLock { state in
      defer { state.edges = [] }
      return (state.isBroken, state.edges)
    }
    if isBroken { throw SystemError(ENODEV) }
    return edges
  }

  /// - Parameter losingEdge: simulates a full queue of edges in the kernel.
  func move(down: Bool, losingEdge: Bool = false) {
    let now = clock.now
    state.withLock {
      $0.level = down
      if !losingEdge { $0.edges.append(LineEdge(isActive: down, at: now)) }
    }
    waker.wake()
  }

  func unplug() {
    state.withLock { $0.isBroken = true }
    waker.wake()
  }

  /// All levels that the panel has set.
  var changes: [Change] { state.withLock { $0.changes } }
  var levels: [Bool] { changes.map(\.isLit) }
}

/// A machine with one chip of eight lines, L0 to L7.
final class FakeGPIO: GPIOHost {
  private struct State {
    var lines: [Int: FakeLine]
    var busy: Set<Int> = []
    var isPresent = true
  }

  private let state: Mutex<State>

  init(_ lines: [Int: FakeLine]) { state = Mutex(State(lines: lines)) }

  func chips() -> [GPIOChipDescription] {
    let (isPresent, busy) = state.withLock { ($0.isPresent, $0.busy) }
    let chip = GPIOChipDescription(
      path: "/dev/gpiochip0", name: "gpiochip0", label: "fake", problem: nil,
      lines: (0..<8).map {
        GPIOLineDescription(
          offset: $0, name: "L\($0)", direction: .input, isUsed: busy.contains($0),
          usedBy: busy.contains($0) ? "spi0" : nil)
      })
    let other = GPIOChipDescription(
      path: "/dev/gpiochip1", name: "gpiochip1", label: "other", problem: nil, lines: [])
    return isPresent ? [chip] : [other]
  }

  func open(path: String, offset: Int, use: LineConfiguration) throws(SystemError) -> any GPIOLine {
    let line = state.withLock { $0.busy.contains(offset) ? nil : $0.lines[offset] }
    guard let line else { throw SystemError(EBUSY) }
    return line
  }

  func setBusy(_ offset: Int, _ isBusy: Bool) {
    state.withLock { state in
      if isBusy { state.busy.insert(offset) } else { state.busy.remove(offset) }
    }
  }

  func setPresent(_ isPresent: Bool) { state.withLock { $0.isPresent = isPresent } }

  func replace(_ offset: Int, by line: FakeLine) { state.withLock { $0.lines[offset] = line } }
}

/// A command of the panel.
enum Output: Equatable, Sendable {
  case command(Command)
  case refused(Command)
  case switchLayout
  case event(PanelEvent)
}

/// Performs the panel's commands on an intent, and records them with their times.
final class FakeProgram: Sendable {
  private struct State {
    var intent: Intent
    var lamp = LampPattern.live
    var outputs: [(at: MediaTime, output: Output)] = []
  }

  private let state: Mutex<State>
  private let clock: VirtualClock

  init(_ intent: Intent, _ clock: VirtualClock) {
    state = Mutex(State(intent: intent))
    self.clock = clock
  }

  var handlers: Panel.Handlers {
    Panel.Handlers(
      intent: { [self] in state.withLock { $0.intent } },
      lamp: { [self] in state.withLock { $0.lamp } },
      perform: { [self] command in
        let now = clock.now
        return state.withLock { state in
          guard let intent = try? state.intent.after(command) else {
            state.outputs.append((now, .refused(command)))
            return false
          }
          state.intent = intent
          state.outputs.append((now, .command(command)))
          return true
        }
      },
      switchLayout: { [self] in
        let now = clock.now
        state.withLock { $0.outputs.append((now, .switchLayout)) }
        return true
      },
      report: { [self] event in
        let now = clock.now
        state.withLock { $0.outputs.append((now, .event(event))) }
      })
  }

  var intent: Intent { state.withLock { $0.intent } }
  var timedOutputs: [(at: MediaTime, output: Output)] { state.withLock { $0.outputs } }
  var outputs: [Output] { timedOutputs.map(\.output) }
  func show(_ pattern: LampPattern) { state.withLock { $0.lamp = pattern } }
}

/// A panel's loop on a virtual clock: no threads, exact times.
final class Rig {
  let clock: VirtualClock
  let gpio: FakeGPIO
  let program: FakeProgram
  private let loop: PanelLoop

  init(
    _ plan: PanelLines, _ gpio: FakeGPIO, _ clock: VirtualClock,
    intent: Intent = Intent(broadcast: .live)
  ) {
    self.clock = clock
    self.gpio = gpio
    program = FakeProgram(intent, clock)
    loop = PanelLoop(wiring: plan, host: gpio, handlers: program.handlers, clock: clock.clock)
    loop.runOnce()
  }

  /// As the panel's thread does when a descriptor or its waker is readable.
  func step() { loop.runOnce() }

  /// Lets time pass; the loop runs whenever it is due.
  func wait(milliseconds: Int64) {
    let end = clock.now + .milliseconds(milliseconds)
    while loop.deadline <= end {
      clock.advance(by: max(0, loop.deadline - clock.now))
      loop.runOnce()
    }
    clock.advance(by: end - clock.now)
  }

  func move(_ line: FakeLine, down: Bool, losingEdge: Bool = false) {
    line.move(down: down, losingEdge: losingEdge)
    loop.runOnce()
  }

  func unplug(_ line: FakeLine) {
    line.unplug()
    loop.runOnce()
  }

  func darken() { loop.switchOutputsOff() }
}

func line(_ offset: Int) -> LineAddress { LineAddress(chip: nil, line: .name("L\(offset)")) }

func plan(_ edit: (inout PanelLines) -> Void) -> PanelLines {
  var plan = PanelLines(
    secondTask: .mute, buttonsAreActiveLow: true, buttonBias: .pullUp,
    debounceNanos: .milliseconds(20), lampsAreActiveLow: false, buzzerIsActiveLow: false)
  edit(&plan)
  return plan
}
