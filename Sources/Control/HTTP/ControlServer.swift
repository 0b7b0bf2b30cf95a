// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Access
package import Base
package import Box
package import Events
internal import Logging
package import Networking
internal import Posix
internal import Preview
internal import Settings

/// The HTTP server of the API. It has two listeners: a Unix socket for the command line, and TCP at `page.listen`.
package final class ControlServer: Sendable {
  /// The delay before the TCP listener starts: at the start of the program the broadcast needs the processor.
  private static let startDelay = Duration.milliseconds(500)

  /// The listener at the Unix socket and, if `page.listen` is set, the one at TCP.
  private let listeners: [HTTPListener]
  /// The preview that the routes of all listeners share.
  private let preview: Preview
  /// The play-out and its listener; `nil` if `playout.listen` is not set.
  private let playout: PlayoutServer?

  /// - Parameters:
  ///   - power: restarts the machine or switches it off; `nil` if OnAir is not in charge of the machine.
  ///   - directory: the state directory, in which the Unix socket is made.
  package init(
    desk: SettingsDesk, access: Access, network: Network, update: SystemUpdate,
    power: MachinePower?, log: LogTail, directory: String
  ) {
    let station = desk.station
    let events = station.events
    let user = PreviewUser(station)
    preview = Preview(attach: { user.attach($0) }, detach: { _ in user.detach() })
    let routes = Routes(
      desk: desk, access: access, log: log, preview: preview,
      uploads: StillUploads(directory: directory), media: MediaFiles(directory: directory),
      network: network, update: update, power: power)
    playout = station.settings.playout.listen.map {
      PlayoutServer(station, listen: $0, after: ControlServer.startDelay)
    }
    let path = ControlClient.socket(in: directory)
    let content = HTTPListener.Content { routes.responder(guarding: $0) }
    let socket = HTTPListener(.unix(path: path), serving: content) { report in
      switch report {
      case .unavailable(let reason):
        let sentence =
          "OnAir cannot be commanded from the command line, since \(path) cannot be made (\(reason)): choose "
          + "another state.directory."
        events.note(.warning, sentence, code: "no_control")
        events.beginTrouble("control socket", cause: "no_control", sentence)
      case .available: events.endTrouble("control socket")
      case .listening: break
      }
    }
    guard let listen = station.settings.page.listen else {
      listeners = [socket]
      return
    }
    let page = HTTPListener(
      .tcp(host: listen.host, port: listen.port), after: ControlServer.startDelay,
      serving: content
    ) { report in
      switch report {
      case .unavailable(let reason):
        events.report(
          .pageUnavailable, level: .warning, subject: "page",
          "The box cannot be reached by HTTP at \(listen) (\(reason)): set page.listen to an address of this "
            + "machine and a port that nothing else uses. It is tried again every 10 s.")
      case .available:
        events.report(
          .pageBack, subject: "page", "The box can be reached by HTTP at \(listen).")
      case .listening: events.note(.notice, listen.sentence(Host.addresses))
      }
    }
    listeners = [socket, page]
  }

  /// Starts the listeners, and returns at once.
  package func start() {
    for listener in listeners { listener.start() }
    playout?.start()
  }

  /// Whether the event loops that serve requests still run. To be called regularly: each call gives them a task, and
  /// later calls tell whether it was done in time.
  package func isAlive(_ now: MediaTime) -> Bool {
    listeners.reduce(playout?.isAlive(now) ?? true) { $1.isAlive(now) && $0 }
  }

  /// Stops the listeners and the preview.
  /// - Parameter deadline: an instant on CLOCK_MONOTONIC.
  /// - Returns: `false` if a listener or the preview had not ended by `deadline`.
  package func stop(by deadline: MediaTime) -> Bool {
    let hasPlayoutEnded = playout?.stop(by: deadline) ?? true
    let haveEnded = listeners.reduce(hasPlayoutEnded) { $1.stop(by: deadline) && $0 }
    return preview.close(by: deadline) && haveEnded
  }
}

extension ListenAddress {
  /// A sentence for the log with the URLs of the page.
  /// - Parameter addresses: the IP addresses of this machine on its networks. Only the first one appears in the
  ///   sentence.
  func sentence(_ addresses: [String]) -> String {
    guard host == "0.0.0.0" || host == "::" else { return "The page is at \(url(host: host))." }
    let here = url(host: "127.0.0.1")
    guard let first = addresses.first else {
      return "The page is at \(here), and on the network as soon as there is one."
    }
    return "The page is at \(url(host: first)), on this machine at \(here)."
  }
}
