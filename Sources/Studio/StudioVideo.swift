// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Capture
internal import Director
internal import Encode
internal import Media
internal import Overlay
internal import RateControl
internal import Settings
internal import Synchronization
internal import Video

/// The video half of an open studio: the source, the pipeline and the stills.
final class StudioVideo: Sendable {
  struct State {
    var settings: Settings
    /// The names of the overlays that are not shown at this time.
    var waiting: Set<String>
    /// The privacy mask of the open source.
    var mask: PrivacyMask
    /// Earlier sources that were not closed in time, each with its mask. They may still deliver a frame, so their masks
    /// are applied until the threads of all of them have ended and their last frames are gone.
    var leftBehind: [(source: (any Source)?, mask: PrivacyMask)] = []
    /// The still that was last given to the pipeline; `nil` if live video was.
    var shown: Still?
    /// Whether the camera is to be closed, for a pause.
    var rests: Bool
    var rest = Rest.none
  }

  /// How far the camera has been closed for a pause.
  enum Rest {
    case none
    /// The camera was asked to close, and its driver has not answered in time.
    case closing
    case closed
  }

  let frames: FrameQueue
  let pipeline: VideoPipeline
  private let slot: SourceSlot<VideoSource>
  private let stills: StillShelf
  let overlays: OverlayKeeper
  private let host: FilterHost
  /// Changed only by the thread that owns the studio.
  let state: Mutex<State>
  private let renditions: Renditions
  private let finished = Atomic(false)
  private let rested = Atomic(false)

