// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
internal import Director
internal import Events
internal import Figures
internal import Publish
internal import Settings
package import Studio
internal import Synchronization

// Begins, supervises and ends broadcasts.

extension Station {
  /// How long, in nanoseconds, the threads of a broadcast may take to end.
  private static let endTimeoutNanos: Int64 = .milliseconds(1_500)

  /// Gives the director the present conditions and carries out the director's decisions. Called twenty times a second,
  /// always by the same thread. The call takes longer when it starts or ends a broadcast.
  /// - Returns: why the broadcast has ended by itself; `nil` if it has not, or there is none.
  package func supervise(_ now: MediaTime) -> BroadcastEnding? {
    let before = state.withLock { $0 }
    let isWanted = before.director.intent.broadcast != .off
    followGuests()
    if before.isOnAir, before.isEnding || !isWanted {
      end(before.broadcast)
    } else if before.needsRestart, let broadcast = before.broadcast {
      closeForRestart(broadcast)
    } else if isWanted, before.broadcast == nil, let target = try? before.target.get() {
      beginBroadcast(target, isRestart: before.isOnAir)
    } else if before.mayHaveOnceFile, !isWanted {
      forgetOnce()
    }
    let isVoiceLost = isVoiceLost(before, now)
    let showsGuests = guestDesk.table.showsGuests
    let (ending, expiries) = state.withLock { state in
      state.supervisedAt = now
      var conditions = state.broadcast?.conditions(now) ?? Conditions()
      conditions.repair = .first(of: state.repairs)
      conditions.showsGuests = showsGuests
      conditions.relayFails = conditions.relayFails && state.settings.panel.lampRelays
      conditions.hasAudioAlarm =
        isVoiceLost || state.settings.panel.lampAudio && !state.audioAlarms.standing.isEmpty
      state.director.update(conditions, at: .nanoseconds(now - startedAt))
      let plan = state.director.plan
      state.tally?.note(
        lacksCamera: plan.video == .noCameraStill,
        lacksMicrophone: plan.audio.hears(SilencedTracks.main) && conditions.microphone == .lost,
        picture: BroadcastTally.Picture(state.settings.video), now: now)
      present(state)
      let expiries =
        state.broadcast == nil ? [] : checkExpiry(&state)
      return (state.broadcast?.ending, expiries)
    }
    for report in expiries {
      events.report(
        report.code, level: .warning, subject: report.subject, destination: report.destination,
        report.sentence)
    }
    studio.noteBroadcast(since: before.tally?.startedAt)
    reportStalls(now)
    before.broadcast?.supervise(now)
    studio.supervise(now)
    reportAudioAlarms(now)
    board.save(on: jobs, now: now)
    StillImages.shared.forgetUnused(now)
    reportLive(before)
    reportWatching(now)
    recordings.supervise(now)
    return ending
  }

  /// The warnings that are due about addresses, of the main server and of relays, that expire soon or have expired.
  private func checkExpiry(_ state: inout State) -> [Expiry.Report] {
    let now = events.wallClock.seconds
    return [state.checkExpiry(wallClock: now)].compactMap(\.self)
      + relayKeeper.checkExpiry(wallClock: now)
  }

  /// Reports, once for each broadcast, that the main server has received something of the broadcast.
  private func reportLive(_ state: State) {
    guard let tally = state.tally, tally.startedMs == nil, let broadcast = state.broadcast,
      let time = broadcast.liveAt
    else { return }
    let milliseconds = PowerOn.milliseconds(until: time)
    self.state.withLock { $0.tally?.noteLive(at: time, startedMs: milliseconds) }
    events.report(
      .live, level: nil, startedMs: milliseconds, "The server has the first data of the broadcast.")
  }

  /// Makes the studio show what the director's plan says. While a broadcast ends, the studio shows none of the plan's
  /// live inputs, since viewers of that broadcast must not see what the next broadcast shows.
  func present(_ state: State) {
    // The recorder is told of a pause before the cut to the still, and of its end after the cut from it, so that it
    // records no frame of the still if it leaves pauses out.
    recordings.follow(state.director.intent)
    defer { recordings.endPause(state.director.intent) }
    if state.isEnding {
      studio.present(state.director.plan.withoutLiveInputs)
    } else if state.isOnAir || state.director.intent.broadcast != .off {
      studio.present(state.director.plan.silencing(guestDesk.table.silencedTracks))
    } else {
      studio.presentOffAir(
        isWatched: recordings.isOffAir
          || state.hasPreview && !state.viewing.viewers(clock.now).isEmpty)
    }
  }

  /// Begins a broadcast to `main` or, with `isRestart`, the next part of the present broadcast.
  private func beginBroadcast(_ main: BroadcastTarget, isRestart: Bool) {
    endUplinkTest()
    if !isRestart { events.report(.started, level: nil, "The broadcast begins.") }
    reports.beginBroadcast()
    let settings = self.settings
    let broadcast = Broadcast(
      studio: studio, settings: settings, main: main, encoder: "OnAir \(Version.current)",
      isRestart: isRestart
    ) { [reports] in reports.handle($0) }
    state.withLock { state in
      // Viewers of the broadcast must not see frames that were captured for the preview off air. So new scenes begin in
      // the studio before it passes packets to the broadcast.
      if !isRestart { studio.renewScenes() }
      state.viewing = OffAirViewing()
      state.expiry.resetReports()
      relayKeeper.resetExpiryWarnings()
      state.needsRestart = false
      state.tally =
        state.tally
        ?? BroadcastTally(startedAt: broadcast.startedAt, earlierNanos: state.earlierNanos)
      state.outages = OutageRules()
      if state.settings != settings { broadcast.change(state.settings) }
      state.broadcast = broadcast
      // Call this before any thread starts, so that a paused broadcast begins with the still.
      present(state)
      for outlet in state.outlets { broadcast.add(outlet.sink) }
      // The settings may have changed since `main` was taken from them.
      if let now = try? state.target.get(), now != main { broadcast.publish(now) }
    }
    broadcast.start()
    let goesOn = state.withLock { state in
      followRelays(state)
      return state.earlierNanos.take() != nil
    }
    if !isRestart, !goesOn { saveStartTime() }
    if !isRestart {
      studio.restartLoudness()
      beginMusic()
    }
  }

