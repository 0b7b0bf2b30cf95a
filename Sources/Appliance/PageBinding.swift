// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Logging
internal import Media
internal import Page
internal import Settings

// Connects the HTTP server to the station.

/// The station as the HTTP server sees it.
struct StationPage: PageBox {
  /// How long the new state may take to be written to disk.
  private static let patience = Int64.seconds(1)

  let station: Station

  func status() -> [UInt8] { JSON.encode(station.status) }

  func perform(_ command: String) async -> PageAnswer {
    var reply = station.answer(command, by: "by HTTP")
    let clock = station.clock
    let deadline = clock.now + StationPage.patience
    while reply.changed, !station.isSettled, clock.now < deadline, !Task.isCancelled {
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
  /// - Returns: `nil` when page.listen is empty.
  convenience init?(_ settings: PageSettings, station: Station) {
    guard let listen = settings.listen else { return nil }
    let events = station.events
    self.init(host: listen.host, port: listen.port, box: StationPage(station: station)) { report in
      switch report {
      case .unavailable(let reason):
        events.report(
          .pageUnavailable, level: .warning, subject: "page",
          "The box cannot be reached by HTTP at \(listen) (\(reason)): set page.listen to an address of this "
            + "machine and a port that nothing else uses. It is tried again every 10 s.")
      case .available:
        events.report(
          .pageBack, subject: "page", "The box can be reached by HTTP at \(listen).")
      }
    }
  }
}
