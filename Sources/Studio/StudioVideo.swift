// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Capture
internal import Director
internal import Encode
internal import Media
internal import RateControl
internal import Settings
internal import Synchronization
internal import Video

/// The video half of a studio that is open: source, pipeline and stills.
final class StudioVideo: Sendable {
  private struct State {
    var settings: VideoSettings
    /// The still that was given to the pipeline last.
    var shown: Still?
  }

  let frames: FrameQueue
  let pipeline: VideoPipeline
  private let slot: SourceSlot<VideoSource>
  private let stills: StillShelf
  /// The thread that owns the studio changes it.
  private let state: Mutex<State>
  private let renditions: Renditions
  private let finished = Atomic(false)

  init(
    _ settings: Settings, costs: SpeedCosts, makers: SourceMaker, renditions: Renditions,
    encoders: EncoderFactory, clock: MediaClock, fatal: @escaping @Sendable (String) -> Void,
    listener: @escaping StudioListener
  ) {
    self.renditions = renditions
    frames = FrameQueue(clock: clock)
    slot = SourceSlot(
      makers.videoSource(settings.video, into: frames), kind: settings.video.source, now: clock.now)
    state = Mutex(State(settings: settings.video))
    let composition = Composition(settings)
    stills = StillShelf(settings, composition, encoders: encoders, clock: clock) {
      setting, sentence in
      listener(
        sentence.map { .stillUnusable(setting: setting, sentence: $0) }
          ?? .stillUsable(setting: setting))
    }
    var plan = VideoPlan(settings)
    plan.costs = costs
    plan.composition = composition
    pipeline = VideoPipeline(
      plan: plan, frames: frames, renditions: renditions, encoders: encoders, clock: clock,
      notice: { listener(.encoderRefused($0)) }, fatal: fatal)
  }

  func start() {
    pipeline.start()
    slot.start()
    stills.start()
  }

  /// The source that is open.
  var source: (any Source)? { slot.source }
  var sourceKind: VideoSource { slot.kind }

  /// - Returns: `false` while the still is being prepared. Until then the old scene goes on. If the new one hides it, no
  ///   sink takes it any more.
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
    let old = state.withLock { state in
      defer { state.settings = video }
      return state.settings
    }
    pipeline.adjust(VideoPipeline.Adjustment(settings))
    if followsEncoding { pipeline.follow(EncodingPlan(asked: settings)) }
    let composition = Composition(settings)
    pipeline.compose(composition)
    stills.change(settings, composition)
    guard video.sourceRequest != old.sourceRequest, video.source != .none else { return true }
    let hasEnded = slot.stop(by: deadline)
    // The device can be opened again only when none of its frames is in use.
    frames.removeAll()
    pipeline.releaseFrame(by: deadline)
    let now = pipeline.clock.now
    pipeline.source.beginAgain(now)
    slot.open(makers.videoSource(video, into: frames), kind: video.source, now: now)
    return hasEnded
  }

  /// Ends the pipeline for good, with the frame that it has.
  /// - Returns: when its last frame ends; `nil` if it has not ended by `deadline`.
  func finish(by deadline: MediaTime) -> MediaTime? {
    finished.store(true, ordering: .relaxed)
    return pipeline.stop(by: deadline) ? pipeline.videoEnd : nil
  }

  /// Whether `finish` was called.
  var isFinished: Bool { finished.load(ordering: .relaxed) }

  /// Asks all threads to end; does not wait for them.
  func requestStop() {
    slot.requestStop()
    pipeline.requestStop()
    stills.stop()
  }

  /// - Returns: `false` if something had not ended by `deadline`.
  func stop(by deadline: MediaTime) -> Bool {
    requestStop()
    let sourceHasEnded = slot.stop(by: deadline)
    let pipelineHasEnded = pipeline.stop(by: deadline)
    renditions.forget(.video)
    return sourceHasEnded && pipelineHasEnded
  }

  func health(_ now: MediaTime) -> Pulse.Health { slot.health(now, pipeline.source) }
}
