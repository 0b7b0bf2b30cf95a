// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Director
internal import Glibc
public import Media
internal import Synchronization

/// Buttons, lamps and a buzzer on GPIO lines, on a thread of their own.
///
/// A line that cannot be had is told once and tried again for ever; the others work meanwhile.
public final class Panel: Sendable {
  /// What the panel asks of the program, on the panel's thread.
  public struct Handlers: Sendable {
    /// What is wanted by now.
    var intent: @Sendable () -> Intent
    /// What the lamp is to say by now.
    var lamp: @Sendable () -> LampPattern
    /// Does a command; `false` when it does not fit.
    var perform: @Sendable (Command) -> Bool
    /// Takes what a person should know.
    var report: @Sendable (PanelEvent) -> Void

    public init(
      intent: @escaping @Sendable () -> Intent, lamp: @escaping @Sendable () -> LampPattern,
      perform: @escaping @Sendable (Command) -> Bool,
      report: @escaping @Sendable (PanelEvent) -> Void
    ) {
      self.intent = intent
      self.lamp = lamp
      self.perform = perform
      self.report = report
    }
  }

  /// From one attempt at a line that cannot be had to the next.
  static let retryNanos = Int64.seconds(5)

  private let plan: PanelPlan
  private let host: any GPIOHost
  private let handlers: Handlers
  /// What the lamp was last known to be to say.
  private let pattern: Mutex<LampPattern>
  private let waker = Waker()
  private let isStopping = Atomic(false)
  private let thread = Mutex<MediaThread?>(nil)

  public convenience init(plan: PanelPlan, handlers: Handlers) {
    self.init(plan: plan, host: LinuxGPIO(), handlers: handlers)
  }

  init(plan: PanelPlan, host: any GPIOHost, handlers: Handlers) {
    self.plan = plan
    self.host = host
    self.handlers = handlers
    pattern = Mutex(handlers.lamp())
  }

  public func start() {
    thread.withLock {
      $0 = MediaThread(name: "panel", urgency: .device) { [self] in
        PanelThread(plan: plan, host: host, handlers: handlers).run(waker) {
          isStopping.load(ordering: .relaxed)
        }
      }
    }
  }

  /// Looks whether the lamp is to say something else. To be called many times a second; what a press changes
  /// shows without it.
  public func refreshLamp() {
    let lamp = handlers.lamp()
    let isNew = pattern.withLock { pattern in
      defer { pattern = lamp }
      return pattern != lamp
    }
    if isNew { waker.wake() }
  }

  /// Lets go of the lines; the lamps are dark then.
  /// - Returns: `false` if that was not done by `deadline`.
  public func stop(by deadline: MediaTime) -> Bool {
    isStopping.store(true, ordering: .relaxed)
    waker.wake()
    return thread.withLock { $0 }?.join(until: deadline) ?? true
  }
}

/// What the panel's thread works with.
private final class PanelThread {
  /// A line, while it is held.
  private final class Wire {
    let part: PanelPart
    let address: LineAddress
    var line: (any GPIOLine)?
    /// Of a button that the kernel does not debounce.
    var debouncer: Debouncer?
    /// The level that was last told, or set.
    var isActive = false
    var isReportedLost = false

    init(_ part: PanelPart, _ address: LineAddress) {
      self.part = part
      self.address = address
    }
  }

  private let plan: PanelPlan
  private let host: any GPIOHost
  private let handlers: Panel.Handlers
  private let epoch = MediaTime.now()
  private let wires: [Wire]
  private var logic: PanelLogic
  private var retryAt = MediaTime.distantPast

  init(plan: PanelPlan, host: any GPIOHost, handlers: Panel.Handlers) {
    self.plan = plan
    self.host = host
    self.handlers = handlers
    wires = plan.parts.map { Wire($0.part, $0.line) }
    logic = PanelLogic(task: plan.secondTask, pattern: handlers.lamp(), at: .zero)
  }

  func run(_ waker: Waker, until isStopping: () -> Bool) {
    while !isStopping() {
      openMissing()
      logic.show(handlers.lamp(), at: since(.now()))
      drive()
      let ready = wait(waker)
      for wire in wires where ready.contains(wire.line?.descriptor ?? -1) { read(wire) }
      settle()
      act(logic.review(intent: handlers.intent(), at: since(.now())))
    }
    for wire in wires where !wire.part.isButton { try? wire.line?.set(false) }
  }

  private func since(_ time: MediaTime) -> Duration { .nanoseconds(time - epoch) }

  // MARK: Lines

  private func openMissing() {
    let now = MediaTime.now()
    guard now >= retryAt, wires.contains(where: { $0.line == nil }) else { return }
    retryAt = now + Panel.retryNanos
    let chips = host.chips()
    var lost: [(trouble: LineError, parts: [PanelPart])] = []
    for wire in wires where wire.line == nil {
      do throws(LineError) {
        try open(wire, among: chips)
        if wire.isReportedLost { handlers.report(.recovered(wire.part)) }
        wire.isReportedLost = false
      } catch {
        guard !wire.isReportedLost else { continue }
        wire.isReportedLost = true
        if let index = lost.firstIndex(where: { $0.trouble == error }) {
          lost[index].parts.append(wire.part)
        } else {
          lost.append((error, [wire.part]))
        }
      }
    }
    for (trouble, parts) in lost { handlers.report(.lost(parts, trouble)) }
  }

