// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Encode
internal import Media
internal import Overlay
internal import RateControl
internal import Settings
internal import Synchronization
internal import Video

/// Encodes another rendition of the video beside the broadcast's: the programme in the size and at the bit rate of the
/// settings, whatever the network can carry; or a small picture of the camera alone, without guests and overlays. It
/// shares nothing with the broadcast's pipeline but the stills: it works on copies of the source's frames, with overlays
/// and filters of its own, and its thread gives way to the broadcast's.
final class SecondVideo: Sendable {
  /// What the picture of the camera alone has at most: half of the width of a programme of 1280x720, as beside a guest.
  static let camera = (side: 640, kbps: 1_000)

  /// `.secondVideo` or `.cameraVideo`.
  let rendition: Rendition
  /// The copies of the frames that wait for the pipeline.
  let frames: FrameQueue
  let pipeline: VideoPipeline
  /// Makes the compositions of this rendition, with overlays and guests of its own.
  let maker: CompositionMaker
  /// Whether the encoder could not be opened.
  private let broken: Flag

  /// - Parameters:
  ///   - mask: the privacy mask of the present source.
  ///   - folder: the path of the folder of uploaded files; `nil` if there is none.
  init(
    _ rendition: Rendition, _ settings: Settings, _ shown: ShownLayers, guests: GuestLayers,
    mask: PrivacyMask, costs: SpeedCosts, textVariables: TextVariables, folder: String?,
    renditions: Renditions, encoders: EncoderFactory, clock: MediaClock
  ) {
    self.rendition = rendition
    let overlays = OverlayKeeper(folder: folder, clock: clock)
    overlays.update { $0 = textVariables }
    // No filter uses it: see `Settings.hasProcessFilters`.
    let host = FilterHost(clock: clock, warn: { _ in }) { _, _ in }
    maker = CompositionMaker(overlays: overlays, host: host, guests: guests)
    var plan = VideoPlan(settings)
    let asked = EncodingPlan(asked: settings).limited(to: rendition)
    (plan.format.size, plan.format.bitrateKbps) = (asked.size, asked.videoKbps)
    plan.costs = costs
    plan.composition = maker.composition(settings, shown.limited(to: rendition, settings))
    plan.composition.filters.mask = mask
    plan.adjustment.allowsResize = false
    let (frames, broken) = (FrameQueue(clock: clock), Flag())
    (self.frames, self.broken) = (frames, broken)
    pipeline = VideoPipeline(
      plan: plan, frames: frames, renditions: renditions, rendition: rendition,
      encoders: encoders, clock: clock, notice: { _ in }, fatal: { _ in broken.set() })
  }

  /// Applies changed settings, but for the composition. The size stays as it is asked for: if the processor is too slow
  /// for it, the second rendition ends.
  func change(_ settings: Settings) {
    var adjustment = VideoPipeline.Adjustment(settings)
    adjustment.allowsResize = false
    pipeline.adjust(adjustment)
    pipeline.follow(EncodingPlan(asked: settings).limited(to: rendition))
  }

  /// Applies another composition from the next frame on.
  func compose(_ settings: Settings, _ shown: ShownLayers, mask: PrivacyMask) {
    var composition = maker.composition(settings, shown.limited(to: rendition, settings))
    composition.filters.mask = mask
    pipeline.compose(composition)
  }

  /// Whether it cannot be encoded in time, or at all.
  func isTooMuch(_ now: MediaTime) -> Bool {
    broken.isSet || pipeline.failing.lasts(now) || pipeline.present.processorPlan != .unlimited
  }

  /// A flag that any thread may set.
  private final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
  }
}

extension Settings {
  /// Whether a filter runs as a process of its own. It would start anew for the second rendition, which would have
  /// frames without it at first.
  fileprivate var hasProcessFilters: Bool {
    filters.contains { $0.enabled && ($0.kind == .frei0r || $0.kind == .outside) }
  }
}

extension EncodingPlan {
  /// The plan of a rendition: that of the camera alone is small.
  func limited(to rendition: Rendition) -> EncodingPlan {
    guard rendition == .cameraVideo else { return self }
    let (most, longest) = (SecondVideo.camera, max(size.width, size.height))
    var plan = self
    plan.videoKbps = min(most.kbps, videoKbps)
    if longest > most.side {
      plan.size = PictureSize(
        width: size.width * most.side / longest & ~1, height: size.height * most.side / longest & ~1
      )
    }
    return plan
  }
}

