// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
internal import Director
internal import Events
internal import Figures
internal import Publish
package import Studio
internal import Synchronization

// Begins, supervises and ends broadcasts.

extension Station {
  /// How long, in nanoseconds, the threads of a broadcast may take to end.
  private static let endPatience: Int64 = .milliseconds(1_500)

  /// Gives the director the present conditions and carries out what it decides. Called twenty times a second by the one
  /// thread that starts and ends broadcasts, which takes time.
  /// - Returns: how the broadcast ended by itself; `nil` while it goes on.
  package func supervise(_ now: MediaTime) -> BroadcastEnding? {
    let before = state.withLock { $0 }
    let isWanted = before.director.intent.broadcast != .off
    if before.isOnAir, before.isEnding || !isWanted {
      end(before.broadcast)
    } else if before.restarts, let broadcast = before.broadcast {
      close(broadcast)
    } else if isWanted, before.broadcast == nil, let target = try? before.target.get() {
      begin(target, isRestart: before.isOnAir)
    } else if before.mayHaveOnceFile, !isWanted {
      forgetOnce()
    }
    let (ending, expiries) = state.withLock { state in
      state.supervisedAt = now
      var conditions = state.broadcast?.conditions(now) ?? Conditions()
      conditions.repair = .first(of: state.repairs)
      conditions.relayFails = conditions.relayFails && state.settings.panel.lampRelays
      state.director.update(conditions, at: .nanoseconds(now - startedAt))
      let plan = state.director.plan
      state.tally?.look(
        lacksCamera: plan.video == .noCameraStill,
        lacksMicrophone: plan.audio.hears(SilencedTracks.main) && conditions.microphone == .lost,
        now: now)
      present(state)
      let expiries =
        state.broadcast == nil ? [] : lookForExpiry(&state)
      return (state.broadcast?.ending, expiries)
    }
    for report in expiries {
      events.report(
        report.code, level: .warning, subject: report.subject, destination: report.destination,
        report.sentence)
    }
    studio.noteBroadcast(since: before.tally?.startedAt)
    before.broadcast?.supervise(now)
    studio.supervise(now)
    board.save(on: jobs, now: now)
    StillImages.shared.forgetUnused(now)
    reportLive(before)
    lookForWatching(now)
    return ending
  }

  private func lookForExpiry(_ state: inout State) -> [Expiry.Report] {
    let now = events.wallClock.seconds
    return [state.lookForExpiry(wallClock: now)].compactMap(\.self)
      + relayKeeper.lookForExpiry(wallClock: now)
  }

  /// Reports, once for each broadcast, that the main server has it.
  private func reportLive(_ state: State) {
    guard let tally = state.tally, tally.startedMs == nil, let broadcast = state.broadcast,
      let time = broadcast.liveAt
    else { return }
    let milliseconds = PowerOn.milliseconds(until: time)
    self.state.withLock { $0.tally?.noteLive(at: time, startedMs: milliseconds) }
    events.report(
      .live, level: nil, startedMs: milliseconds,
      "The server has the broadcast, \(Phrase.duration(milliseconds / 1_000)) after the machine was switched on."
    )
  }

  /// Lets the studio show what the director's plan says. While a broadcast ends, only what the plan hides takes effect:
  /// its viewers must not see what the next broadcast shows.
  func present(_ state: State) {
    if state.isEnding {
      studio.present(state.director.plan.hiding)
    } else if state.isOnAir || state.director.intent.broadcast != .off {
      studio.present(state.director.plan)
    } else {
      studio.presentOffAir(
        isWatched: state.hasPreview && !state.aiming.viewers(clock.now).isEmpty)
    }
  }

