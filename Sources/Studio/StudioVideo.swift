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

/// The video half of an open studio: the video source, the pipeline, the stills and the overlays.
final class StudioVideo: Sendable {
  /// The applied settings, the privacy masks, the shown still, and whether the camera is closed for a pause.
  struct State {
    var settings: Settings
    /// What is shown at this time.
    var shown: ShownLayers
    /// The privacy mask of the open source.
    var mask: PrivacyMask
    /// Earlier sources that were not closed in time, each with its privacy mask. Such a source may still deliver a
    /// frame, so its mask is applied until the threads of all these sources have ended and their last frames are gone.
    var abandonedSources: [(source: (any Source)?, mask: PrivacyMask)] = []
    /// The still that the pipeline was last told to show; `nil` if it was last told to show live video.
    var shownStill: Still?
    /// Whether the camera has to be closed because of a pause.
    var releasesCamera: Bool
    /// How far the camera has been closed because of a pause.
    var cameraRelease = CameraRelease.none
  }

  /// How far the camera has been closed for a pause.
  enum CameraRelease {
    /// The camera is open.
    case none
    /// The camera was asked to close, and its driver has not answered in time.
    case closing
    case closed
  }

  /// The frames of the source that wait for the pipeline.
  let frames: FrameQueue
  /// Composes and encodes the video.
  let pipeline: VideoPipeline
  /// Encode the video once more each; empty while nobody wants that, or the processor has no time for it.
  let seconds = Mutex<[SecondVideo]>([])
  /// Holds the open video source.
  private let slot: SourceSlot<VideoSource>
  /// Prepares the stills and keeps them.
  let stills: StillShelf
  /// Makes the compositions of the pipeline.
  let maker: CompositionMaker
  /// The applied settings, the privacy masks, the shown still, and whether the camera is closed for a pause.
  let state: Mutex<State>
  /// Passes the encoded packets to the sinks.
  let renditions: Renditions
  /// Opens video encoders.
  let encoders: EncoderFactory
  /// The path of the folder of uploaded files; `nil` if there is none.
  let folder: String?
  /// Whether `finish` was called.
  private let finished = Atomic(false)
  /// Whether the camera was asked to close for a pause since this video half of the studio was opened.
  private let hasReleased = Atomic(false)

  /// - Parameters:
  ///   - folder: the path of the folder of uploaded files; `nil` if there is none.
  ///   - releasesCamera: whether a camera stays closed at first, because of a pause.
  ///   - fatal: receives the reason when video cannot be encoded at all.
  init(
    _ settings: Settings, costs: SpeedCosts, makers: SourceMaker, renditions: Renditions,
    encoders: EncoderFactory, textVariables: TextVariables, shown: ShownLayers, guests: GuestLines,
    folder: String?, releasesCamera: Bool, clock: MediaClock,
    fatal: @escaping @Sendable (String) -> Void,
    listener: @escaping StudioListener
  ) {
    (self.renditions, self.encoders, self.folder) = (renditions, encoders, folder)
    let overlays = OverlayKeeper(folder: folder, clock: clock) { name, trouble, isOver in
      let setting =
        switch name {
        case Layer.guestBackground.name: "guests.background_image"
        case Layer.lostCameraName: "slate.camera_image"
        default: "overlay.\(name).\(trouble.field)"
        }
      listener(
        isOver
          ? .overlayUsable(setting: setting)
          : .overlayUnusable(setting: setting, sentence: "\(setting) \(trouble.sentence)."))
    }
    overlays.update { $0 = textVariables }
    let host = FilterHost(clock: clock, warn: { listener(.filterUnconfined(sentence: $0)) }) {
      name, sentence in
      listener(
        sentence.map { .filterOff(name: name, sentence: $0) } ?? .filterOn(name: name))
    }
    frames = FrameQueue(clock: clock)
    let source = makers.videoSource(settings.video, into: frames)
    if releasesCamera { (source as? any ReleasableSource)?.release() }
    slot = SourceSlot(source, kind: settings.video.source, now: clock.now)
    maker = CompositionMaker(overlays: overlays, host: host, guests: GuestLayers(guests))
    let composition = maker.composition(settings, shown)
    state = Mutex(
      State(
        settings: settings, shown: shown, mask: composition.filters.mask,
        releasesCamera: releasesCamera))
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
    pipeline.lastFrame.keep(settings.pause.picture == .last)
  }

  /// Starts the pipeline, the source, and the preparation of stills.
  func start() {
    pipeline.start()
    slot.start()
    stills.start()
  }

  /// The open video source; `nil` if there is none.
  var source: (any Source)? { slot.source }
  /// The value of `video.source` from which the source was made.
  var sourceKind: VideoSource { slot.kind }

