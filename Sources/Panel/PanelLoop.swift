// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Director
internal import Glibc
internal import Posix

/// Connects the panel's GPIO lines with its logic. `runOnce` handles everything that is due. The thread of `Panel`
/// calls `runOnce` again and again, and waits in between; a test advances a virtual clock instead.
final class PanelLoop {
  /// A part of the panel, such as a button, with its GPIO line.
  private final class Wire {
    let part: PanelPart
    let address: LineAddress
    /// The open line; `nil` while the line does not work.
    var line: (any GPIOLine)?
    /// Debounces a button whose line the kernel does not debounce; `nil` otherwise.
    var debouncer: Debouncer?
    /// Whether the button's last handled level, or the output's last set level, is the active one.
    var isActive = false
    /// Whether the failure of the line has been reported, and its recovery has not been reported yet.
    var isReportedLost = false

    init(_ part: PanelPart, _ address: LineAddress) {
      self.part = part
      self.address = address
    }
  }

  /// The time between two attempts to open a line that does not work, in nanoseconds.
  static let retryNanos = Int64.seconds(5)

  /// If the panel opens its lines before this uptime, in nanoseconds, the box counts as just switched on.
  /// CLOCK_MONOTONIC, on which the uptime is measured, begins at the boot.
  static let powerOnNanos = Int64.seconds(120)

  /// The wiring of the panel.
  private let wiring: PanelLines
  /// Access to the GPIO chips.
  private let host: any GPIOHost
  /// The functions by which the panel reaches the rest of the program.
  private let handlers: Panel.Handlers
  /// The clock from which the present time is read.
  private let clock: MediaClock
  /// The start of the panel. `logic` gets all times as durations since this instant.
  private let startedAt: MediaTime
  /// All parts of the panel that the wiring gives a line.
  private let wires: [Wire]
  /// Decides what presses do, and what the lamp and the buzzer show.
  private var logic: PanelLogic
  /// When to try again to open the lines that do not work.
  private var retryAt = MediaTime.distantPast

  init(wiring: PanelLines, host: any GPIOHost, handlers: Panel.Handlers, clock: MediaClock) {
    self.wiring = wiring
    self.host = host
    self.handlers = handlers
    self.clock = clock
    startedAt = clock.now
    wires = wiring.parts.map { Wire($0.part, $0.line) }
    logic = PanelLogic(task: wiring.secondTask, pattern: handlers.lamp(), at: .zero)
  }

  /// Handles changes of the buttons and everything that is due, opens lines that do not work, then sets the lamps and
  /// the buzzer.
  func runOnce() {
    for wire in readableButtons() { read(wire) }
    for wire in wires { settle(wire, by: clock.now) }
    handle(logic.advance(to: sinceStart(clock.now), intent: handlers.intent()))
    openMissing()
    logic.show(handlers.lamp(), at: sinceStart(clock.now))
    setOutputs()
  }

  /// When `runOnce` has to be called next if no button changes until then.
  var deadline: MediaTime {
    let now = clock.now
    var due = wires.compactMap { $0.debouncer?.settlesAt }
    if let next = logic.deadline(after: sinceStart(now)) { due.append(next) }
    var deadline = due.min().map { startedAt + $0.nanoseconds } ?? .distantFuture
    if wires.contains(where: { $0.line == nil }) { deadline = min(deadline, retryAt) }
    // Check the lamp pattern every second: it may change without a call of `refreshLamp`, as at a timeout.
    if wires.contains(where: { !$0.part.isButton }) {
      deadline = min(deadline, now + .seconds(1), handlers.beat(now)?.until ?? .distantFuture)
    }
    return deadline
  }

  /// The file descriptors of the open button lines. A descriptor is readable when the level of its button has changed.
  var buttonDescriptors: [Int32] { openButtons.compactMap { $0.line?.descriptor } }

  /// Switches all lamps and the buzzer off.
  func switchOutputsOff() {
    for wire in wires where !wire.part.isButton { try? wire.line?.set(false) }
  }

