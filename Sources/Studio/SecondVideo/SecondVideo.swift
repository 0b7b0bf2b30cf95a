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

/// Encodes the second rendition of the video: the programme in the size and at the bit rate of the settings, whatever
/// the network can carry. It shares nothing with the broadcast's pipeline but the stills: it works on copies of the
/// source's frames, with overlays and filters of its own, and its thread gives way to the broadcast's.
final class SecondVideo: Sendable {
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
    _ settings: Settings, _ shown: ShownLayers, guests: GuestLayers, mask: PrivacyMask,
    costs: SpeedCosts, textVariables: TextVariables, folder: String?, renditions: Renditions,
    encoders: EncoderFactory, clock: MediaClock
  ) {
    let overlays = OverlayKeeper(folder: folder, clock: clock)
    overlays.update { $0 = textVariables }
    // No filter uses it: see `Settings.hasProcessFilters`.
    let host = FilterHost(clock: clock, warn: { _ in }) { _, _ in }
    maker = CompositionMaker(overlays: overlays, host: host, guests: guests)
    var plan = VideoPlan(settings)
    plan.costs = costs
    plan.composition = maker.composition(settings, shown)
    plan.composition.filters.mask = mask
    plan.adjustment.allowsResize = false
    let (frames, broken) = (FrameQueue(clock: clock), Flag())
    (self.frames, self.broken) = (frames, broken)
    pipeline = VideoPipeline(
      plan: plan, frames: frames, renditions: renditions, rendition: .secondVideo,
      encoders: encoders, clock: clock, notice: { _ in }, fatal: { _ in broken.set() })
  }

  /// Applies changed settings, but for the composition. The size stays as it is asked for: if the processor is too slow
  /// for it, the second rendition ends.
  func change(_ settings: Settings) {
    var adjustment = VideoPipeline.Adjustment(settings)
    adjustment.allowsResize = false
    pipeline.adjust(adjustment)
    pipeline.follow(EncodingPlan(asked: settings))
  }

  /// Applies another composition from the next frame on.
  func compose(_ settings: Settings, _ shown: ShownLayers, mask: PrivacyMask) {
    var composition = maker.composition(settings, shown)
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

extension StudioVideo {
  /// The second rendition; `nil` while it is not encoded.
  var secondVideo: SecondVideo? { second.withLock { $0 } }

  /// Whether the filters allow for a second rendition.
  var allowsSecond: Bool { state.withLock { !$0.settings.hasProcessFilters } }

  /// Makes a second rendition of the video, to be passed to `beginSecond`.
  func makeSecond(_ costs: SpeedCosts, _ textVariables: TextVariables) -> SecondVideo {
    let (settings, shown, mask) = state.withLock { state in
      (
        state.settings, state.shown,
        state.abandonedSources.reduce(state.mask) { $0.union($1.mask) }
      )
    }
    return SecondVideo(
      settings, shown, guests: maker.guests.copy(), mask: mask, costs: costs,
      textVariables: textVariables, folder: folder, renditions: renditions, encoders: encoders,
      clock: pipeline.clock)
  }

  /// Begins to encode the second rendition, with the video of the present scene.
  func beginSecond(_ new: SecondVideo, _ scenes: Scenes) {
    second.withLock { $0 = new }
    new.pipeline.clockShare.store(
      pipeline.clockShare.load(ordering: .relaxed), ordering: .relaxed)
    showSecond(scenes)
    frames.copyFrames(into: new.frames)
    new.pipeline.start()
  }

  /// Encodes the second rendition no more.
  /// - Parameter deadline: on the system clock.
  /// - Returns: `false` if its thread was still running at `deadline`.
  func endSecond(by deadline: MediaTime) -> Bool {
    frames.copyFrames(into: nil)
    guard let old = second.withLock({ $0.take() }) else { return true }
    old.maker.stop()
    let hasEnded = old.pipeline.stop(by: deadline)
    renditions.forget(.secondVideo)
    return hasEnded
  }

  /// Shows the video of the present scene in the second rendition. A still that is not ready yet is shown by a later
  /// call; sinks discard the packets of the earlier scene until then, if the present one hides it.
  func showSecond(_ scenes: Scenes) {
    guard let second = secondVideo else { return }
    var scene = VideoPipeline.Scene(number: scenes.videoNumber, since: scenes.secondVideoSince)
    if scenes.secondVideo != .camera {
      guard let still = stills.still(scenes.secondVideo) else { return }
      (scene.still, scene.isSoundOnly) = (still, scenes.secondVideo == .soundOnly)
    }
    second.pipeline.show(scene)
  }

  /// Lets the next frame of the source decide the colour of live video again.
  func reopenColour() {
    pipeline.reopenColour()
    secondVideo?.pipeline.reopenColour()
  }

  /// Removes all frames of the source that wait, and returns the memory of the last one to the source.
  /// - Returns: `false` if a pipeline's thread may still show a frame of the source after `deadline`.
  @discardableResult
  func discardFrames(by deadline: MediaTime) -> Bool {
    let second = secondVideo
    frames.removeAll()
    second?.frames.removeAll()
    let isReleased = pipeline.releaseFrame(by: deadline)
    return second?.pipeline.releaseFrame(by: deadline) ?? true && isReleased
  }
}
