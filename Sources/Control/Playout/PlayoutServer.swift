// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Box
internal import Events
internal import Figures
internal import NIOCore
internal import Playout
internal import Posix
internal import Settings

/// The play-out to players near by: its HTTP server at `playout.listen`, which has nothing else of the box.
final class PlayoutServer: Sendable {
  /// Whoever watches has a connection or, with HLS in a browser, up to six.
  private static let mostConnections = 128
  /// A viewer who receives nothing for so long is given up.
  private static let readingPatience = TimeAmount.seconds(5)

  private let playout: Playout
  private let listener: HTTPListener

  /// - Parameter startDelay: how long to wait before the server first listens.
  init(_ station: Station, listen: ListenAddress, after startDelay: Duration) {
    let events = station.events
    let playout = Playout(
      Playout.Feed(
        isOnAir: { station.hasProgramme },
        attach: { station.addOutlet($0, ended: $1) },
        detach: { station.removeOutlet($0) }),
      encoder: "OnAir \(Version.current)"
    ) { report in
      switch report {
      case .began:
        events.report(.playoutStarted, subject: "playout", "A player near by watches.")
      case .ended:
        events.report(.playoutEnded, subject: "playout", "No player near by watches any more.")
      }
    }
    self.playout = playout
    let routes = PlayoutRoutes(playout: playout, wallClock: events.wallClock)
    listener = HTTPListener(
      .tcp(host: listen.host, port: listen.port), after: startDelay,
      serving: HTTPListener.Content(
        responder: { _ in routes.responder }, resourcePolicy: "cross-origin",
        mostConnections: PlayoutServer.mostConnections, reservedConnections: 0,
        readingPatience: PlayoutServer.readingPatience)
    ) { report in
      switch report {
      case .unavailable(let reason):
        events.report(
          .playoutUnavailable, level: .warning, subject: "playout",
          "Players near by cannot reach the box at \(listen) (\(reason)): set playout.listen to an address of "
            + "this machine and a port that nothing else uses. It is tried again every 10 s.")
      case .available:
        events.report(
          .playoutBack, subject: "playout", "Players near by can reach the box at \(listen).")
      case .listening:
        events.note(.notice, "Players near by can watch at \(listen.url(Host.addresses)).")
      }
    }
    station.add(PlayoutFollower(playout: playout))
    station.showPlayout { playout.viewers }
  }

  /// Starts the server, and returns at once.
  func start() { listener.start() }

  /// Whether the event loop still runs.
  func isAlive(_ now: MediaTime) -> Bool { listener.isAlive(now) }

  /// Stops the server and the play-out.
  /// - Parameter deadline: an instant on CLOCK_MONOTONIC.
  /// - Returns: `false` if one of them had not ended by `deadline`.
  func stop(by deadline: MediaTime) -> Bool {
    let hasEnded = listener.stop(by: deadline)
    return playout.close(by: deadline) && hasEnded
  }
}

/// Applies changed settings to the play-out.
private struct PlayoutFollower: SettingsFollower {
  let playout: Playout

  func change(_ settings: Settings) {
    playout.change(
      Playout.Options(
        maxViewers: settings.playout.maxViewers, secret: settings.playout.secret,
        keyframeNanos: Int64(settings.video.gopSeconds * 1e9)))
  }
}
