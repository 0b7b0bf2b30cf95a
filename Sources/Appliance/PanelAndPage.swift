// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Director
internal import Glibc
internal import Logging
internal import Media
internal import Page
internal import Panel
internal import Settings

// What a person has in the hand, joined to the station.

extension Panel {
  /// - Returns: `nil` when nothing is wired.
  convenience init?(_ settings: PanelSettings, station: Station, stateDirectory: String) {
    let plan = PanelPlan(settings)
    guard !plan.isEmpty else { return nil }
    let events = station.events
    self.init(
      plan: plan,
      handlers: Handlers(
        intent: { station.intent }, lamp: { station.lamp },
        perform: { command in
          do throws(Station.Fault) {
            try station.perform(command, by: "by button")
            return true
          } catch {
            events.note(
              .notice, "A button for \(command.rawValue) was pressed in vain. \(error.sentence)")
            return false
          }
        },
        report: { events.report($0, stateDirectory: stateDirectory) }))
  }
}

extension PanelPlan {
  init(_ settings: PanelSettings) {
    self.init(
      secondTask: SecondTask(settings.secondTask), buttonsAreActiveLow: settings.buttonsActiveLow,
      buttonBias: Bias(settings.buttonsBias),
      debounceNanos: .milliseconds(Int64(settings.debounceMs)),
      lampsAreActiveLow: settings.lampsActiveLow, buzzerIsActiveLow: settings.buzzerActiveLow)
    func address(_ name: LineName?) -> LineAddress? {
      name.map { name in
        LineAddress(
          chip: name.chip ?? (settings.chip.isEmpty ? nil : settings.chip),
          line: name.offset.map { .offset($0) } ?? .name(name.line))
      }
    }
    mainButton = address(settings.button)
    secondButton = address(settings.secondButton)
    lamp = address(settings.lamp)
    colouredLamps[.red] = address(settings.lampRed)
    colouredLamps[.green] = address(settings.lampGreen)
    colouredLamps[.blue] = address(settings.lampBlue)
    buzzer = address(settings.buzzer)
  }
}

extension PanelPlan.SecondTask {
  fileprivate init(_ task: ButtonTask) {
    switch task {
    case .mute: self = .mute
    case .reconnect: self = .reconnect
    }
  }
}

extension PanelPlan.Bias {
  fileprivate init(_ bias: LineBias) {
    switch bias {
    case .pullUp: self = .pullUp
    case .pullDown: self = .pullDown
    case .none: self = .none
    case .asIs: self = .asIs
    }
  }
}

extension EventLog {
  fileprivate func report(_ news: PanelEvent, stateDirectory: String) {
    switch news {
    case .lost(let parts, let trouble):
      let names = parts.map { "the \($0.name)" }.joined(separator: " and ")
      report(
        Event.Code(deviceTrouble: trouble.code), level: .warning,
        subject: parts.count == 1 ? parts.first?.name : "panel", cause: trouble.code,
        "\(names.prefix(1).uppercased())\(names.dropFirst()) \(parts.count == 1 ? "does" : "do") not work. "
          + trouble.sentence)
    case .recovered(let part):
      report(.deviceBack, subject: part.name, "The \(part.name) works again.")
    case .downAtStart(let part):
      report(
        .buttonStuck, level: .warning, subject: part.name, cause: "down_at_start",
        "The \(part.name) is down at the first look and does nothing until it is released: is something lying on "
          + "it, or is panel.buttons_active_low wrong?")
    case .stuck(let part):
      report(
        .buttonStuck, level: .warning, subject: part.name, cause: "stuck",
        "The \(part.name) has been down for 30 s and does nothing until it is released: is something lying "
          + "on it?")
    case .released(let part):
      report(.buttonReleased, subject: part.name, "The \(part.name) is released and works.")
    case .resetPassword:
      report(.passwordReset, PagePassword.reset(in: stateDirectory))
    }
  }
}

/// The password of the page, which is kept in a file of the state directory.
private enum PagePassword {
  /// Forgets it.
  /// - Returns: what came of it, as a sentence.
  static func reset(in directory: String) -> String {
    guard unsafe unlink("\(directory)/password") == 0 else {
      return errno == ENOENT
        ? "The page has no password, so there is none to reset."
        : "The page's password cannot be reset (\(systemError())): is \(directory) writable?"
    }
    // And so that it does not come back after a power cut.
    let folder = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if folder >= 0 {
      fsync(folder)
      close(folder)
    }
    return "The page's password is reset."
  }
}

/// The station as the page speaks to it.
struct StationPage: PageBox {
  /// For what is wanted to be on the disk.
  private static let patience = Int64.seconds(1)

  let station: Station

  func status() -> [UInt8] { JSON.encode(station.status) }

  func perform(_ command: String) async -> PageAnswer {
    var reply = station.answer(command, by: "by HTTP")
    let deadline = MediaTime.now() + StationPage.patience
    while reply.changed, !station.isSettled, MediaTime.now() < deadline, !Task.isCancelled {
      try? await Task.sleep(for: .milliseconds(5))
    }
    station.complete(&reply)
    let outcome: PageAnswer.Outcome =
      reply.ok ? .done : reply.code == ControlReply.unknown ? .unknown : .refused
    return PageAnswer(outcome: outcome, json: JSON.encode(reply))
  }

  func listen(
    after number: Int?, _ listener: @escaping @Sendable (PageEvent) -> Void
  ) -> @Sendable () -> Void {
    station.events.listen(after: number) { event in
      listener(
        PageEvent(
          number: event.number, code: event.code.rawValue,
          json: String(decoding: JSON.encode(event), as: UTF8.self)))
    }
  }
}

extension Page {
  /// - Returns: `nil` when the settings ask for none.
  convenience init?(_ settings: PageSettings, station: Station) {
    guard let listen = settings.listen else { return nil }
    let events = station.events
    self.init(host: listen.host, port: listen.port, box: StationPage(station: station)) { news in
      switch news {
      case .unavailable(let reason):
        events.report(
          .pageUnavailable, level: .warning,
          "The box cannot be asked by HTTP at \(listen) (\(reason)): set page.listen to an address of this "
            + "machine and a port that nothing else uses.")
      case .back: events.report(.pageBack, "The box can be asked by HTTP at \(listen).")
      }
    }
  }
}
