// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Director
internal import Synchronization

/// Buttons, lamps and a buzzer on GPIO lines, served by a thread of their own.
///
/// A line that does not work is reported once and opened again every 5 s. The other lines work meanwhile.
public final class Panel: Sendable {
  /// How the panel reaches the rest of the program. Called on the panel's thread.
  public struct Handlers: Sendable {
    /// Returns the present intent.
    var intent: @Sendable () -> Intent
    /// Returns the pattern that the lamp is to show.
    var lamp: @Sendable () -> LampPattern
    /// Performs a command; returns `false` when it is refused.
    var perform: @Sendable (Command) -> Bool
    /// Receives the panel's events.
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

  private let plan: PanelLines
  private let host: any GPIOHost
  private let handlers: Handlers
  /// The pattern at the last call of `refreshLamp`.
  private let pattern: Mutex<LampPattern>
  private let worker: Worker

  public convenience init(plan: PanelLines, handlers: Handlers) {
    self.init(plan: plan, host: LinuxGPIO(), handlers: handlers)
  }

  init(
    plan: PanelLines, host: any GPIOHost, handlers: Handlers, clock: MediaClock = .system
  ) {
    self.plan = plan
    self.host = host
    self.handlers = handlers
    pattern = Mutex(handlers.lamp())
    worker = Worker(name: "panel", urgency: .device, clock: clock)
  }

  /// What it has lines for.
  public var parts: [PanelPart] { plan.parts.map(\.part) }

  public func start() {
    worker.start { [self] in
      let loop = PanelLoop(plan: plan, host: host, handlers: handlers, clock: worker.clock)
      while !worker.isStopping {
        loop.step()
        worker.wait(until: loop.deadline, forAnyOf: loop.buttonDescriptors)
      }
      loop.darken()
    }
  }

  /// Shows a changed pattern at once. Cheap: to be called many times a second. After a press the panel looks at the
  /// pattern by itself.
  public func refreshLamp() {
    let lamp = handlers.lamp()
    let isNew = pattern.withLock { pattern in
      defer { pattern = lamp }
      return pattern != lamp
    }
    if isNew { worker.wake() }
  }

  /// Whether its thread goes around: buttons and lamps work.
  public func isAlive(_ now: MediaTime) -> Bool { worker.heartbeat.isAlive(now) }

  /// Switches the lamps off and releases the lines.
  /// - Returns: `false` if the thread was still running at `deadline`.
  public func stop(by deadline: MediaTime) -> Bool { worker.stop(by: deadline) }
}
