// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Encode
internal import Media
internal import RateControl
internal import Video

/// The programme's video: live video or a still, timestamped by one frame clock. Used by one thread.
final class Programme {
  /// Nanoseconds to wait for the first frame before the programme begins with black.
  static let startPatience: Int64 = .seconds(1)

  private let picture: Picture
  private let encoder: LiveEncoder
  private let filler = FrameFiller()
  private var still: StillPlayer?
  private var clock: FrameClock
  /// The state of the frame clock before the last `stamp`. It is restored if that frame cannot be decoded.
  private var clockBeforeStamp: FrameClock
  /// Whether the next frame may still decide the colour of live video: see `decideColour`.
  private var colourIsOpen = true

  init(
    plan: VideoPlan, now: MediaTime, encoders: EncoderFactory = .libraries
  ) throws(EncoderError) {
    encoder = try LiveEncoder(plan, encoders: encoders)
    picture = Picture(plan, now: now)
    clock = FrameClock(
      framesPerSecond: plan.format.framesPerSecond, firstDeadline: now + Programme.startPatience)
    clockBeforeStamp = clock
  }

  /// The header of the frames that `encode` emits from now on.
  var header: VideoHeader { still?.header ?? encoder.header }
  /// Whether a still is shown instead of live video.
  var isStill: Bool { still != nil }
  /// The format of live video.
  var liveFormat: VideoFormat { encoder.format }
  /// The bit rate that is asked of live video, in kbit/s.
  var askedKbps: Int { encoder.askedKbps }
  /// The limits of frame rate and size within which this processor can encode live video in time.
  var processorPlan: ProcessorPlan { encoder.processorPlan }
  /// The level of the speed governor, 0 to `SpeedLadder.top`; `nil` at a fixed speed.
  var level: Double? { encoder.level }

  // MARK: Times

  /// When the last frame is to be repeated, if no new one has come.
  var deadline: MediaTime { clock.deadline }

  /// When the last frame ends, on the stream's timeline; `nil` before the first frame.
  var videoEnd: MediaTime? { clock.end }

  /// The timestamp for a new frame; `nil` if the frame is surplus, because the source is faster than the set rate.
  func stamp(_ frame: borrowing Frame, now: MediaTime) -> MediaTime? {
    clockBeforeStamp = clock
    return clock.stamp(capturedAt: frame.capturedAt, now: now)
  }

  /// The timestamp for a repeat of the last frame. A frame that is too old is discarded, and the repeat is black.
  func stampRepeat(now: MediaTime) -> MediaTime {
    if !isStill { picture.forgetOld(now) }
    return clock.stampRepeat(now: now)
  }

  /// The timestamp for the first frame of a still.
  func stampCut(now: MediaTime) -> MediaTime {
    clock.stampCut(framesPerSecond: header.framesPerSecond, now: now)
  }

  /// The timestamp for sending the current frame once more, to a sink that has just begun; `nil` if there is no frame,
  /// or only one that is too old to be shown.
  func stampAgain(now: MediaTime) -> MediaTime? {
    guard isStill || picture.isCurrent(now) else { return nil }
    // Live video keeps its rhythm of captures. A still has none: its next frame counts from now.
    return isStill ? stampCut(now: now) : clock.stampAgain()
  }

  /// Sets the frame clock to the frame rate of live video. Does nothing during a still, which has a frame rate of its
  /// own.
  private func followFrameRate() {
    guard !isStill else { return }
    clock.change(
      framesPerSecond: encoder.format.framesPerSecond, step: encoder.rate.frameStep)
  }

  // MARK: Frames

  /// Makes `frame` the current one. A frame that cannot be decoded is treated as if it had never come: the earlier
  /// frame is repeated at its deadline, and replaced by black when it is too old.
  func take(_ frame: consuming Frame, now: MediaTime) throws(PictureError) {
    do {
      try picture.take(frame, now: now)
    } catch {
      clock = clockBeforeStamp
      throw error
    }
  }

  /// Whether a frame can be decoded. Does not show it.
  func canRead(_ frame: borrowing Frame) -> Bool { picture.canRead(frame) }

  /// Discards the last frame of live video. A repeat then shows black.
  func forget() { picture.forget() }

