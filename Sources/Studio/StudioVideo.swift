// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import Director
internal import Encode
internal import Media
internal import RateControl
internal import Settings
internal import Synchronization

/// The video half of a studio that is open: source, pipeline and stills.
final class StudioVideo: Sendable {
  private struct State {
    var settings: VideoSettings
    /// The source that is open.
    var source: VideoSource
    var sources: [any Source]
    /// The still that was given to the pipeline last.
    var shown: Still?
  }

  let frames: FrameQueue
  let pipeline: VideoPipeline
  private let stills: StillShelf
  /// The thread that owns the studio changes it.
  private let state: Mutex<State>
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
    state = Mutex(
      State(
        settings: settings.video, source: settings.video.source,
        sources: makers.videoSources(settings.video, into: frames)))
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

  var sources: [any Source] { state.withLock { $0.sources } }
  /// The source that is open.
  var source: VideoSource { state.withLock { $0.source } }

  /// - Returns: `false` while the still is being prepared. Nothing is shown then, least of all the camera.
  func show(_ scenes: Scenes) -> Bool {
    var scene = VideoPipeline.Scene(number: scenes.videoNumber, since: scenes.videoSince)
    if scenes.video != .camera {
      guard let still = stills.still(scenes.video) else { return false }
      scene.still = still
    }
    state.withLock { $0.shown = scene.still }
    pipeline.show(scene)
    return true
  }

  /// Shows the still of a scene that is on air again if its image, size or rates have changed.
  func renewStill(_ scenes: Scenes) {
    guard scenes.video != .camera, let still = stills.still(scenes.video),
      state.withLock({ $0.shown !== still })
    else { return }
    _ = show(scenes)
  }

  /// Follows new settings. Another source is opened when the present one has been closed; until it delivers, the last
  /// frame is repeated for a moment, and then the director's still is shown.
  /// - Parameters:
  ///   - followsEncoding: whether nobody else sets size, rates and speed.
  ///   - deadline: for closing the present source, on the system clock.
  /// - Returns: `false` if the present source had not ended by `deadline`. It is left behind.
  func change(
    _ settings: Settings, makers: SourceMaker, followsEncoding: Bool, by deadline: MediaTime
  ) -> Bool {
    let video = settings.video
    let (old, sources) = state.withLock { state in
      let before = (state.settings, state.sources)
      state.settings = video
      return before
    }
    pipeline.place(like: VideoPlan(video))
    if followsEncoding { pipeline.follow(EncodingPlan(asked: settings)) }
    stills.change(settings)
    guard video.sourceRequest != old.sourceRequest, video.source != .none else { return true }
    // The device can be opened again only when none of its frames is in use.
    pipeline.releaseFrame(by: deadline)
    var allEnded = true
    for source in sources { allEnded = source.stop(by: deadline) && allEnded }
    frames.removeAll()
    pipeline.source.beginAgain(pipeline.clock.now)
    let new = makers.videoSources(video, into: frames)
    state.withLock { state in
      state.sources = new
      state.source = video.source
    }
    for source in new { source.start() }
    return allEnded
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