  /// The duration from the start of the panel to an instant.
  private func sinceStart(_ time: MediaTime) -> Duration { .nanoseconds(time - startedAt) }

  // MARK: Opening and closing GPIO lines

  /// Tries to open the lines that do not work, at most every 5 s, and reports failures and recoveries.
  private func openMissing() {
    let now = clock.now
    guard now >= retryAt, wires.contains(where: { $0.line == nil }) else { return }
    retryAt = now + PanelLoop.retryNanos
    let chips = host.chips()
    // Parts that fail for the same reason are reported together.
    var lost: [(error: LineError, parts: [PanelPart])] = []
    for wire in wires where wire.line == nil {
      do throws(LineError) {
        try open(wire, among: chips)
        if wire.isReportedLost { handlers.report(.recovered(wire.part)) }
        wire.isReportedLost = false
      } catch {
        guard !wire.isReportedLost else { continue }
        wire.isReportedLost = true
        if let index = lost.firstIndex(where: { $0.error == error }) {
          lost[index].parts.append(wire.part)
        } else {
          lost.append((error, [wire.part]))
        }
      }
    }
    for (error, parts) in lost { handlers.report(.lost(parts, error)) }
  }

  /// Opens the line of a part. For a button, also passes its present level to the logic.
  private func open(_ wire: Wire, among chips: [GPIOChipDescription]) throws(LineError) {
    let (path, offset) = try wire.address.find(in: chips)
    let isDown: Bool
    let line: any GPIOLine
    do throws(SystemError) {
      line = try host.open(path: path, offset: offset, use: configuration(of: wire.part))
      isDown = wire.part.isButton ? try line.isActive() : false
    } catch {
      switch error.code {
      case EBUSY:
        let description = chips.first { $0.path == path }?.lines.first { $0.offset == offset }
        throw .busy("\(wire.address)", holder: description?.usedBy)
      case EACCES, EPERM: throw .forbidden(path)
      default: throw .failed("\(wire.address)", error.code)
      }
    }
    wire.line = line
    wire.isActive = isDown
    guard wire.part.isButton else { return }
    if !line.debounces {
      wire.debouncer = Debouncer(isDown: isDown, period: .nanoseconds(wiring.debounceNanos))
    }
    let now = clock.now
    handle(
      logic.begin(
        wire.part, isDown: isDown,
        powerOn: now.nanos < PanelLoop.powerOnNanos ? sinceStart(now) : nil))
  }

  /// The configuration with which the line of a part is opened.
  private func configuration(of part: PanelPart) -> LineConfiguration {
    switch part {
    case .mainButton, .secondButton:
      LineConfiguration(
        isActiveLow: wiring.buttonsAreActiveLow, bias: wiring.buttonBias,
        debounceNanos: wiring.debounceNanos)
    case .lamp, .colouredLamp:
      LineConfiguration(isOutput: true, isActiveLow: wiring.lampsAreActiveLow)
    case .buzzer: LineConfiguration(isOutput: true, isActiveLow: wiring.buzzerIsActiveLow)
    }
  }

  /// Handles the failure of an open line, whose chip may have been unplugged: reports it and schedules another attempt
  /// to open it.
  private func lose(_ wire: Wire, _ error: SystemError) {
    retryAt = clock.now + PanelLoop.retryNanos
    wire.line = nil
    wire.debouncer = nil
    wire.isReportedLost = true
    logic.lose(wire.part, at: sinceStart(clock.now))
    handlers.report(.lost([wire.part], .failed("\(wire.address)", error.code)))
  }

  // MARK: Reading the buttons

  /// The buttons whose lines are open.
  private var openButtons: [Wire] { wires.filter { $0.part.isButton && $0.line != nil } }

  /// The buttons whose lines have unread changes. Reading the edges of another line would block.
  private func readableButtons() -> [Wire] {
    let buttons = openButtons
    let areReadable = Waker.areReadable(buttons.map { $0.line?.descriptor ?? -1 })
    return zip(buttons, areReadable).filter(\.1).map(\.0)
  }