  private func begin(_ main: BroadcastTarget, isRestart: Bool) {
    endUplinkTest()
    if !isRestart { events.report(.started, level: nil, "The broadcast begins.") }
    reports.beginBroadcast()
    let settings = self.settings
    let broadcast = Broadcast(
      studio: studio, settings: settings, main: main, encoder: "OnAir \(Version.current)",
      isRestart: isRestart
    ) { [reports] in reports.take($0) }
    state.withLock { state in
      // The preview off air has frames that nobody else may see. Its scenes end before others can join.
      if !isRestart { studio.renewScenes() }
      state.aiming = Aiming()
      state.expiry.beginAgain()
      relayKeeper.beginExpiriesAgain()
      state.restarts = false
      state.tally =
        state.tally
        ?? BroadcastTally(startedAt: broadcast.startedAt, earlierNanos: state.earlierNanos)
      state.outages = OutageRules()
      if state.settings != settings { broadcast.change(state.settings) }
      state.broadcast = broadcast
      // Before any thread starts: a paused broadcast begins with the still.
      present(state)
      // The settings may have been read again since `main` was.
      if let now = try? state.target.get(), now != main { broadcast.publish(now) }
    }
    broadcast.start()
    let goesOn = state.withLock { state in
      followRelays(state)
      return state.earlierNanos.take() != nil
    }
    if !isRestart, !goesOn { keepBeginning() }
  }

  /// Ends the broadcast because of a stop.
  /// - Parameter broadcast: `nil` if the stop came between the two parts of a restart.
  private func end(_ broadcast: Broadcast?) {
    if broadcast == nil {
      events.note(.notice, "The broadcast was stopped while it began anew: the server is not told.")
    }
    let ended = end(broadcast, goodbye: true, by: clock.now + Station.endPatience)
    forgetBeginning()
    if !ended {
      events.note(.warning, "Part of the broadcast did not end in time and was left behind.")
    }
    state.withLock { state in
      (state.tally, state.broadcast) = (nil, nil)
      (state.isEnding, state.restarts) = (false, false)
      // If another broadcast is wanted already, requests about its relays may have come, which must stay.
      if state.director.intent.broadcast == .off { relayKeeper.begin(isOnce: false) }
      state.hasLeftBehind = state.hasLeftBehind || !ended
    }
  }

  /// Closes sources, encoders and connections for a restart. The server gets no good-bye, so it waits for the stream to
  /// come back.
  private func close(_ broadcast: Broadcast) {
    let deadline = clock.now + Station.endPatience
    var ended = broadcast.stop(goodbye: false, by: deadline)
    ended = studio.closeAll(by: deadline) && ended
    keep(broadcast)
    state.withLock { state in
      state.broadcast = nil
      state.hasLeftBehind = state.hasLeftBehind || !ended
    }
  }

  private func end(_ broadcast: Broadcast?, goodbye: Bool, by deadline: MediaTime) -> Bool {
    let ended = broadcast?.stop(goodbye: goodbye, by: deadline) ?? true
    if let broadcast { keep(broadcast) }
    let now = clock.now
    let (tally, goesOn) = state.withLock { state in
      let isWanted = !state.isEnding && state.director.intent.broadcast != .off
      let resumes = state.settings.publish.autostart != .never && state.resetAt == nil
      return (state.tally, isWanted && resumes)
    }
    if let tally {
      events.report(
        .ended, totals: tally.totals(now), tally.sentence(now, goesOn: goesOn))
    }
    return ended
  }

  /// Adds the figures of the broadcast, or of its part before a restart, to the totals when that is over.
  private func keep(_ broadcast: Broadcast) {
    let destinations = broadcast.destinationFigures
    figureLog.keep(destinations)
    events.note(.info, broadcast.report(clock.now))
    let figures = broadcast.figures
    state.withLock {
      // Only the viewers of a relay miss what the relay loses, so the losses of the main server alone are counted.
      let (main, relays) = (destinations[0].counters, destinations.dropFirst())
      $0.tally?.add(
        frames: figures.frames, late: figures.late, main,
        relayBytes: relays.reduce(0) { $0 + $1.counters.bytesSent })
    }
  }

  /// Ends the broadcast, an uplink test, the studio and the disk thread, without a change of the intent.
  /// - Returns: `false` when something had not ended by `deadline`.
  package func stop(goodbye: Bool, by deadline: MediaTime) -> Bool {
    let (broadcast, hasLeftBehind) = state.withLock { ($0.broadcast, $0.hasLeftBehind) }
    let ended = end(broadcast, goodbye: goodbye, by: deadline)
    let hasTestEnded = endUplinkTest(by: deadline)
    let hasStudioEnded = studio.stop(by: deadline)
    jobs.submit { [board] in board.save() }
    return jobs.finish(by: deadline) && hasStudioEnded && ended && hasTestEnded && !hasLeftBehind
  }
}