extension ShownLayers {
  /// What a rendition shows: that of the camera alone has neither guests nor overlays.
  fileprivate func limited(to rendition: Rendition, _ settings: Settings) -> ShownLayers {
    guard rendition == .cameraVideo else { return self }
    var own = ShownLayers(hiddenOverlays: Set(settings.overlays.map(\.name)))
    if guests.lacksCamera {
      own.guests.lacksCamera = true
      own.guests.panes = [GuestScene.Pane(.host, .whole)]
    }
    return own
  }
}

extension StudioVideo {
  /// A rendition beside that of the broadcast; `nil` while it is not encoded.
  func second(_ rendition: Rendition) -> SecondVideo? {
    seconds.withLock { $0.first { $0.rendition == rendition } }
  }

  /// Why a rendition cannot be encoded beside that of the broadcast, however much time the processor has.
  func obstacle(to rendition: Rendition) -> SecondVideoRefusal? {
    let settings = state.withLock { $0.settings }
    if settings.hasProcessFilters { return .filter }
    // Both, since a source is closed and opened a moment after the settings have changed.
    let hasGuest = [settings.video.source, sourceKind].contains {
      if case .guest = $0 { true } else { false }
    }
    return rendition == .cameraVideo && hasGuest ? .guest : nil
  }

  /// Makes another rendition of the video, to be passed to `beginSecond`.
  func makeSecond(
    _ rendition: Rendition, _ costs: SpeedCosts, _ textVariables: TextVariables
  ) -> SecondVideo {
    let (settings, shown, mask) = state.withLock { state in
      (
        state.settings, state.shown,
        state.abandonedSources.reduce(state.mask) { $0.union($1.mask) }
      )
    }
    return SecondVideo(
      rendition, settings, shown, guests: maker.guests.copy(), mask: mask, costs: costs,
      textVariables: textVariables, folder: folder, renditions: renditions, encoders: encoders,
      clock: pipeline.clock)
  }

  /// Begins to encode another rendition, with the video of the present scene.
  func beginSecond(_ new: SecondVideo, _ scenes: Scenes) {
    seconds.withLock { $0.append(new) }
    new.pipeline.clockShare.store(
      pipeline.clockShare.load(ordering: .relaxed), ordering: .relaxed)
    show(scenes, in: new)
    frames.copyFrames(into: new.frames)
    new.pipeline.start()
  }

  /// Encodes a rendition no more.
  /// - Parameter deadline: on the system clock.
  /// - Returns: `false` if its thread was still running at `deadline`.
  func endSecond(_ old: SecondVideo, by deadline: MediaTime) -> Bool {
    seconds.withLock { $0.removeAll { $0 === old } }
    frames.endCopies(into: old.frames)
    old.maker.stop()
    let hasEnded = old.pipeline.stop(by: deadline)
    renditions.forget(old.rendition)
    return hasEnded
  }

  /// Shows the video of the present scene in the renditions beside that of the broadcast. A still that is not ready yet
  /// is shown by a later call; sinks discard the packets of the earlier scene until then, if the present one hides it.
  /// - Returns: `false` if a still is not ready yet.
  func showSeconds(_ scenes: Scenes) -> Bool {
    seconds.withLock { $0 }.reduce(true) { show(scenes, in: $1) && $0 }
  }

  @discardableResult private func show(_ scenes: Scenes, in second: SecondVideo) -> Bool {
    var scene = VideoPipeline.Scene(number: scenes.videoNumber, since: scenes.secondVideoSince)
    var video = scenes.secondVideo
    // The last frame of the programme may have guests in it.
    if video == .lastFrame, second.rendition == .cameraVideo { video = .pauseStill }
    if video != .camera {
      guard let still = stills.still(video) else { return false }
      (scene.still, scene.isSoundOnly) = (still, video == .soundOnly)
    }
    second.pipeline.show(scene)
    return true
  }

  /// Lets the next frame of the source decide the colour of live video again.
  func reopenColour() {
    pipeline.reopenColour()
    for second in seconds.withLock({ $0 }) { second.pipeline.reopenColour() }
  }

  /// Removes all frames of the source that wait, and returns the memory of the last one to the source.
  /// - Returns: `false` if a pipeline's thread may still show a frame of the source after `deadline`.
  @discardableResult
  func discardFrames(by deadline: MediaTime) -> Bool {
    let seconds = seconds.withLock { $0 }
    frames.removeAll()
    for second in seconds { second.frames.removeAll() }
    let isReleased = pipeline.releaseFrame(by: deadline)
    return seconds.reduce(isReleased) { $1.pipeline.releaseFrame(by: deadline) && $0 }
  }
}