  /// Reads and handles the changes of a button's line, and then its present level.
  private func read(_ wire: Wire) {
    guard let line = wire.line else { return }
    do throws(SystemError) {
      // Before Linux 5.7 the timestamps of edges are on CLOCK_REALTIME, which makes them later than now on
      // CLOCK_MONOTONIC.
      for edge in try line.edges() { handleLevel(wire, edge.isActive, at: min(edge.at, clock.now)) }
      // The kernel drops edges when its queue is full, so the present level is read, too.
      let isActive = try line.isActive()
      if isActive != wire.debouncer?.rawIsDown ?? wire.isActive {
        handleLevel(wire, isActive, at: clock.now)
      }
    } catch {
      lose(wire, error)
    }
  }

  /// Handles a level that was read from a button's line. If the kernel has not debounced the level, it is debounced
  /// first.
  private func handleLevel(_ wire: Wire, _ isActive: Bool, at time: MediaTime) {
    guard wire.debouncer == nil else {
      settle(wire, by: time)
      wire.debouncer?.change(isDown: isActive, at: sinceStart(time))
      return
    }
    change(wire, isActive, at: sinceStart(time))
  }

  /// Handles a change of a button if its new level has lasted for the debounce period by `time`.
  private func settle(_ wire: Wire, by time: MediaTime) {
    guard let change = wire.debouncer?.settle(at: sinceStart(time)) else { return }
    self.change(wire, change.isDown, at: change.at)
  }

  /// Handles a debounced level of a button, if it differs from the last one.
  private func change(_ wire: Wire, _ isActive: Bool, at time: Duration) {
    guard isActive != wire.isActive else { return }
    wire.isActive = isActive
    handle(logic.change(wire.part, isDown: isActive, intent: handlers.intent(), at: time))
  }

  /// Performs the commands and reports the events that the logic returns.
  private func handle(_ actions: [PanelLogic.Action]) {
    for action in actions {
      switch action {
      case .command(let command):
        if !handlers.perform(command) { logic.blink(at: sinceStart(clock.now)) }
      case .extend: if !handlers.extend() { logic.blink(at: sinceStart(clock.now)) }
      case .mark: if !handlers.mark() { logic.blink(at: sinceStart(clock.now)) }
      case .switchLayout:
        if !handlers.switchLayout() { logic.blink(at: sinceStart(clock.now)) }
      case .event(let event): handlers.report(event)
      }
    }
  }

  // MARK: Setting the lamps and the buzzer

  /// Sets the lines of the lamps and the buzzer to what the logic shows now.
  private func setOutputs() {
    if let beat = handlers.beat(clock.now) {
      for wire in wires where !wire.part.isButton { set(wire, beat.isOn) }
      return
    }
    let now = sinceStart(clock.now)
    let lit = logic.lamp.state(at: now).lit
    let sounds = logic.buzzer.state(at: now).sounds
    let mix = lit?.mix(of: Set(wiring.colouredLamps.keys), working: workingPrimaries) ?? []
    for wire in wires {
      switch wire.part {
      case .mainButton, .secondButton: break
      case .lamp: set(wire, lit != nil)
      case .colouredLamp(let primary): set(wire, mix.contains(primary))
      case .buzzer: set(wire, sounds)
      }
    }
  }

  /// The coloured lamps whose lines are open.
  private var workingPrimaries: Set<LampPattern.Primary> {
    var primaries: Set<LampPattern.Primary> = []
    for wire in wires where wire.line != nil {
      if case .colouredLamp(let primary) = wire.part { primaries.insert(primary) }
    }
    return primaries
  }

  /// Sets the line of a lamp or the buzzer, if it is open and has another level.
  private func set(_ wire: Wire, _ isActive: Bool) {
    guard let line = wire.line, isActive != wire.isActive else { return }
    do throws(SystemError) {
      try line.set(isActive)
      wire.isActive = isActive
    } catch {
      lose(wire, error)
    }
  }
}

extension Duration {
  /// This duration in nanoseconds.
  fileprivate var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