  /// Returns the memory of the last frame to its source, and keeps a copy of the frame.
  func releaseSource() { picture.releaseSource() }

  /// Composes the picture of live video that `encode` takes.
  /// - Parameter since: layers must not show anything that was captured before this time.
  /// - Returns: planes that are valid until `take`, `forget` or a change; `nil` while a still is shown.
  @unsafe func compose(at time: MediaTime, since: MediaTime = .distantPast) -> PlanarPicture? {
    guard still == nil else { return nil }
    return unsafe picture.compose(at: time, since: since)
  }

  /// Encodes the frame to which `tag` belongs: one of live video, or the next one of the still.
  /// - Parameters:
  ///   - composed: the result of `compose` for the same time.
  ///   - key: whether a sink needs a keyframe.
  ///   - emit: receives the packets that are ready, which may be those of earlier frames and scenes.
  /// - Returns: whether the frame becomes a keyframe.
  @discardableResult @unsafe
  func encode(
    _ composed: PlanarPicture?, _ tag: FrameTag, key: Bool, emit: (EncodedFrame) -> Void
  ) throws(EncoderError) -> Bool {
    let isDue = key || isKeyframeDue(at: tag.time)
    if let composed = unsafe composed {
      try encoder.openIfNeeded()
      try unsafe encoder.encode(composed, tag, key: isDue, introduced: key, emit: emit)
    } else {
      try still?.next(tag, key: isDue, emit: emit)
    }
    return isDue
  }

  /// Fills a packet up to a size with bytes that decoders skip: see `FrameFiller.fill`.
  func fill(_ packet: Packet, to leastBytes: Int, emit: (Packet) -> Void) -> Int {
    filler.fill(packet, to: leastBytes, emit: emit)
  }

  private func isKeyframeDue(at time: MediaTime) -> Bool {
    still?.isKeyframeDue(at: time, interval: clock.interval)
      ?? encoder.isKeyframeDue(at: time, interval: clock.interval)
  }

  /// Whether the encoder has been asked for a keyframe of a scene and still holds it. Asking for another one would not
  /// bring a keyframe sooner.
  func awaitsKeyframe(of scene: UInt32) -> Bool { encoder.awaitsKeyframe(of: scene) }

  /// Emits the frames that the encoder of live video holds, and closes that encoder.
  func finish(emit: (EncodedFrame) -> Void) { encoder.finish(emit: emit) }

  /// If the encoder of live video holds frames, discards them, so that sinks that join later do not begin with these
  /// frames.
  func discardHeldFrames() { encoder.discardHeldFrames() }

  // MARK: Stills

  /// Shows a still at once: its first frame is a keyframe, and frames that the encoder of live video holds are
  /// discarded. If it throws, what was shown before stays; live video then continues with a keyframe.
  func show(_ still: Still) throws(EncoderError) {
    encoder.close()
    self.still = try StillPlayer(still)
    forget()
  }

  /// Ends the still and goes back to live video. The next frame is a keyframe.
  /// - Parameter frame: the colour of the frame of live video that has come.
  func endStill(
    for frame: Colour, now: MediaTime
  ) throws(EncoderError) -> LiveEncoder.FormatChange {
    // No encoder is open: `reopen` opens it in this colour.
    _ = decideColour(by: frame, now: now) { _ in }
    let change = try encoder.reopen(now: now)
    picture.change(encoder.format)
    still = nil
    followFrameRate()
    clockBeforeStamp = clock
    return change
  }

  // MARK: The colour

  // The colour is fixed for a broadcast by the first frame that is shown in it, and later frames of another colour are
  // converted: viewers' players should not have to start anew because another camera is plugged in. Before the first
  // frame, live video is black, in BT.709 of limited range. If the first frame has another colour, a new header is
  // sent, while viewers have seen nothing yet. A still does not decide the colour: it has an encoder and parameter sets
  // of its own.

  /// Lets the next frame decide the colour again, because a broadcast begins. A frame that only the page has shown may
  /// have decided it before.
  func reopenColour() { colourIsOpen = true }