  /// - Parameter rests: whether a camera is left closed at first, because of a pause.
  init(
    _ settings: Settings, costs: SpeedCosts, makers: SourceMaker, renditions: Renditions,
    encoders: EncoderFactory, facts: TextFacts, waiting: Set<String>, folder: String?, rests: Bool,
    clock: MediaClock,
    fatal: @escaping @Sendable (String) -> Void,
    listener: @escaping StudioListener
  ) {
    self.renditions = renditions
    overlays = OverlayKeeper(folder: folder, clock: clock) { name, trouble, isOver in
      let setting = "overlay.\(name).\(trouble.field)"
      listener(
        isOver
          ? .overlayUsable(setting: setting)
          : .overlayUnusable(setting: setting, sentence: "\(setting) \(trouble.sentence)."))
    }
    overlays.update { $0 = facts }
    host = FilterHost(clock: clock, remark: { listener(.filterUnconfined(sentence: $0)) }) {
      name, sentence in
      listener(
        sentence.map { .filterOff(name: name, sentence: $0) } ?? .filterOn(name: name))
    }
    frames = FrameQueue(clock: clock)
    let source = makers.videoSource(settings.video, into: frames)
    if rests { (source as? any ReleasableSource)?.release() }
    slot = SourceSlot(source, kind: settings.video.source, now: clock.now)
    let composition = Composition(settings, overlays, host, waiting: waiting)
    state = Mutex(
      State(settings: settings, waiting: waiting, mask: composition.filters.mask, rests: rests))
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

  /// The open video source; `nil` if there is none.
  var source: (any Source)? { slot.source }
  var sourceKind: VideoSource { slot.kind }

  /// Shows the video of the present scene: live video or a still.
  /// - Returns: `false` if the still is not ready yet. The pipeline then goes on with the earlier scene; if the new
  ///   scene hides that one, no sink takes its packets any more.
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

  /// Replaces the still that is on air if it has been prepared again, because its image, size or rates have changed.
  /// Does nothing while live video is on air.
  func renewStill(_ scenes: Scenes) {
    guard scenes.video != .camera, let still = stills.still(scenes.video),
      state.withLock({ $0.shown !== still })
    else { return }
    _ = show(scenes)
  }

  /// Applies new settings. If they ask for another source, the present source is closed and then the new one is opened.
  /// Until the new one delivers, the last frame is repeated for a moment; then the director shows a still.
  /// - Parameters:
  ///   - waiting: the names of the overlays that are not shown at this time.
  ///   - followsEncoding: whether the settings alone determine size, bit rate, frame rate and speed. `false` while a
  ///     broadcast controls them.
  ///   - deadline: the latest time for closing the present source, on the system clock.
  /// - Returns: `false` if the thread of the present source was still running at `deadline`. It is then abandoned.
  func change(
    _ settings: Settings, makers: SourceMaker, waiting: Set<String>, followsEncoding: Bool,
    by deadline: MediaTime
  ) -> Bool {
    let video = settings.video
    let old = state.withLock { state in
      defer { (state.settings, state.waiting) = (settings, waiting) }
      return state.settings.video
    }
    pipeline.adjust(VideoPipeline.Adjustment(settings))
    if followsEncoding { pipeline.follow(EncodingPlan(asked: settings)) }
    let composition = Composition(settings, overlays, host, waiting: waiting)
    let isOtherSource = video.sourceRequest != old.sourceRequest && video.source != .none
    let oldMask = state.withLock { $0.mask }
    // Until the old source is closed, its mask stays, too: the new settings may be those of another camera, or of none from the
    // next broadcast on.
    compose(composition, besides: isOtherSource || video.source == .none ? oldMask : PrivacyMask())
    stills.change(settings, composition)
    guard isOtherSource else { return true }
    let oldSource = slot.source
    let hasEnded = slot.stop(by: deadline)
    // The device can be opened again only when none of its frames is in use.
    frames.removeAll()
    let isReleased = pipeline.releaseFrame(by: deadline)
    // A source that has not ended may still deliver a frame.
    if !hasEnded || !isReleased {
      state.withLock { $0.leftBehind.append((oldSource, oldMask)) }
    }
    compose(composition)
    let now = pipeline.clock.now
    pipeline.source.beginAgain(now)
    let source = makers.videoSource(video, into: frames)
    let rests = state.withLock { state in
      state.rest = .none
      return state.rests
    }
    if rests { (source as? any ReleasableSource)?.release() }
    slot.open(source, kind: video.source, now: now)
    return hasEnded
  }

  /// Stops applying the masks of earlier sources once the threads of all of them have ended. To be called regularly.
  func forgetLeftBehind() {
    let sources = state.withLock { $0.leftBehind.map(\.source) }
    guard !sources.isEmpty, sources.allSatisfy({ $0?.stop(by: .now()) ?? true }) else {
      return
    }
    // No frame of theirs waits any more, and the one that the pipeline has taken is shown with its mask.
    frames.removeAll()
    guard pipeline.releaseFrame(by: .now() + .milliseconds(100)) else { return }
    let (settings, waiting) = state.withLock { state in
      state.leftBehind = []
      return (state.settings, state.waiting)
    }
    compose(Composition(settings, overlays, host, waiting: waiting))
  }

  /// Shows and hides overlays at their times.
  /// - Parameter waiting: the names of those that are not shown at this time.
  func follow(waiting: Set<String>) {
    let (settings, isChanged) = state.withLock { state in
      defer { state.waiting = waiting }
      return (state.settings, state.waiting != waiting)
    }
    guard isChanged else { return }
    let composition = Composition(settings, overlays, host, waiting: waiting)
    compose(composition)
    stills.change(settings, composition)
  }

  /// Applies another composition from the next frame on.
  /// - Parameter mask: a privacy mask that is applied besides that of the composition.
  private func compose(_ composition: Composition, besides mask: PrivacyMask = PrivacyMask()) {
    var composition = composition
    let more = state.withLock { state in
      state.mask = composition.filters.mask.union(mask)
      return state.leftBehind.reduce(state.mask) { $0.union($1.mask) }
    }
    composition.filters.mask = more
    pipeline.compose(composition)
  }

  // MARK: Pauses without the camera

  /// Closes the camera for a pause, or opens it again after one. Other sources stay as they are.
  /// - Parameter deadline: the latest time to wait until the camera is closed, on the system clock.
  /// - Returns: what has happened; `nil` for nothing.
  func rest(_ rests: Bool, by deadline: MediaTime) -> StudioReport? {
    let rest = state.withLock { state in
      state.rests = rests
      return state.rest
    }
    guard let camera = slot.source as? any ReleasableSource else { return nil }
    switch (rest, rests) {
    case (.none, false), (.closed, true): return nil
    case (.none, true):
      rested.store(true, ordering: .relaxed)
      camera.release()
      while !camera.isClosed, MediaTime.now() < deadline {
        (MediaTime.now() + .milliseconds(2)).sleepUntil()
      }
      guard camera.isClosed else {
        state.withLock { $0.rest = .closing }
        return .source(.video, StudioVideo.notClosed)
      }
      return noteClosed(by: deadline)
    case (.closing, true): return camera.isClosed ? noteClosed(by: deadline) : nil
    case (.closing, false), (.closed, false):
      state.withLock { $0.rest = .none }
      pipeline.source.forget()
      slot.beginAgain(pipeline.clock.now)
      camera.reopen()
      return .opening(.video)
    }
  }

  /// Notes that the camera is closed, and gives up the frames that keep its device open.
  /// - Returns: the report that says so.
  private func noteClosed(by deadline: MediaTime) -> StudioReport {
    frames.removeAll()
    pipeline.releaseFrame(by: deadline)
    pipeline.unreadable.succeed()
    state.withLock { $0.rest = .closed }
    return .cameraReleased
  }

  private static let notClosed = SourceReport(
    state: .trouble, code: "not_closed",
    sentence: "The camera could not be closed for the pause, since its driver does not answer: "
      + "unplug it if its light is on.")

  /// Whether the camera was closed for a pause since this half of the studio was opened.
  var hasRested: Bool { rested.load(ordering: .relaxed) }

  /// Stops the pipeline for good. Frames that the encoder holds are still sent.
  /// - Returns: the end of the last frame on the stream's timeline; `nil` if the pipeline was still running at
  ///   `deadline`.
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
    overlays.stop()
  }

  /// Stops source and pipeline, and waits until their threads have ended. Does not wait for the thread of the stills.
  /// - Returns: `false` if one of the two was still running at `deadline`.
  func stop(by deadline: MediaTime) -> Bool {
    requestStop()
    let sourceHasEnded = slot.stop(by: deadline)
    let pipelineHasEnded = pipeline.stop(by: deadline)
    renditions.forget(.video)
    return sourceHasEnded && pipelineHasEnded
  }

  /// The state of the source.
  func input(_ now: MediaTime) -> Conditions.Input {
    switch state.withLock({ $0.rest }) {
    case .none: Conditions.Input(slot.health(now, pipeline.source))
    case .closing: .lost
    case .closed: .released
    }
  }
}
