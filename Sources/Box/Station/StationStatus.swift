// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
package import Director
internal import Events
internal import Publish
internal import Settings
internal import Studio
internal import Synchronization

// What lamps, command line and HTTP see of the station.

extension Station {
  /// How old the supervisor's last look may be before the lamp shows a fault.
  private static let staleNanos = Int64.seconds(3)

  /// The pattern that the lamp should show.
  package var lamp: LampPattern {
    let (shown, isWatched) = state.withLock { (signal($0), $0.watch != nil) }
    return shown == .offAir && isWatched ? .watched : shown.pattern
  }

  /// Built from a copy: a pause must not wait for it.
  package var status: Status { status(state.withLock { $0 }) }

  func status(_ state: State) -> Status {
    let now = clock.now
    let wallClock = events.wallClock.milliseconds
    let signal = signal(state)
    return Status(
      settings: state.settings, director: state.director, lamp: signal,
      broadcast: state.broadcast, startedAt: state.tally?.startedAt,
      startedMs: state.tally?.startedMs, liveAt: state.tally?.liveAt,
      encodedKbps: figureLog.figures?.video?.kbps,
      sources: studio.sources, relays: relays(state),
      troubles: troubles(state, signal).map { Trouble($0, now: now, wallClock: wallClock) },
      watched: watched(state, now: now), now: now)
  }

  /// The current troubles. Those that prevent publishing come first. Each cause of a red lamp is among them.
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
        // Events tell when it began. Whether it still lasts is known from the conditions.
        trouble.subject != "link" || director.conditions.link != .good
      }
    let causes =
      (signal.cause.map { [$0] } ?? []) + Plan.causes(director.intent, director.conditions)
    let server = state.broadcast?.mainFigures
    return told
      + TroubleList.untold(
        causes, of: told, server: server.map { "\($0.target)" },
        isServerTold: server?.trouble != nil, since: state.tally?.startedAt ?? startedAt)
  }

  /// The lamp shows live, paused or off only after that state has been written to disk, and off only after the
  /// broadcast has ended. Troubles show at once.
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

  /// Whether there is a broadcast.
  var isOnAir: Bool { state.withLock { $0.isOnAir } }

  /// Whether no thread of the pipelines and the destinations hangs. Sources are not among them: a driver that hangs is a
  /// lost camera, and a restart would not help.
  package func isAlive(_ now: MediaTime) -> Bool {
    studio.isAlive(now) && state.withLock({ $0.broadcast })?.isAlive(now) ?? true
  }

  /// A line with the broadcast's counters; `nil` off air.
  package func counters(_ now: MediaTime) -> String? {
    state.withLock { $0.broadcast }?.report(now)
  }
}