  /// Changes live video to the colour of a frame that has come, unless the colour is fixed already.
  func decideColour(
    by frame: Colour, now: MediaTime, emit: (EncodedFrame) -> Void
  ) -> LiveEncoder.FormatChange {
    guard colourIsOpen, frame != encoder.format.colour else { return .none }
    var format = encoder.format
    format.colour = frame
    return replaceEncoder(format, now: now, emit: emit)
  }

  /// Fixes the colour to that of the last frame, because a picture of that frame is about to be encoded.
  func fixColour(now: MediaTime, emit: (EncodedFrame) -> Void) -> LiveEncoder.FormatChange {
    guard colourIsOpen, !isStill, let colour = picture.frameColour else { return .none }
    defer { colourIsOpen = false }
    return decideColour(by: colour, now: now, emit: emit)
  }

  // MARK: Changes

  /// Draws other layers from the next frame of live video on.
  func compose(_ composition: Composition) { picture.change(composition) }

  /// Sets what is asked of live video, limited to what the processor can do.
  /// - Parameters:
  ///   - asked: `nil` to keep what was asked for before.
  ///   - emit: receives the last frames of the earlier format.
  func follow(
    _ asked: EncodingPlan?, now: MediaTime, emit: (EncodedFrame) -> Void
  ) -> LiveEncoder.FormatChange {
    let format = encoder.follow(asked)
    // A new encoder begins with the new rate.
    if format != encoder.format { return replaceEncoder(format, now: now, emit: emit) }
    followFrameRate()
    return .none
  }

  /// Applies an adjustment from the next frame of live video on.
  func adjust(
    _ adjustment: VideoPipeline.Adjustment, now: MediaTime, emit: (EncodedFrame) -> Void
  ) -> LiveEncoder.FormatChange {
    encoder.adjust(adjustment)
    picture.change(adjustment.look)
    return follow(nil, now: now, emit: emit)
  }

  /// If the encoder has rejected a format, tries it again, at most once a second.
  func retryFormat(now: MediaTime, emit: (EncodedFrame) -> Void) -> LiveEncoder.FormatChange {
    guard let format = encoder.formatToRetry(now) else { return .none }
    return replaceEncoder(format, now: now, emit: emit)
  }

  /// Changes the format of live video, whose next frame is then a keyframe. If the encoder rejects the format, nothing
  /// changes.
  /// - Parameter emit: receives the last frames of the earlier format.
  func replaceEncoder(
    _ format: VideoFormat, now: MediaTime, emit: (EncodedFrame) -> Void
  ) -> LiveEncoder.FormatChange {
    let change = encoder.replace(format, isShown: !isStill, now: now, emit: emit)
    guard change == .changed else { return change }
    picture.change(encoder.format)
    followFrameRate()
    return change
  }

  /// Passes bit rate, frame step and effort for the next frame of live video to the encoder, in one change. Does
  /// nothing during a still.
  /// - Parameters:
  ///   - time: the timestamp of the frame.
  ///   - key: whether a sink needs a keyframe.
  ///   - waiting: nanoseconds for which the frame has waited in its queue.
  ///   - preparing: nanoseconds of elapsed time that decoding, placing and composing the frame took.
  ///   - clockShare: see `Studio.clockShare`.
  func applyRate(
    time: MediaTime, key: Bool, waiting: Int64, preparing: Int64, clockShare: Double,
    now: MediaTime
  ) {
    guard !isStill else { return }
    encoder.chooseEffort(clockShare: clockShare, now: now) {
      let (isNew, isCut) = picture.takeNews()
      return SpeedGovernor.FrameStart(
        interval: .nanoseconds(clock.interval), waiting: .nanoseconds(waiting),
        preparing: .nanoseconds(preparing), isKeyframe: key || isKeyframeDue(at: time),
        isCut: isCut, isRepeat: !isNew)
    }
    followFrameRate()
    encoder.applyRate()
  }

  /// Tells the governor how long a frame of live video took to encode.
  /// - Returns: whether `processorPlan` has changed. The change takes effect with `follow`.
  func learn(_ work: SpeedGovernor.FrameWork, now: MediaTime) -> Bool {
    !isStill && encoder.learn(work, now: now)
  }

  /// The newest change that the encoder refused or did not make, if it has not been returned before. Each of the
  /// encoder's settings is returned once.
  func takeRefusal() -> EncoderError? { encoder.takeRefusal() }
}
