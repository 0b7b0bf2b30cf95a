// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Director
package import Media
internal import Publish
package import Studio
internal import Synchronization

// Begins, supervises and ends broadcasts.

extension Station {
  /// How long the end of a broadcast may take.
  private static let endPatience: Int64 = .milliseconds(1_500)

  /// Gives the director the present conditions and does what it decides. Called twenty times a second by the thread
  /// that owns the broadcast: starting and ending one takes time.
  /// - Returns: how the broadcast ended by itself; `nil` while it goes on.
  package func supervise(_ now: MediaTime) -> BroadcastEnding? {
    let (wanted, broadcast, main) = state.withLock {
      ($0.director.intent.broadcast != .off, $0.broadcast, $0.main)
    }
    if wanted, broadcast == nil, let main = try? main.get() {
      begin(main)
    } else if !wanted, let broadcast {
      end(broadcast)
    }
    let (ending, expiry, setting) = state.withLock { state in
      state.supervisedAt = now
      let conditions = state.broadcast?.conditions(now) ?? Conditions()
      state.director.update(conditions, at: .nanoseconds(now - startedAt))
      present(state)
      let expiry =
        state.broadcast == nil ? nil : state.expiry.look(wallClock: events.wallClock.seconds)
      return (state.broadcast?.ending, expiry, state.expiry.setting)
    }
    if let (code, sentence) = expiry {
      events.report(code, level: .warning, subject: setting, sentence)
    }
    broadcast?.supervise(now)
    studio.supervise(now)
    return ending
  }

  /// Shows users of the studio what the plan says. While a broadcast ends, it keeps what it had.
  func present(_ state: State) {
    if state.broadcast != nil || state.director.intent.broadcast != .off {
      studio.present(state.director.plan)
    } else {
      studio.presentOffAir()
    }
  }

  private func begin(_ main: DestinationPlan) {
    events.report(.started, level: nil, "The broadcast begins.")
    reports.beginBroadcast()
    let settings = self.settings
    let broadcast = Broadcast(
      studio: studio, settings: settings, main: main, encoder: "OnAir \(Version.current)"
    ) { [reports] in reports.take($0) }
    state.withLock { state in
      state.expiry.beginAgain()
      state.outages = OutageRules()
      if state.settings != settings { broadcast.change(state.settings) }
      state.broadcast = broadcast
      // Before any thread starts: a paused broadcast begins with the still.
      present(state)
      // The settings may have been read again since `main` was.
      if let now = try? state.main.get(), now != main { broadcast.publish(now) }
    }
    broadcast.start()
  }

  private func end(_ broadcast: Broadcast) {
    let ended = end(broadcast, goodbye: true, by: clock.now + Station.endPatience)
    if !ended {
      events.note(.warning, "Part of the broadcast did not end in time and was left behind.")
    }
    state.withLock { state in
      state.broadcast = nil
      state.hasLeftBehind = state.hasLeftBehind || !ended
    }
  }

  private func end(_ broadcast: Broadcast, goodbye: Bool, by deadline: MediaTime) -> Bool {
    let ended = broadcast.stop(goodbye: goodbye, by: deadline)
    let now = clock.now
    figureLog.keep(broadcast.destinationFigures)
    let totals = Event.Totals(broadcast.totals(now))
    events.note(.info, broadcast.report(now))
    events.report(
      .ended, totals: totals,
      totals.sentence(broadcast.destinationFigures.map(\.counters)))
    return ended
  }

  /// Ends the broadcast without a change of the intent.
  /// - Returns: `false` when something had not ended by `deadline`.
  package func stop(goodbye: Bool, by deadline: MediaTime) -> Bool {
    let (broadcast, hasLeftBehind) = state.withLock { ($0.broadcast, $0.hasLeftBehind) }
    let ended = broadcast.map { end($0, goodbye: goodbye, by: deadline) } ?? true
    return studio.stop(by: deadline) && ended && !hasLeftBehind
  }
}
