// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
package import Director
internal import Events
internal import Publish
internal import Settings
internal import Studio
internal import Synchronization

// The state of the station for the lamps, the command line and HTTP.

extension Station {
  /// The time in nanoseconds since the last call of `supervise` after which the lamp shows a fault.
  private static let staleNanos = Int64.seconds(3)

  /// The pattern that the lamp should show.
  package var lamp: LampPattern {
    state.withLock { lamp($0, signal($0)) }
  }

  /// The pattern for a signal.
  private func lamp(_ state: State, _ signal: LampSignal) -> LampPattern {
    if signal == .offAir {
      return recordings.isOffAir ? .recording : state.watch != nil ? .watched : .offAir
    }
    return signal == .live && state.isEndNear ? .ending : signal.pattern
  }

  /// The present status, built from a copy of the state, so that no command waits for the lock meanwhile.
  package var status: Status { status(state.withLock { $0 }) }

  /// The status of the box, from a copy of the station's state.
  func status(_ state: State) -> Status {
    let now = clock.now
    let wallClock = events.wallClock.milliseconds
    let signal = signal(state)
    let volumes = studio.volumes
    var status = Status(
      settings: state.settings, director: state.director, lamp: signal,
      broadcast: state.broadcast, startedAt: state.tally?.startedAt,
      startedMs: state.tally?.startedMs, liveAt: state.tally?.liveAt,
      encodedKbps: figureLog.figures?.video?.kbps,
      sources: studio.sources,
      delivering: Set(studio.trackReadings(now).filter { $0.health == .good }.map(\.name)),
      monitor: studio.monitor,
      volumes: (volumes.voice, volumes.music), playsMusic: studio.music.status.state == .playing,
      relays: relays(state), playout: playout(state),
      troubles: troubles(state, signal).map { Trouble($0, now: now, wallClock: wallClock) },
      watched: watched(state, now: now), record: recordings.status(), now: now)
    status.lamp = lamp(state, signal).rawValue
    status.schedule = state.schedule
    status.guests = Status.Guests(guestDesk.table)
    return status
  }

  /// The current troubles, those that prevent publishing first. Each cause of a red lamp is among them.
  private func troubles(_ state: State, _ signal: LampSignal) -> [TroubleList.Entry] {
    var list = TroubleList()
    if case .failure(let fault) = state.target {
      list.begin("destination", cause: fault.code, fault.sentence, now: startedAt)
    }
    let destinations = (state.broadcast?.destinationFigures ?? []).compactMap { figures in
      figures.trouble.map {
        TroubleList.Entry($0, relay: figures.name == BroadcastTarget.main ? nil : figures.name)
      }
    }
    let director = state.director
    let told =
      list.entries + destinations
      + events.troubles.filter { trouble in
        // The events tell when a trouble of the link began, but only the conditions tell whether it still lasts.
        trouble.subject != "link" || director.conditions.link != .good
      }
    let causes =
      (signal.cause.map { [$0] } ?? []) + Plan.causes(director.intent, director.conditions)
    let server = state.broadcast?.mainFigures
    return told
      + TroubleList.missing(
        for: causes, in: told, server: server.map { "\($0.target)" },
        isServerCovered: server?.trouble != nil, sources: OpenSources(studio.sources),
        since: state.tally?.startedAt ?? startedAt)
  }

  /// The signal for the lamp. Live, paused and off are shown only after that state has been written to disk, and off
  /// only after the broadcast has ended. Troubles show at once.
  private func signal(_ state: State) -> LampSignal {
    let signal = state.director.plan.lamp
    switch signal {
    case .live, .paused, .offAir:
      if clock.now - state.supervisedAt > Station.staleNanos { return .fault(.unsupervised) }
      if signal == .offAir, state.isOnAir { return .unconfirmed }
      if store.isSaved(state.director.intent) { return signal }
      if state.hasNoServer { return .fault(.noServer) }
      return store.isSettled(state.director.intent) ? .fault(.unsaved) : .unconfirmed
    case .starting, .unconfirmed, .weak, .reconnecting, .noCamera, .fault: return signal
    }
  }

  /// Whether a broadcast is under way, also while it is being restarted.
  var isOnAir: Bool { state.withLock { $0.isOnAir } }

  /// Whether all threads of the pipelines and the destinations make progress. Threads of sources are not checked: a
  /// driver that hangs counts as a lost camera, and a restart of the program would not help.
  package func isAlive(_ now: MediaTime) -> Bool {
    studio.isAlive(now) && state.withLock({ $0.broadcast })?.isAlive(now) ?? true
  }

  /// A line for the log with the broadcast's counters; `nil` off air.
  package func counters(_ now: MediaTime) -> String? {
    state.withLock { $0.broadcast }?.report(now)
  }
}
