// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Encode
internal import Media
internal import RateControl
internal import Video

/// The video that viewers see: live video or a still. One frame clock gives the timestamps of both. Used by one thread.
final class Programme {
  /// How many nanoseconds to wait for the source's first frame. If none has come, the stream begins with black frames.
  static let firstFrameTimeoutNanos: Int64 = .seconds(1)

  /// Composes the frames of live video.
  private let picture: Picture
  /// Encodes live video.
  private let encoder: LiveEncoder
  /// Pads packets to probe the link.
  private let filler = FrameFiller()
  /// Plays the still that is shown; `nil` while live video is shown.
  private var still: StillPlayer?
  /// Whether only sound follows the still's first keyframe.
  private var isSoundOnly = false
  /// Gives each frame its timestamp.
  private var clock: FrameClock
  /// The state of the frame clock before the last call of `stamp`, to be restored if the stamped frame cannot be
  /// decoded.
  private var clockBeforeStamp: FrameClock
  /// Whether the colour matrix and range of live video are not fixed yet, so that the next frame decides them
  /// (`decideColour`).
  private var colourIsOpen = true

  init(
    plan: VideoPlan, now: MediaTime, encoders: EncoderFactory = .libraries
  ) throws(EncoderError) {
    encoder = try LiveEncoder(plan, encoders: encoders)
    picture = Picture(plan, now: now)
    clock = FrameClock(
      framesPerSecond: plan.format.framesPerSecond,
      firstDeadline: now + Programme.firstFrameTimeoutNanos)
    clockBeforeStamp = clock
  }

  /// The header (format and parameter sets) of the frames that `encode` emits from now on.
  var header: VideoHeader {
    var header = still?.header ?? encoder.header
    header.isSoundOnly = isSoundOnly
    return header
  }
  /// Whether a still is shown instead of live video.
  var isStill: Bool { still != nil }
  /// The format of live video.
  var liveFormat: VideoFormat { encoder.format }
  /// The requested bit rate of live video, in kbit/s.
  var askedKbps: Int { encoder.askedKbps }
  /// The limits of frame rate and size within which this processor can encode live video in time.
  var processorPlan: ProcessorPlan { encoder.processorPlan }
  /// The level of the speed governor, 0 to `SpeedLadder.top`; `nil` at a fixed speed.
  var level: Double? { encoder.level }

  // MARK: Times

  /// The time at which the last frame is repeated if no new frame has arrived by then.
  var deadline: MediaTime { clock.deadline }

  /// When the last frame ends, on the stream's timeline; `nil` before the first frame.
  var videoEnd: MediaTime? { clock.end }

  /// The timestamp for a new frame; `nil` if the frame is surplus, because the source is faster than the set rate.
  func stamp(_ frame: borrowing Frame, now: MediaTime) -> MediaTime? {
    clockBeforeStamp = clock
    return clock.stamp(capturedAt: frame.capturedAt, now: now)
  }

  /// The timestamp for a repeat of the last frame. If that frame is too old, it is discarded, and the repeat is black.
  func stampRepeat(now: MediaTime) -> MediaTime {
    if !isStill { picture.forgetOld(now) }
    return clock.stampRepeat(now: now)
  }

  /// The timestamp for the first frame of a still.
  func stampCut(now: MediaTime) -> MediaTime {
    clock.stampCut(framesPerSecond: header.framesPerSecond, now: now)
  }

