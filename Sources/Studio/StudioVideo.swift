// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import Director
internal import Encode
internal import Media
internal import Settings
internal import Synchronization

/// The video half of a studio that is open: source, pipeline and stills.
final class StudioVideo: Sendable {
  let frames: FrameQueue
  let pipeline: VideoPipeline
  let sources: [any Source]
  private let stills: StillShelf
  private let openedAt: MediaTime
  private let outlet: Outlet
  private let finished = Atomic(false)

  init(
    _ settings: Settings, makers: SourceMaker, outlet: Outlet, clock: MediaClock,
    fatal: @escaping @Sendable (String) -> Void, listener: @escaping StudioListener
  ) {
    self.outlet = outlet
    openedAt = clock.now
    frames = FrameQueue(clock: clock)
    sources = makers.videoSources(into: frames)
    stills = StillShelf(settings, clock: clock) {
      listener(.stillUnusable(setting: $0, sentence: $1))
    }
    pipeline = VideoPipeline(
      plan: VideoPlan(settings.video), frames: frames, outlet: outlet, clock: clock,
      notice: { listener(.encoderRefused($0)) }, fatal: fatal)
  }

  func start() {
    pipeline.start()
    for source in sources { source.start() }
    stills.start()
  }

  /// - Returns: `false` while the still is being prepared. Nothing is shown then, least of all the camera.
  func show(_ scenes: Scenes) -> Bool {
    var scene = VideoPipeline.Scene(number: scenes.videoNumber, since: scenes.videoSince)
    if scenes.video != .camera {
      guard let still = stills.still(scenes.video) else { return false }
      scene.still = still
    }
    pipeline.show(scene)
    return true
  }

  /// Ends the pipeline for good, with the frame that it has.
  /// - Returns: when its last frame ends; `nil` if it has not ended by `deadline`.
  func finish(by deadline: MediaTime) -> MediaTime? {
    finished.store(true, ordering: .relaxed)
    return pipeline.stop(by: deadline) ? pipeline.videoEnd : nil
  }

  /// Whether `finish` was called.
  var isFinished: Bool { finished.load(ordering: .relaxed) }

  /// - Returns: `false` if something had not ended by `deadline`.
  func stop(by deadline: MediaTime) -> Bool {
    var allEnded = true
    for source in sources { allEnded = source.stop(by: deadline) && allEnded }
    allEnded = pipeline.stop(by: deadline) && allEnded
    stills.stop()
    outlet.forgetVideo()
    return allEnded
  }

  func health(_ now: MediaTime) -> Pulse.Health {
    pipeline.source.health(now, startedAt: openedAt)
  }
}
