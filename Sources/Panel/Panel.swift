// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Director
internal import Synchronization

/// The panel of the box: buttons, lamps and a buzzer on GPIO lines, handled by a thread of the panel.
///
/// A line that does not work is reported once, and the panel tries to open it again every 5 s. The other lines work
/// meanwhile.
public final class Panel: Sendable {
  /// The functions by which the panel reaches the rest of the program. They are called on the panel's thread, except
  /// for `lamp`, which `refreshLamp` and the initializer call, too.
  public struct Handlers: Sendable {
    /// Returns the present intent of the person at the box, such as whether the broadcast is live or paused.
    var intent: @Sendable () -> Intent
    /// Returns the pattern that the lamp has to show now.
    var lamp: @Sendable () -> LampPattern
    /// Whether all lamps and the buzzer are on for a measurement, and until when that stays so; `nil` while there is
    /// none.
    var beat: @Sendable (MediaTime) -> (isOn: Bool, until: MediaTime)?
    /// Performs a command; returns `false` if the command is refused.
    var perform: @Sendable (Command) -> Bool
    /// Extends the scheduled broadcast that runs; returns `false` if none runs.
    var extend: @Sendable () -> Bool
    /// Sets a mark in the recording; returns `false` if nothing is recorded.
    var mark: @Sendable () -> Bool
    /// Shows camera and guests in the next layout; returns `false` if no guest is on air.
    var switchLayout: @Sendable () -> Bool
    /// Receives the panel's events.
    var report: @Sendable (PanelEvent) -> Void

    public init(
      intent: @escaping @Sendable () -> Intent, lamp: @escaping @Sendable () -> LampPattern,
      beat: @escaping @Sendable (MediaTime) -> (isOn: Bool, until: MediaTime)? = { _ in nil },
      perform: @escaping @Sendable (Command) -> Bool,
      extend: @escaping @Sendable () -> Bool = { false },
      mark: @escaping @Sendable () -> Bool = { false },
      switchLayout: @escaping @Sendable () -> Bool = { false },
      report: @escaping @Sendable (PanelEvent) -> Void
    ) {
      self.intent = intent
      self.lamp = lamp
      self.beat = beat
      self.perform = perform
      self.extend = extend
      self.mark = mark
      self.switchLayout = switchLayout
      self.report = report
    }
  }

  /// The wiring of the panel.
  private let wiring: PanelLines
  /// Access to the GPIO chips.
  private let host: any GPIOHost
  /// The functions by which the panel reaches the rest of the program.
  private let handlers: Handlers
  /// The lamp pattern at the last call of `refreshLamp`.
  private let pattern: Mutex<LampPattern>
  /// The panel's thread.
  private let worker: Worker

  public convenience init(wiring: PanelLines, handlers: Handlers) {
    self.init(wiring: wiring, host: LinuxGPIO(), handlers: handlers)
  }

  init(
    wiring: PanelLines, host: any GPIOHost, handlers: Handlers, clock: MediaClock = .system
  ) {
    self.wiring = wiring
    self.host = host
    self.handlers = handlers
    pattern = Mutex(handlers.lamp())
    worker = Worker(name: "panel", urgency: .device, clock: clock)
  }

  /// The parts of the panel that have a line.
  public var parts: [PanelPart] { wiring.parts.map(\.part) }

  /// Starts the panel's thread.
  public func start() {
    worker.start { [self] in
      let loop = PanelLoop(wiring: wiring, host: host, handlers: handlers, clock: worker.clock)
      while !worker.isStopping {
        loop.runOnce()
        worker.wait(until: loop.deadline, forAnyOf: loop.buttonDescriptors)
      }
      loop.switchOutputsOff()
    }
  }

  /// Makes the lamp show the present pattern at once if the pattern has changed since the last call. This function is
  /// cheap enough to be called many times a second. After a press of a button, the panel updates the lamp without a
  /// call.
  public func refreshLamp() {
    let lamp = handlers.lamp()
    let isNew = pattern.withLock { pattern in
      defer { pattern = lamp }
      return pattern != lamp
    }
    if isNew { worker.wake() }
  }

  /// Whether the panel's thread still runs its loop, so that buttons and lamps work.
  public func isAlive(_ now: MediaTime) -> Bool { worker.heartbeat.isAlive(now) }

  /// Switches the lamps and the buzzer off, releases the lines, and waits until the thread has ended or `deadline` has
  /// passed.
  /// - Returns: `false` if the thread was still running at `deadline`.
  public func stop(by deadline: MediaTime) -> Bool { worker.stop(by: deadline) }
}