  /// The timestamp for sending the current frame again, for a sink that has just joined; `nil` if there is no frame, or
  /// if the frame is too old to be shown.
  func stampAgain(now: MediaTime) -> MediaTime? {
    guard isStill || picture.isCurrent(now) else { return nil }
    // Live video keeps its capture times. A still has no capture times: its next frame is due one interval from now.
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

  /// Makes `frame` the current frame. A frame that cannot be decoded is ignored: the earlier frame is repeated at its
  /// deadline, and replaced by black when it is too old.
  /// - Throws: if the frame cannot be decoded.
  func take(_ frame: consuming Frame, now: MediaTime) throws(PictureError) {
    do {
      try picture.take(frame, now: now)
    } catch {
      clock = clockBeforeStamp
      throw error
    }
  }

  /// The brightness of a part of the present frame, 0 to 1; `nil` without one.
  func meanLuma(in area: LumaArea) -> Double? { picture.meanLuma(in: area) }

  /// Whether there is a last frame of live video. Without one, black is sent.
  var hasFrame: Bool { picture.hasFrame }

  /// Whether the source is a part of the picture of live video.
  var showsSource: Bool { picture.showsSource }

  /// Whether a frame can be decoded. Does not make it the current frame.
  func canRead(_ frame: borrowing Frame) -> Bool { picture.canRead(frame) }

  /// Discards the last frame of live video. Until another frame arrives, repeats are black.
  func forget() { picture.forget() }

  /// Returns the memory of the last frame to its source, and keeps a copy of the frame.
  func releaseSource() { picture.releaseSource() }

  /// Composes the picture of live video that `encode` takes.
  /// - Parameter since: layers must not show anything that was captured before this time.
  /// - Returns: the composed picture, whose planes are valid until `take`, `forget` or a change; `nil` while a still is
  ///   shown.
  @unsafe func compose(at time: MediaTime, since: MediaTime = .distantPast) -> PlanarPicture? {
    guard still == nil else { return nil }
    return unsafe picture.compose(at: time, since: since)
  }

  /// Encodes a frame of live video, or the next frame of the still.
  /// - Parameters:
  ///   - composed: the result of `compose` for the same time.
  ///   - key: whether a sink needs a keyframe.
  ///   - emit: receives the packets that are ready, which may be those of earlier frames and scenes.
  /// - Returns: whether the frame becomes a keyframe.
  @discardableResult @unsafe func encode(
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

  /// Pads a packet to a minimum size with bytes that decoders skip, and emits it (`FrameFiller.fill`).
  /// - Returns: the number of padding bytes.
  func fill(_ packet: Packet, to leastBytes: Int, emit: (Packet) -> Void) -> Int {
    filler.fill(packet, to: leastBytes, emit: emit)
  }

  /// Whether the frame at this time has to be a keyframe even if no sink needs one.
  private func isKeyframeDue(at time: MediaTime) -> Bool {
    still?.isKeyframeDue(at: time, interval: clock.interval)
      ?? encoder.isKeyframeDue(at: time, interval: clock.interval)
  }

  /// Whether the encoder still holds a requested keyframe of this scene. Another request would not produce a keyframe
  /// sooner.
  func awaitsKeyframe(of scene: UInt32) -> Bool { encoder.awaitsKeyframe(of: scene) }

  /// Emits the frames that the encoder of live video holds, and closes that encoder.
  func finish(emit: (EncodedFrame) -> Void) { encoder.finish(emit: emit) }

  /// Discards the frames that the encoder of live video holds, so that sinks that join later do not get these old
  /// frames.
  func discardHeldFrames() { encoder.discardHeldFrames() }

  // MARK: Stills

  /// Shows a still at once: its first frame is a keyframe, and frames that the encoder of live video holds are
  /// discarded. If this throws, the earlier still or live video stays, and live video continues with a keyframe.
  /// - Parameter isSoundOnly: whether only sound follows the still's first keyframe.
  func show(_ still: Still, isSoundOnly: Bool = false) throws(EncoderError) {
    encoder.close()
    self.still = try StillPlayer(still)
    self.isSoundOnly = isSoundOnly
    forget()
  }

  /// Ends the still and goes back to live video. The next frame is a keyframe.
  /// - Parameter frame: the colour of the first frame of live video after the still.
  func endStill(
    for frame: Colour, now: MediaTime
  ) throws(EncoderError) -> LiveEncoder.FormatChange {
    // This sets the colour only, since no encoder is open during a still. `reopen` opens an encoder in this colour.
    _ = decideColour(by: frame, now: now) { _ in }
    let change = try encoder.reopen(now: now)
    picture.change(encoder.format)
    still = nil
    isSoundOnly = false
    followFrameRate()
    clockBeforeStamp = clock
    return change
  }

  // MARK: The colour

  // The first frame that is shown in a broadcast fixes the broadcast's colour (matrix and range). Later frames of
  // another colour are converted, so that viewers' players need not restart when another camera is plugged in. Before
  // the first frame, live video is black, in BT.709 with limited range. If the first frame has another colour, a new
  // header is sent; until that frame, viewers have seen only black. A still does not affect the colour of live video,
  // because a still has its own encoder and parameter sets.

  /// Lets the next frame decide the colour (matrix and range) of live video again. To be called when a broadcast
  /// begins, because the present colour may come from a frame that only the preview has shown.
  func reopenColour() { colourIsOpen = true }

  /// Changes live video to the colour (matrix and range) of a new frame, unless the colour is fixed already.
  func decideColour(
    by frame: Colour, now: MediaTime, emit: (EncodedFrame) -> Void
  ) -> LiveEncoder.FormatChange {
    guard colourIsOpen, frame != encoder.format.colour else { return .none }
    var format = encoder.format
    format.colour = frame
    return replaceEncoder(format, now: now, emit: emit)
  }

  /// Fixes the colour (matrix and range) of live video to that of the last frame, which is about to be encoded.
  func fixColour(now: MediaTime, emit: (EncodedFrame) -> Void) -> LiveEncoder.FormatChange {
    guard colourIsOpen, !isStill, let colour = picture.frameColour else { return .none }
    defer { colourIsOpen = false }
    return decideColour(by: colour, now: now, emit: emit)
  }

  // MARK: Changes

  /// Applies another composition (layers and filters) from the next frame of live video on.
  func compose(_ composition: Composition) { picture.change(composition) }

  /// Sets the requested encoding of live video, reduced to what the processor can do.
  /// - Parameters:
  ///   - asked: the requested encoding; `nil` to keep the present request.
  ///   - emit: receives the last frames of the earlier format.
  func follow(
    _ asked: EncodingPlan?, now: MediaTime, emit: (EncodedFrame) -> Void
  ) -> LiveEncoder.FormatChange {
    let format = encoder.follow(asked)
    // If the format differs, a new encoder is opened, which begins with the new bit rate.
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

  /// Tries a format again that the encoder has rejected, at most once a second.
  func retryFormat(now: MediaTime, emit: (EncodedFrame) -> Void) -> LiveEncoder.FormatChange {
    guard let format = encoder.formatToRetry(now) else { return .none }
    return replaceEncoder(format, now: now, emit: emit)
  }

  /// Opens an encoder for another format of live video; the next frame is then a keyframe. If the encoder rejects the
  /// format, the present encoder stays.
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

  /// Chooses the encoder's effort for the next frame of live video, and passes effort, bit rate and frame step (2 if
  /// every second frame is encoded) to the encoder in one change. Does nothing during a still.
  /// - Parameters:
  ///   - time: the timestamp of the frame.
  ///   - key: whether a sink needs a keyframe.
  ///   - waiting: nanoseconds for which the frame has waited in its queue.
  ///   - preparing: nanoseconds of elapsed time for decoding, placing and composing the frame.
  ///   - clockShare: the processor's expected clock frequency as a share of the present one (`Studio.clockShare`).
  func applyRate(
    time: MediaTime, key: Bool, waiting: Int64, preparing: Int64, clockShare: Double,
    now: MediaTime
  ) {
    guard !isStill else { return }
    encoder.chooseEffort(clockShare: clockShare, now: now) {
      let (isNew, isCut) = picture.takeFrameChange()
      return SpeedGovernor.FrameStart(
        interval: .nanoseconds(clock.interval), waiting: .nanoseconds(waiting),
        preparing: .nanoseconds(preparing), isKeyframe: key || isKeyframeDue(at: time),
        isCut: isCut, isRepeat: !isNew)
    }
    followFrameRate()
    encoder.applyRate()
  }

  /// Passes the encoding time of a frame of live video to the speed governor.
  /// - Returns: whether `processorPlan` has changed. The change takes effect with `follow`.
  func learn(_ work: SpeedGovernor.FrameWork, now: MediaTime) -> Bool {
    !isStill && encoder.learn(work, now: now)
  }

  /// Takes the newest change of a setting that the encoder refused or did not apply. Each setting is returned only
  /// once; `nil` if there is no new refusal.
  func takeRefusal() -> EncoderError? { encoder.takeRefusal() }
}
