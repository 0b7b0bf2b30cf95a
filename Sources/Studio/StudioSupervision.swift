// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import RateControl
public import Settings
internal import Synchronization

// What an open studio reports, and its end.

extension Studio {
  /// Video that is opened from now on chooses its effort by these costs.
  public func use(_ costs: SpeedCosts) { state.withLock { $0.costs = costs } }

  /// Sends the current frame at once to a sink that has just begun.
  func wake() { state.withLock { $0.video }?.frames.wake() }

  /// What is open.
  var halves: (video: StudioVideo?, audio: StudioAudio?) {
    state.withLock { ($0.video, $0.audio) }
  }

  /// The video source has been opened: whether its frames can be decoded is not known yet.
  func videoHasBegun() {
    state.withLock { state in
      state.video?.pipeline.unreadable.beginAgain(clock.now)
      state.watch.reportUnreadableAgain()
    }
  }

  /// The sources that are open.
  public var sources: (video: VideoSource?, audio: AudioSource?) {
    let (video, audio) = halves
    return (video?.sourceKind, audio?.sourceKind)
  }

  /// Opens and closes what users that came and went need, and reports failures. To be called twenty times a second.
  public func supervise(_ now: MediaTime) {
    adjust()
    let (video, audio) = halves
    guard video != nil || audio != nil else { return }
    let isFailing = isEncoderFailing(now)
    let reports = state.withLock {
      $0.watch.check(video, audio, isEncoderFailing: isFailing, now: now)
    }
    for report in reports { listener(report) }
  }

  func isEncoderFailing(_ now: MediaTime) -> Bool {
    let (video, audio) = halves
    return video?.pipeline.failing.lasts(now) ?? false
      || audio?.pipeline.failing.lasts(now) ?? false
  }

  /// Whether the machine was too slow in the last ten seconds.
  public var isOverloaded: Bool { state.withLock { $0.watch.isOverloaded } }

  /// The share of its present clock at which the processor will probably run in the next seconds, above 0 to 1. It is
  /// below 1 while heat will soon lower the clock; 1 until `expect` is called.
  public var clockShare: Double { expectedClockShare.load(ordering: .relaxed) }

  /// Takes a new `clockShare`, on any thread. To be called with each reading of the processor's heat and clock.
  public func expect(clockShare: Double) {
    expectedClockShare.store(clockShare, ordering: .relaxed)
    halves.video?.pipeline.clockShare.store(clockShare, ordering: .relaxed)
  }

  /// What is open, and whether it works.
  public func health(_ now: MediaTime) -> StudioHealth {
    let (video, audio) = halves
    var health = StudioHealth()
    if let video { health.video = StudioHealth.Input(video.health(now)) }
    if let audio {
      health.audio = audio.sourceKind == .silence ? .good : StudioHealth.Input(audio.health(now))
    }
    health.encoderFailed = isEncoderFailing(now)
    return health
  }

  /// Whether neither pipeline hangs.
  public func isAlive(_ now: MediaTime) -> Bool {
    let (video, audio) = halves
    return video?.pipeline.heartbeat.isAlive(now) ?? true
      && audio?.pipeline.heartbeat.isAlive(now) ?? true
  }

  /// Closes everything that is open. Users stay: what they need is opened anew with the next `adjust`.
  /// - Returns: `false` if something had not ended by `deadline`. It is left behind.
  public func closeAll(by deadline: MediaTime) -> Bool { close(all: true, by: deadline) }

  /// Closes everything, whoever uses it.
  /// - Returns: `false` if something has not ended, now or earlier.
  public func stop(by deadline: MediaTime) -> Bool {
    state.withLock { $0.users = [:] }
    let allClosed = close(by: deadline)
    return state.withLock { allClosed && !$0.hasLeftBehind }
  }
}
