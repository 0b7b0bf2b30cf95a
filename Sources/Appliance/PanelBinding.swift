// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Base
internal import Box
internal import Control
internal import Director
internal import Events
internal import Logging
internal import Panel
internal import Settings
internal import Synchronization

// Connects the panel of buttons and lamps to the station, which runs the broadcasts.

/// Owns the panel of buttons and lamps, and replaces it when its settings change. Used by one thread.
final class PanelHolder {
  /// Keeps the newest settings of the panel, set by any thread, until `PanelHolder.refresh` applies them.
  final class RequestedSettings: SettingsFollower {
    private let panel: Mutex<PanelSettings>

    init(_ panel: PanelSettings) { self.panel = Mutex(panel) }

    func change(_ settings: Settings) { panel.withLock { $0 = settings.panel } }
    var settings: PanelSettings { panel.withLock { $0 } }
  }

  /// Runs the broadcasts, and performs the commands of the panel.
  private let station: Station
  /// The page's passwords and tokens. Holding the main button for 10 s makes the box forget them.
  private let access: Access
  /// The newest settings of the panel, which `refresh` applies.
  let requested: RequestedSettings
  /// The settings of the present panel or, while an earlier panel is still ending, of the next one.
  private var settings: PanelSettings
  /// The present panel; `nil` if the settings name no GPIO line, or while an earlier panel is still ending.
  private var panel: Panel?
  /// A panel with earlier settings whose thread has not ended. Until then its GPIO lines cannot be opened again.
  private var ending: Panel?

  init(station: Station, access: Access) {
    self.station = station
    self.access = access
    settings = station.settings.panel
    requested = RequestedSettings(settings)
    start()
  }

  /// Creates and starts the panel for `settings`.
  private func start() {
    panel = Panel(settings, station: station, access: access)
    panel?.start()
  }

  /// Removes the troubles of an ended panel's parts from the status. Whether the lines of the next panel work is not
  /// known yet.
  private func forget(_ panel: Panel) {
    for part in panel.parts { station.events.endTrouble(part.name) }
  }

  /// Applies changed settings, and shows a changed state of the lamp at once. To be called twenty times a second.
  /// - Parameter deadline: when to stop waiting for a panel with earlier settings to release its lines.
  func refresh(by deadline: MediaTime) {
    let present = requested.settings
    if present != settings {
      settings = present
      ending = panel ?? ending
      panel = nil
      if ending == nil { start() }
    }
    if let ended = ending, ended.stop(by: deadline) {
      forget(ended)
      ending = nil
      start()
    }
    panel?.refreshLamp()
  }

  /// Whether the panel's thread works; `true` if there is no panel.
  func isAlive(_ now: MediaTime) -> Bool { panel?.isAlive(now) ?? true }

  /// Stops the panel.
  /// - Returns: `false` if its thread was still running at `deadline`.
  func stop(by deadline: MediaTime) -> Bool {
    panel?.stop(by: deadline) ?? ending?.stop(by: deadline) ?? true
  }
}

extension Panel {
  /// Creates a panel that controls the station.
  /// - Returns: `nil` when the settings name no GPIO lines.
  convenience init?(_ settings: PanelSettings, station: Station, access: Access) {
    let wiring = PanelLines(settings)
    guard !wiring.isEmpty else { return nil }
    let events = station.events
    self.init(
      wiring: wiring,
      handlers: Handlers(
        intent: { station.intent }, lamp: { station.lamp }, beat: { station.lipSyncBeat(at: $0) },
        perform: { command in
          do throws(StationError) {
            try station.perform(command, by: "by button")
            return true
          } catch {
            events.note(
              .notice,
              "The button for \(command.rawValue) was pressed, but nothing was done. \(error.sentence)"
            )
            return false
          }
        },
        extend: { station.schedule.extendByButton() },
        mark: { station.markRecording(by: "by button").ok },
        switchLayout: { station.switchLayout() },
        report: { event in
          // The main button was held for 10 s: forget the password, so that a new one can be set on the page.
          if event == .heldForReset { Task { try? await access.reset() } }
          if event == .heldForFactoryReset { station.resetByButton() }
          events.report(event)
        }))
  }
}

extension Station {
  /// Resets the box to its factory state because the main button was held; logs why if that fails.
  fileprivate func resetByButton() {
    do throws(StationError) {
      try resetToFactory(by: "by button")
    } catch {
      events.note(.error, error.sentence)
    }
  }
}

extension PanelLines {
  init(_ settings: PanelSettings) {
    self.init(
      secondTask: settings.secondTask, buttonsAreActiveLow: settings.buttonsActiveLow,
      buttonBias: settings.buttonsBias,
      debounceNanos: .milliseconds(Int64(settings.debounceMs)),
      lampsAreActiveLow: settings.lampsActiveLow, buzzerIsActiveLow: settings.buzzerActiveLow)
    mainButton = settings.button
    secondButton = settings.secondButton
    lamp = settings.lamp
    colouredLamps[.red] = settings.lampRed
    colouredLamps[.green] = settings.lampGreen
    colouredLamps[.blue] = settings.lampBlue
    buzzer = settings.buzzer
  }
}

extension EventLog {
  /// Logs an event of the panel as a sentence for people, and begins the troubles of parts that are lost.
  fileprivate func report(_ event: PanelEvent) {
    switch event {
    case .lost(let parts, let trouble):
      let names = parts.map { "the \($0.name)" }.joined(separator: " and ")
      let sentence =
        "\(names.prefix(1).uppercased())\(names.dropFirst()) \(parts.count == 1 ? "does" : "do") not work. "
        + trouble.sentence
      report(
        Event.Code(deviceTrouble: trouble.code), level: .warning,
        subject: parts.count == 1 ? parts.first?.name : "panel", cause: trouble.code, sentence)
      // Each part has its own trouble, since the parts recover independently.
      for part in parts { beginTrouble(part.name, cause: trouble.code, sentence) }
    case .recovered(let part):
      report(.deviceBack, subject: part.name, "The \(part.name) works again.")
    case .downAtStart(let part):
      report(
        .buttonStuck, level: .warning, subject: part.name, cause: "down_at_start",
        "The \(part.name) was down at the start and is ignored until it is released: is something lying on it, or "
          + "is panel.buttons_active_low wrong?")
    case .stuck(let part):
      report(
        .buttonStuck, level: .warning, subject: part.name, cause: "stuck",
        "The \(part.name) has been down for 30 s and is ignored until it is released: is something lying on it?"
      )
    case .heldForReset:
      note(.notice, "The main button was held for 10 s: the page's password is forgotten.")
    case .heldForFactoryReset:
      note(.notice, "The main button was held for 20 s from the box's start on.")
    case .released(let part):
      report(.buttonReleased, subject: part.name, "The \(part.name) is released and works.")
    }
  }
}