  /// Ends the broadcast because of a stop.
  /// - Parameter broadcast: the running part; `nil` if the stop came during a restart, when no part runs.
  private func end(_ broadcast: Broadcast?) {
    if broadcast == nil {
      events.note(.notice, "The broadcast was stopped while it began anew: the server is not told.")
    }
    let ended = end(broadcast, goodbye: true, by: clock.now + Station.endTimeoutNanos)
    removeStartTime()
    endMusic()
    guestDesk.endBroadcast()
    if !ended {
      events.note(.warning, "Part of the broadcast did not end in time and was left behind.")
    }
    state.withLock { state in
      (state.tally, state.broadcast) = (nil, nil)
      (state.isEnding, state.needsRestart) = (false, false)
      // If the next broadcast is requested already, keep the requests that people may have made about its relays.
      if state.director.intent.broadcast == .off {
        relayKeeper.forgetRequests(hasOwnAddress: false)
      }
      state.hasHangingThread = state.hasHangingThread || !ended
    }
    endOutlets()
    // Nobody of this broadcast is in a recording or a preview that goes on.
    followGuests()
  }

  /// Closes sources, encoders and connections for a restart. The server is not told that the stream is over, so the
  /// server waits for the stream to come back.
  private func closeForRestart(_ broadcast: Broadcast) {
    let deadline = clock.now + Station.endTimeoutNanos
    var ended = broadcast.stop(goodbye: false, by: deadline)
    ended = studio.closeAll(by: deadline) && ended
    addToTotals(broadcast)
    state.withLock { state in
      state.broadcast = nil
      state.hasHangingThread = state.hasHangingThread || !ended
    }
  }

  /// Stops a broadcast and reports its end.
  /// - Parameter goodbye: whether to tell the servers that the stream is over.
  /// - Returns: `false` if the broadcast was still running at `deadline`.
  private func end(_ broadcast: Broadcast?, goodbye: Bool, by deadline: MediaTime) -> Bool {
    let ended = broadcast?.stop(goodbye: goodbye, by: deadline) ?? true
    if let broadcast { addToTotals(broadcast) }
    let now = clock.now
    let (tally, goesOn) = state.withLock { state in
      let isWanted = !state.isEnding && state.director.intent.broadcast != .off
      let resumes = state.settings.publish.autostart != .never && state.resetAt == nil
      return (state.tally, isWanted && resumes)
    }
    if let tally {
      events.report(
        .ended, totals: tally.totals(now, goesOn: goesOn), tally.sentence(now, goesOn: goesOn)
      ) { ($0.size, $0.fps) = (tally.picture?.size, tally.picture?.fps) }
    }
    return ended
  }

  /// Adds the figures of a part of the broadcast that has ended to the totals of the broadcast and of the program.
  private func addToTotals(_ broadcast: Broadcast) {
    let destinations = broadcast.destinationFigures
    figureLog.addToTotals(destinations)
    events.note(.info, broadcast.report(clock.now))
    let figures = broadcast.figures
    state.withLock {
      // Count only the losses of the main server. Losses of a relay affect only the viewers of that relay.
      let (main, relays) = (destinations[0].counters, destinations.dropFirst())
      $0.tally?.add(
        frames: figures.frames, late: figures.late, main,
        relayBytes: relays.reduce(0) { $0 + $1.counters.bytesSent })
    }
  }

  /// Ends the broadcast, an uplink test, the studio and the disk thread, without a change of the intent.
  /// - Parameter goodbye: whether to tell the servers that the stream is over.
  /// - Returns: `false` when something had not ended by `deadline`.
  package func stop(goodbye: Bool, by deadline: MediaTime) -> Bool {
    let (broadcast, hasHangingThread) = state.withLock { ($0.broadcast, $0.hasHangingThread) }
    let ended = end(broadcast, goodbye: goodbye, by: deadline)
    // Each is asked to end, whatever the other says.
    let hasUplinkTestEnded = endUplinkTest(by: deadline)
    let haveTestsEnded = endLipSyncTest(by: deadline) && hasUplinkTestEnded
    let hasScheduleEnded = schedule.stop(by: deadline)
    let hasRecordingEnded = recordings.stop(by: deadline)
    let hasStudioEnded = studio.stop(by: deadline)
    jobs.submit { [board] in board.save() }
    return jobs.finish(by: deadline) && hasStudioEnded && ended && haveTestsEnded
      && hasScheduleEnded && hasRecordingEnded && !hasHangingThread
  }
}

extension BroadcastTally.Picture {
  fileprivate init(_ video: VideoSettings) {
    self.init(size: "\(video.size)", fps: Double(video.fps))
  }
}