  private func open(_ wire: Wire, among chips: [GPIOChipDescription]) throws(LineError) {
    let (path, offset) = try wire.address.find(in: chips)
    var use = LineUse()
    switch wire.part {
    case .mainButton, .secondButton:
      use.isActiveLow = plan.buttonsAreActiveLow
      use.bias = plan.buttonBias
      use.debounceNanos = plan.debounceNanos
    case .lamp, .colouredLamp:
      use.isOutput = true
      use.isActiveLow = plan.lampsAreActiveLow
    case .buzzer:
      use.isOutput = true
      use.isActiveLow = plan.buzzerIsActiveLow
    }
    let isDown: Bool
    let line: any GPIOLine
    do throws(GPIOError) {
      line = try host.hold(path: path, offset: offset, use: use)
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
      wire.debouncer = Debouncer(isDown: isDown, period: .nanoseconds(plan.debounceNanos))
    }
    act(logic.begin(wire.part, isDown: isDown, at: since(.now())))
  }

  /// A line that works no longer: its chip may have been unplugged.
  private func lose(_ wire: Wire, _ error: GPIOError) {
    retryAt = .now() + Panel.retryNanos
    wire.line = nil
    wire.debouncer = nil
    wire.isReportedLost = true
    logic.lose(wire.part)
    handlers.report(.lost([wire.part], .failed("\(wire.address)", error.code)))
  }

  // MARK: Waiting

  /// Waits for a change of a button, for the next moment at which something is due, or for a call.
  /// - Returns: the descriptors that have something.
  private func wait(_ waker: Waker) -> Set<Int32> {
    let now = MediaTime.now()
    var due = wires.compactMap { $0.debouncer?.settlesAt }
    if let next = logic.reviewAt(since(now)) { due.append(next) }
    var deadline = due.min().map { epoch + $0.nanoseconds } ?? .distantFuture
    if wires.contains(where: { $0.line == nil }) { deadline = min(deadline, retryAt) }
    // What the lamp says may grow old without anybody telling so.
    if wires.contains(where: { !$0.part.isButton }) { deadline = min(deadline, now + .seconds(1)) }
    // Rounded up, so that what is due is due when poll returns.
    let left = max(0, min(deadline - now, .seconds(3_600)) + 999_999) / 1_000_000
    let buttons = wires.filter { $0.part.isButton }.compactMap { $0.line?.descriptor }
    var waiting = (buttons + [waker.descriptor]).map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    guard unsafe poll(&waiting, nfds_t(waiting.count), Int32(left)) > 0 else { return [] }
    waker.clear()
    return Set(waiting.lazy.filter { $0.revents != 0 }.map(\.fd))
  }

  // MARK: Buttons

  private func read(_ wire: Wire) {
    guard let line = wire.line else { return }
    do throws(GPIOError) {
      // Before Linux 5.7 the stamps were of another clock.
      for edge in try line.edges() { note(wire, edge.isActive, at: min(edge.at, .now())) }
      // The kernel drops edges when they come too fast: the level has the last word.
      let isActive = try line.isActive()
      if isActive != wire.debouncer?.latest ?? wire.isActive { note(wire, isActive, at: .now()) }
    } catch {
      lose(wire, error)
    }
  }

  private func note(_ wire: Wire, _ isActive: Bool, at time: MediaTime) {
    guard wire.debouncer == nil else {
      settle(wire, by: time)
      wire.debouncer?.change(isDown: isActive, at: since(time))
      return
    }
    change(wire, isActive, at: since(time))
  }

  /// What has lasted long enough to count.
  private func settle() {
    for wire in wires { settle(wire, by: .now()) }
  }

  private func settle(_ wire: Wire, by time: MediaTime) {
    guard let change = wire.debouncer?.settle(at: since(time)) else { return }
    self.change(wire, change.isDown, at: change.at)
  }

  private func change(_ wire: Wire, _ isActive: Bool, at time: Duration) {
    guard isActive != wire.isActive else { return }
    wire.isActive = isActive
    act(logic.change(wire.part, isDown: isActive, intent: handlers.intent(), at: time))
  }

  private func act(_ actions: [PanelLogic.Action]) {
    for action in actions {
      switch action {
      case .command(let command):
        if !handlers.perform(command) { logic.blink(at: since(.now())) }
      case .event(let event): handlers.report(event)
      }
    }
  }

  // MARK: Lamps

  private func drive() {
    let now = since(.now())
    let lit = logic.lamp.look(at: now).lit
    let sounds = logic.buzzer.look(at: now).sounds
    let mix = lit?.mix(of: Set(plan.colouredLamps.keys), working: working) ?? []
    for wire in wires {
      switch wire.part {
      case .mainButton, .secondButton: break
      case .lamp: set(wire, lit != nil)
      case .colouredLamp(let primary): set(wire, mix.contains(primary))
      case .buzzer: set(wire, sounds)
      }
    }
  }

  /// The coloured lamps whose lines are held.
  private var working: Set<LampPattern.Primary> {
    var primaries: Set<LampPattern.Primary> = []
    for wire in wires where wire.line != nil {
      if case .colouredLamp(let primary) = wire.part { primaries.insert(primary) }
    }
    return primaries
  }

  private func set(_ wire: Wire, _ isActive: Bool) {
    guard let line = wire.line, isActive != wire.isActive else { return }
    do throws(GPIOError) {
      try line.set(isActive)
      wire.isActive = isActive
    } catch {
      lose(wire, error)
    }
  }
}

extension Duration {
  fileprivate var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
