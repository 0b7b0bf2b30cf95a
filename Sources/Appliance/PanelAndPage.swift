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
      plan: plan, pattern: station.lamp,
      desk: Desk(
        intent: { station.intent },
        perform: { command in
          do throws(Station.Fault) {
            try station.perform(command, by: "by button")
            return true
          } catch {
            events.note(.notice, "The button asks to \(command.rawValue): \(error.sentence)")
            return false
          }
        },
        tell: { events.tellOf($0, stateDirectory: stateDirectory) }))
  }
}

extension PanelPlan {
  init(_ settings: PanelSettings) {
    self.init()
    func address(_ name: LineName?) -> LineAddress? {
      name.map { name in
        LineAddress(
          chip: name.chip ?? (settings.chip.isEmpty ? nil : settings.chip),
          line: Int(name.line).map { .offset($0) } ?? .name(name.line))
      }
    }
    mainButton = address(settings.button)
    secondButton = address(settings.secondButton)
    secondTask =
      switch settings.secondTask {
      case .mute: .mute
      case .reconnect: .reconnect
      }
    buttonsAreActiveLow = settings.buttonsActiveLow
    buttonBias =
      switch settings.buttonsBias {
      case .pullUp: .pullUp
      case .pullDown: .pullDown
      case .none: .none
      case .asIs: .asIs
      }
    debounceNanos = .milliseconds(Int64(settings.debounceMs))
    lamp = address(settings.lamp)
    colouredLamps[.red] = address(settings.lampRed)
    colouredLamps[.green] = address(settings.lampGreen)
    colouredLamps[.blue] = address(settings.lampBlue)
    lampsAreActiveLow = settings.lampsActiveLow
    buzzer = address(settings.buzzer)
    buzzerIsActiveLow = settings.buzzerActiveLow
  }
}

extension EventLog {
  fileprivate func tellOf(_ news: PanelNews, stateDirectory: String) {
    switch news {
    case .lost(let parts, let trouble):
      let code: Event.Code =
        switch trouble.code {
        case "busy": .deviceBusy
        case "forbidden": .deviceForbidden
        default: .deviceLost
        }
      tell(
        code, level: .warning, subject: parts.count == 1 ? parts.first?.name : "panel",
        cause: trouble.code,
        "Buttons and lamps: no \(parts.map(\.name).joined(separator: ", ")). \(trouble.sentence)")
    case .back(let part):
      tell(.deviceBack, subject: part.name, "The \(part.name) works.")
    case .downAtStart(let part):
      tell(
        .buttonStuck, level: .warning, subject: part.name, cause: "down_at_start",
        "The \(part.name) is down at the start and does nothing until it is released: is something lying on "
          + "it, or is panel.buttons_active_low wrong?")
    case .stuck(let part):
      tell(
        .buttonStuck, level: .warning, subject: part.name, cause: "stuck",
        "The \(part.name) has been down for 30 s and does nothing until it is released: is something lying "
          + "on it?")
    case .released(let part):
      tell(.buttonReleased, subject: part.name, "The \(part.name) is released and works again.")
    case .resetPassword:
      let wasSet = unsafe unlink("\(stateDirectory)/password") == 0
      tell(
        .passwordReset,
        wasSet
          ? "The page's password is reset." : "The page's password is to be reset; none was set.")
    }
  }
}

/// The station as the page speaks to it.
struct StationPage: PageBox {
  /// For what is wanted to be on the disk.
  private static let patience = Int64.seconds(1)

  let station: Station

  func status() -> [UInt8] { JSON.encode(station.status) }

  func perform(_ command: String) async -> PageAnswer {
    var reply = ControlReply(command, to: station, by: "by HTTP")
    let deadline = MediaTime.now() + StationPage.patience
    while reply.changed, !station.isSettled, MediaTime.now() < deadline {
      try? await Task.sleep(for: .milliseconds(5))
    }
    if reply.ok { reply.status = station.status }
    let outcome: PageAnswer.Outcome =
      reply.ok ? .done : reply.code == ControlReply.unknown ? .unknown : .refused
    return PageAnswer(outcome: outcome, json: JSON.encode(reply))
  }

  func events(after number: Int?) -> AsyncStream<PageEvent> {
    let events = station.events.stream(after: number)
    let (stream, continuation) = AsyncStream<PageEvent>.makeStream()
    let relay = Task {
      for await event in events {
        let json = String(decoding: JSON.encode(event), as: UTF8.self)
        continuation.yield(
          PageEvent(number: event.number, code: event.code.rawValue, json: json))
      }
      continuation.finish()
    }
    continuation.onTermination = { _ in relay.cancel() }
    return stream
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
        events.tell(
          .pageUnavailable, level: .warning,
          "The box cannot be asked by HTTP at \(listen) (\(reason)): end what is there, or set page.listen to "
            + "another port.")
      case .back: events.tell(.pageBack, "The box can be asked by HTTP at \(listen).")
      }
    }
  }
}