  /// Shows the video of the present scene: live video or a still.
  /// - Returns: `false` if a still is not ready yet. The pipeline then continues with the earlier scene; sinks
  ///   discard the packets of that scene if the present one hides it.
  func show(_ scenes: Scenes) -> Bool {
    let areSecondsShown = showSeconds(scenes)
    var scene = VideoPipeline.Scene(number: scenes.videoNumber, since: scenes.videoSince)
    if scenes.video != .camera {
      guard let still = stills.still(scenes.video) else { return false }
      (scene.still, scene.isSoundOnly) = (still, scenes.video == .soundOnly)
    }
    state.withLock { $0.shownStill = scene.still }
    pipeline.show(scene)
    return areSecondsShown
  }

  /// Whether a pause that begins now could show the last frame, or the present pause does.
  func hasLastFrame(_ scenes: Scenes) -> Bool {
    scenes.video == .camera
      ? pipeline.lastFrame.has(of: scenes.videoNumber)
      : scenes.video == .lastFrame && stills.hasFrozenFrame
  }

  /// Sets the frame that the present pause shows; `nil` for none.
  func freeze(_ frame: FrozenFrame?) { stills.freeze(frame) }

  /// If the still on air has been prepared again, because its image, size or rates have changed, shows the new version.
  /// Does nothing while live video is on air.
  func renewStill(_ scenes: Scenes) {
    guard scenes.video != .camera, let still = stills.still(scenes.video),
      state.withLock({ $0.shownStill !== still })
    else { return }
    _ = show(scenes)
  }

  /// Applies new settings. If they name another source, the present source is closed and then the new source is opened.
  /// Until the new source delivers, the last frame is repeated for a moment; then the director shows a still.
  /// - Parameters:
  ///   - shown: what is shown at this time.
  ///   - followsEncoding: whether the settings alone determine size, bit rate, frame rate and speed. `false` while a
  ///     broadcast controls them.
  ///   - deadline: the latest time for closing the present source, on the system clock.
  /// - Returns: `false` if the thread of the present source was still running at `deadline`. That thread is then
  ///   abandoned.
  func change(
    _ settings: Settings, makers: SourceMaker, shown: ShownLayers, followsEncoding: Bool,
    by deadline: MediaTime
  ) -> Bool {
    let video = settings.video
    let old = state.withLock { state in
      defer { (state.settings, state.shown) = (settings, shown) }
      return state.settings.video
    }
    pipeline.adjust(VideoPipeline.Adjustment(settings))
    // A filter that runs as a process of its own has to be on each frame; and a guest is not the camera.
    for second in seconds.withLock({ $0 }) {
      if obstacle(to: second.rendition) == nil {
        second.change(settings)
      } else {
        _ = endSecond(second, by: deadline)
      }
    }
    pipeline.lastFrame.keep(settings.pause.picture == .last)
    if followsEncoding { pipeline.follow(EncodingPlan(asked: settings)) }
    let composition = maker.composition(settings, shown)
    let isOtherSource = video.sourceRequest != old.sourceRequest && video.source != .none
    let oldMask = state.withLock { $0.mask }
    // Until the old source is closed, its privacy mask is applied as well, because the mask in the new settings may be
    // meant for another camera, or the new settings may name no camera.
    compose(composition, besides: isOtherSource || video.source == .none ? oldMask : PrivacyMask())
    stills.change(settings, composition)
    guard isOtherSource else { return true }
    let oldSource = slot.source
    let hasEnded = slot.stop(by: deadline)
    // The device of the old source can be opened again only when none of its frames is in use.
    let isReleased = discardFrames(by: deadline)
    // The old source may still deliver a frame, so its mask is kept.
    if !hasEnded || !isReleased {
      state.withLock { $0.abandonedSources.append((oldSource, oldMask)) }
    }
    compose(composition)
    let now = pipeline.clock.now
    pipeline.sourcePulse.beginAgain(now)
    let source = makers.videoSource(video, into: frames)
    let releasesCamera = state.withLock { state in
      state.cameraRelease = .none
      return state.releasesCamera
    }
    if releasesCamera { (source as? any ReleasableSource)?.release() }
    slot.open(source, kind: video.source, now: now)
    return hasEnded
  }

  /// Forgets the abandoned sources, whose threads did not end in time, once all these threads have ended. Until then
  /// their privacy masks are applied, because they may still deliver frames. To be called regularly.
  func releaseAbandonedSources() {
    let sources = state.withLock { $0.abandonedSources.map(\.source) }
    guard !sources.isEmpty, sources.allSatisfy({ $0?.stop(by: .now()) ?? true }) else {
      return
    }
    // The masks of these sources may be removed only when their frames are gone from the queue and from the pipeline.
    guard discardFrames(by: .now() + .milliseconds(100)) else { return }
    let (settings, shown) = state.withLock { state in
      state.abandonedSources = []
      return (state.settings, state.shown)
    }
    compose(maker.composition(settings, shown))
  }

  /// Shows and hides overlays and guests.
  func follow(_ shown: ShownLayers) {
    let (settings, isChanged) = state.withLock { state in
      defer { state.shown = shown }
      return (state.settings, state.shown != shown)
    }
    guard isChanged else { return }
    let composition = maker.composition(settings, shown)
    compose(composition)
    stills.change(settings, composition)
  }

