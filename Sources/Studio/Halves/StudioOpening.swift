// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Capture
internal import Settings
internal import Synchronization

extension Studio {
  /// Closes each half (video or audio) that no user needs, that has ended with a broadcast, or that has to be reopened.
  /// - Parameters:
  ///   - all: whether to close both halves even if users need them.
  ///   - deadline: on the system clock; `nil` for 1.5 seconds from now.
  /// - Returns: `false` if a thread was still running at the deadline.
  func close(all: Bool = false, by deadline: MediaTime?) -> Bool {
    let (video, audio) = state.withLock { state -> (StudioVideo?, StudioAudio?) in
      let needs = all ? [] : state.needs()
      var closing: (video: StudioVideo?, audio: StudioAudio?)
      if let video = state.video, !needs.contains(.video) || video.isFinished {
        closing.video = video
        state.video = nil
      }
      let isStale =
        state.reopensStaleAudio && state.audio?.isStale(for: state.settings.audio) ?? false
      state.reopensStaleAudio = false
      if let audio = state.audio, !needs.contains(.audio) || audio.isFinished || isStale {
        closing.audio = audio
        state.audio = nil
      }
      return closing
    }
    guard video != nil || audio != nil else { return true }
    let deadline = deadline ?? .now() + Studio.closingNanos
    // Both halves are asked to stop before either is waited for: a half that hangs must not use up the other's time.
    video?.requestStop()
    audio?.requestStop()
    var allEnded = video?.stop(by: deadline) ?? true
    allEnded = audio?.stop(by: deadline) ?? true && allEnded
    let over = state.withLock { state -> [StudioReport] in
      if !allEnded { state.hasAbandonedThread = true }
      if let video { state.closedTotals.video.add(video) }
      if let audio { state.closedTotals.audio.add(audio.pipeline) }
      let closed: [StudioReport.Input] =
        (video == nil ? [] : [.video]) + (audio == nil ? [] : [.audio])
      let reports = closed.map(StudioReport.closed)
      guard state.video == nil, state.audio == nil else {
        for half in closed { state.watch.noteClosed(half) }
        return reports
      }
      state.sharedParts = nil
      defer { state.watch = StudioWatch(state.settings.video) }
      return reports + state.watch.end()
    }
    for report in over { listener(report) }
    return allEnded
  }

  /// Creates the halves (video, audio) that users need and that are not open yet. Each half begins with the present
  /// scene. The caller starts them.
  func open() -> (StudioVideo?, StudioAudio?) {
    let (needs, settings, costs, releasesCamera) = state.withLock { state in
      var needs = state.needs()
      if state.video != nil || state.settings.video.source == .none { needs.remove(.video) }
      if state.audio != nil || state.settings.audio.source == .none { needs.remove(.audio) }
      return (needs, state.settings, state.costs, state.decideCameraRelease())
    }
    guard needs.contains(.video) || needs.contains(.audio) else { return (nil, nil) }
    let sharedParts = state.withLock { $0.sharedParts } ?? makeSharedParts()
    state.withLock { $0.sharedParts = sharedParts }
    let fatal: @Sendable (StudioReport.Input, String) -> Void = {
      [weak self, listener] half, sentence in
      listener(.encoderBroken(sentence))
      self?.state.withLock { $0.watch.noteBroken(half) }
      sharedParts.ending.set(.encoderBroken)
    }
    // The halves are created without the lock, since a cut to a pause needs the lock and must not wait.
    var opened: (video: StudioVideo?, audio: StudioAudio?)
    if needs.contains(.video) {
      listener(.opening(.video))
      let video = StudioVideo(
        settings, costs: costs, makers: sharedParts.makers, renditions: renditions,
        encoders: encoders, textVariables: textVariables.withLock { $0 },
        shown: shownLayers(settings), guests: guests, folder: folder,
        releasesCamera: releasesCamera,
        clock: clock, fatal: { fatal(.video, $0) }, listener: listener)
      video.pipeline.clockShare.store(clockShare, ordering: .relaxed)
      opened.video = video
    }
    if needs.contains(.audio) {
      listener(.opening(.audio))
      opened.audio = StudioAudio(
        settings, makers: sharedParts.makers, renditions: renditions, encoders: encoders,
        levels: levels, monitor: headphones, clock: clock, fatal: { fatal(.audio, $0) },
        listener: listener)
    }
    state.withLock { state in
      if let video = opened.video {
        state.video = video
        state.isVideoSet = video.show(state.scenes)
      }
      if let audio = opened.audio {
        audio.cut(to: state.scenes.audioScene)
        audio.set(voiceVolume: state.volumes.voice)
        state.audio = audio
      }
    }
    // The text variables may have changed since they were passed to the initialiser.
    if let video = opened.video { passTextVariables(video) }
    return opened
  }

  /// Makes what the halves (video and audio) share when the first of them is opened: a source maker, and an `Ending`
  /// without a reason.
  private func makeSharedParts() -> SharedParts {
    let ending = Ending()
    return SharedParts(makers: makeMakers(ending), ending: ending)
  }

  /// Makes a source maker whose sources set the reason in `ending` when one of them ends for good.
  func makeMakers(_ ending: Ending) -> SourceMaker {
    let pipeFormat = state.withLock { $0.settings.audio.pipeFormat }
    return SourceMaker(
      clock: clock, openings: openings, cameras: cameras, guests: guests,
      pipeFormat: pipeFormat,
      trackListener: { [listener] in listener(.track($0, $1)) }
    ) { [weak self, listener] input, report in
      if input == .video, report.state == .running { self?.videoHasBegun() }
      listener(.source(input, report))
      if report.state == .ended {
        ending.set(report.code == "ended" ? .sourceEnded : .sourceUnavailable)
      }
    }
  }

  /// Why a broadcast cannot go on; `nil` while it can.
  var ending: BroadcastEnding? { state.withLock { $0.sharedParts?.ending.value } }
}
