// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import RateControl
public import Settings
internal import Synchronization

// The supervision of an open studio: its reports of lasting failures, its health, and how it is closed.

extension Studio {
  /// Sets the measured costs of the speed ladder. Video that is opened from now on uses them to choose the encoder's
  /// effort.
  public func use(_ costs: SpeedCosts) { state.withLock { $0.costs = costs } }

  /// Wakes the video pipelines, so that they send the current frame at once to a sink that has just begun to take
  /// packets.
  func wake() {
    guard let video = state.withLock({ $0.video }) else { return }
    for frames in [video.frames] + video.seconds.withLock({ $0.map(\.frames) }) { frames.wake() }
  }

  /// The video half and the audio half, each `nil` while it is closed.
  var halves: (video: StudioVideo?, audio: StudioAudio?) {
    state.withLock { ($0.video, $0.audio) }
  }

  /// Notes that the video source has opened its device. If its frames cannot be decoded, the duration of this failure
  /// is counted from now, and the failure is reported again.
  func videoHasBegun() {
    state.withLock { state in
      state.video?.pipeline.unreadable.beginAgain(clock.now)
      state.watch.reportUnreadableAgain()
    }
  }

  /// The kinds of the open sources, each `nil` while that half is closed.
  public var sources: (video: VideoSource?, audio: AudioSource?) {
    let (video, audio) = halves
    return (video?.sourceKind, audio?.sourceKind)
  }

  /// Calls `adjust`, shows and hides guests, and overlays at their times, and reports lasting failures to the listener. To be
  /// called twenty times a second.
  public func supervise(_ now: MediaTime) {
    adjust()
    followShownLayers()
    followGuestWants(now)
    followSeconds(now)
    let (video, audio) = halves
    video?.releaseAbandonedSources()
    guard video != nil || audio != nil else { return }
    let isFailing = isEncoderFailing(now)
    let reports = state.withLock {
      $0.watch.check(video, audio, isEncoderFailing: isFailing, now: now)
    }
    for report in reports { listener(report) }
  }

  /// Whether all attempts to encode video, or all attempts to encode audio, have failed for more than a second.
  func isEncoderFailing(_ now: MediaTime) -> Bool {
    let (video, audio) = halves
    return video?.pipeline.failing.lasts(now) ?? false
      || audio?.pipeline.failing.lasts(now) ?? false
  }

  /// Whether the machine dropped too many frames in the last ten seconds because it was too slow.
  public var isOverloaded: Bool { state.withLock { $0.watch.isOverloaded } }

  /// The clock frequency of the processor that is expected in the next seconds, as a share of the present frequency:
  /// more than 0 and at most 1. Below 1 if heat will soon lower the frequency. 1 until `expect` is called.
  public var clockShare: Double { expectedClockShare.load(ordering: .relaxed) }

  /// Sets `clockShare`, on any thread. To be called with each reading of the processor's temperature and clock
  /// frequency.
  public func expect(clockShare: Double) {
    expectedClockShare.store(clockShare, ordering: .relaxed)
    guard let video = halves.video else { return }
    for pipeline in [video.pipeline] + video.seconds.withLock({ $0.map(\.pipeline) }) {
      pipeline.clockShare.store(clockShare, ordering: .relaxed)
    }
  }

  /// The state of the video input, the audio input and the encoders.
  public func health(_ now: MediaTime) -> StudioHealth {
    let (video, audio) = halves
    var health = StudioHealth()
    if let video { health.video = video.input(now) }
    if let audio {
      health.audio = audio.sourceKind == .silence ? .good : StudioHealth.Input(audio.health(now))
    }
    health.encoderFailed = isEncoderFailing(now)
    return health
  }

  /// When the picture of the source last changed; `nil` if that is not known yet, as just after the video was opened.
  /// - Parameter isMeasured: whether to measure it from now on.
  public func pictureChange(isMeasured: Bool) -> MediaTime? {
    let meter = halves.video?.pipeline.stillness
    meter?.measure(isMeasured)
    return meter?.changedAt
  }

  /// Whether the threads of the open pipelines still respond; `false` if one of these threads hangs.
  public func isAlive(_ now: MediaTime) -> Bool {
    let (video, audio) = halves
    return video?.pipeline.heartbeat.isAlive(now) ?? true
      && audio?.pipeline.heartbeat.isAlive(now) ?? true
  }

  /// Closes the pipelines and all devices, but keeps the users (the broadcast, the preview), so that the next `adjust`
  /// opens the pipelines and devices again. Headphones are only asked to close.
  /// - Returns: `false` if a thread was still running at `deadline`. That thread is then abandoned.
  public func closeAll(by deadline: MediaTime) -> Bool { close(all: true, by: deadline) }

  /// Removes all users and closes everything.
  /// - Returns: `false` if a thread did not end in time, in this call or in an earlier one.
  public func stop(by deadline: MediaTime) -> Bool {
    state.withLock { $0.users = [:] }
    let allClosed = close(by: deadline)
    let hasMusicEnded = music.close(by: deadline)
    let haveGuestsEnded = guests.stop(by: deadline)
    let areHeadphonesClosed = headphones.stop(by: deadline)
    return state.withLock {
      allClosed && hasMusicEnded && haveGuestsEnded && areHeadphonesClosed
        && !$0.hasAbandonedThread
    }
  }
}

// MARK: Pauses without the camera

extension Studio {
  /// Closes the camera during a pause if the setting `pause.release_camera` says so, and opens it again afterwards.
  /// - Parameter deadline: the latest time to wait until the camera is closed, on the system clock.
  func releaseOrReopenCamera(by deadline: MediaTime) {
    let (video, releasesCamera) = state.withLock { ($0.video, $0.decideCameraRelease()) }
    guard let report = video?.setCameraReleased(releasesCamera, by: deadline) else { return }
    if case .cameraReleased = report { state.withLock { $0.watch.noteReleased() } }
    listener(report)
  }
}

extension Studio.State {
  /// Decides whether the camera has to be closed for a pause, stores the decision in `releasesCamera`, and returns it.
  mutating func decideCameraRelease() -> Bool {
    releasesCamera =
      settings.pause.releasesCamera
      && (scenes.video.isPause || staysClosed && releasesCamera)
    return releasesCamera
  }
}