  /// Applies another composition from the next frame on.
  /// - Parameter mask: a privacy mask that is applied in addition to the mask of the composition.
  private func compose(_ composition: Composition, besides mask: PrivacyMask = PrivacyMask()) {
    var composition = composition
    let more = state.withLock { state in
      state.mask = composition.filters.mask.union(mask)
      return state.abandonedSources.reduce(state.mask) { $0.union($1.mask) }
    }
    composition.filters.mask = more
    pipeline.compose(composition)
    let (settings, shown) = state.withLock { ($0.settings, $0.shown) }
    for second in seconds.withLock({ $0 }) { second.compose(settings, shown, mask: more) }
  }

  // MARK: Pauses without the camera

  /// Closes the camera for a pause, or opens it again after the pause. A source that is not a camera stays open.
  /// - Parameters:
  ///   - releasesCamera: whether the camera has to be closed; `false` to have it open.
  ///   - deadline: the latest time to wait until the camera is closed, on the system clock.
  /// - Returns: a report of the change; `nil` if nothing has changed.
  func setCameraReleased(_ releasesCamera: Bool, by deadline: MediaTime) -> StudioReport? {
    let cameraRelease = state.withLock { state in
      state.releasesCamera = releasesCamera
      return state.cameraRelease
    }
    guard let camera = slot.source as? any ReleasableSource else { return nil }
    switch (cameraRelease, releasesCamera) {
    case (.none, false), (.closed, true): return nil
    case (.none, true):
      hasReleased.store(true, ordering: .relaxed)
      camera.release()
      while !camera.isClosed, MediaTime.now() < deadline {
        (MediaTime.now() + .milliseconds(2)).sleepUntil()
      }
      guard camera.isClosed else {
        state.withLock { $0.cameraRelease = .closing }
        return .source(.video, StudioVideo.notClosed)
      }
      return noteClosed(by: deadline)
    case (.closing, true): return camera.isClosed ? noteClosed(by: deadline) : nil
    case (.closing, false), (.closed, false):
      state.withLock { $0.cameraRelease = .none }
      pipeline.sourcePulse.forget()
      slot.beginAgain(pipeline.clock.now)
      camera.reopen()
      return .opening(.video)
    }
  }

  /// Notes that the camera is closed, and releases the frames that keep its device open.
  /// - Returns: `StudioReport.cameraReleased`.
  private func noteClosed(by deadline: MediaTime) -> StudioReport {
    discardFrames(by: deadline)
    pipeline.unreadable.succeed()
    state.withLock { $0.cameraRelease = .closed }
    return .cameraReleased
  }

  /// The report that the camera could not be closed for a pause.
  private static let notClosed = SourceReport(
    state: .trouble, code: "not_closed",
    sentence: "The camera could not be closed for the pause, since its driver does not answer: "
      + "unplug it if its light is on.")

  /// Whether the camera was asked to close for a pause since this video half of the studio was opened.
  var hasReleasedCamera: Bool { hasReleased.load(ordering: .relaxed) }

  /// Stops the pipeline for good. Frames that the encoder still holds are emitted first.
  /// - Returns: the end of the last frame on the stream's timeline; `nil` if the pipeline was still running at
  ///   `deadline`.
  func finish(by deadline: MediaTime) -> MediaTime? {
    finished.store(true, ordering: .relaxed)
    return pipeline.stop(by: deadline) ? pipeline.videoEnd : nil
  }

  /// Whether `finish` was called.
  var isFinished: Bool { finished.load(ordering: .relaxed) }

  /// Asks the threads of the source, the pipeline and the stills to end; does not wait for their end.
  func requestStop() {
    slot.requestStop()
    pipeline.requestStop()
    for second in seconds.withLock({ $0 }) { second.pipeline.requestStop() }
    stills.stop()
    maker.stop()
  }

  /// Stops the source and the pipeline, and waits until their threads have ended. Does not wait for the thread that
  /// prepares stills.
  /// - Returns: `false` if the thread of the source or of the pipeline was still running at `deadline`.
  func stop(by deadline: MediaTime) -> Bool {
    requestStop()
    let sourceHasEnded = slot.stop(by: deadline)
    let pipelineHasEnded = pipeline.stop(by: deadline)
    let haveSecondsEnded = seconds.withLock { $0 }.reduce(true) {
      endSecond($1, by: deadline) && $0
    }
    renditions.forget(.video)
    return sourceHasEnded && pipelineHasEnded && haveSecondsEnded
  }

  /// The state of the video source, for the director.
  func input(_ now: MediaTime) -> Conditions.Input {
    switch state.withLock({ $0.cameraRelease }) {
    case .none: Conditions.Input(slot.health(now, pipeline.sourcePulse))
    case .closing: .lost
    case .closed: .released
    }
  }
}
