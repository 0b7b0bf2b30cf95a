// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Encode
internal import Media
internal import RateControl

/// The encoder of live video. Keeps its format and rate, remembers which format and settings the encoder has refused,
/// and chooses the effort for each frame with the speed governor. Used by one thread.
final class LiveEncoder {
  /// The minimum time, in nanoseconds, before a rejected format is tried again.
  private static let retryNanos = Int64.seconds(1)
  /// An encoder counts as failed if it emits no packet for more than this many frames and more than this many
  /// nanoseconds. A working encoder never holds so many frames.
  private static let maxUnanswered = (frames: 30, nanos: Int64.seconds(2))

  /// The outcome of a change of the format.
  enum FormatChange: Equatable {
    /// The encoder is the same as before.
    case none
    /// A new encoder was opened: the frames that follow have another header.
    case changed
    /// The encoder does not accept this format, and the earlier format stays. Returned only once for each format.
    case rejected(VideoFormat)
  }

  /// Opens video encoders.
  private let encoders: EncoderFactory
  /// The open encoder; `nil` while none is open, as during a still, to save memory.
  private var encoder: (any VideoEncoder)?
  /// The header (format and parameter sets) of the frames that are being emitted.
  private(set) var header: VideoHeader
  /// The format in which live video is encoded, or will be encoded after the still that is shown.
  private(set) var format: VideoFormat
  /// The format in which live video was last encoded: the format to go back to if the encoder rejects `format`.
  private var encodedFormat: VideoFormat
  /// A format that the encoder rejected, and when it was last tried; `nil` for none.
  private(set) var rejected: (format: VideoFormat, at: MediaTime)?
  /// Keeps the changes of settings that the encoder has refused, until they are reported.
  private var refused = RefusedChanges()
  /// The bit rate, frame step (2 if every second frame is encoded) and effort for the next frame. `applyRate` passes
  /// them to the encoder.
  private(set) var rate: VideoRate
  /// The plan with which the pipeline started, updated with later changes of keyframe interval, speed and adjustment.
  private var plan: VideoPlan
  /// The requested encoding, before it is reduced to what the processor can do.
  private var asked: EncodingPlan
  /// Chooses the effort of each frame; `nil` at a fixed speed.
  private var governor: SpeedGovernor?
  /// The time of this encoder's last keyframe; `nil` before the first keyframe, and after a failure to encode a frame.
  private var lastKeyAt: MediaTime?
  /// The tag of the last keyframe that was requested of the encoder; `nil` once the encoder has emitted that keyframe.
  private var pendingKeyframe: FrameTag?
  /// The number of frames that were passed to the encoder since it last emitted a packet, and the time of the first of
  /// these frames.
  private var unanswered = (frames: 0, since: MediaTime.distantPast)

  init(_ plan: VideoPlan, encoders: EncoderFactory) throws(EncoderError) {
    self.plan = plan
    self.encoders = encoders
    let encoder = try encoders.video(plan.format)
    self.encoder = encoder
    header = encoder.header
    format = plan.format
    encodedFormat = plan.format
    rate = VideoRate(bitrateKbps: plan.format.bitrateKbps)
    asked = EncodingPlan(plan)
    governor = plan.governor
  }

  // MARK: Frames

  /// Encodes one frame.
  /// - Parameters:
  ///   - isDue: whether to encode the frame as a keyframe.
  ///   - introduced: whether a stream may begin with this frame, because a sink asked for a keyframe.
  ///   - emit: receives the packets that are ready, which may be those of earlier frames.
  @unsafe func encode(
    _ picture: PlanarPicture, _ tag: FrameTag, key isDue: Bool, introduced: Bool,
    emit: (EncodedFrame) -> Void
  ) throws(EncoderError) {
    guard let encoder else { throw .notOpened }
    if isDue { (lastKeyAt, pendingKeyframe) = (tag.time, tag) }
    if unanswered.frames == 0 { unanswered.since = tag.time }
    unanswered.frames += 1
    do throws(EncoderError) {
      try unsafe encoder.encode(picture, tag, key: isDue, introduced: introduced) { frame in
        unanswered.frames = 0
        if let due = pendingKeyframe, frame.tag.time >= due.time { pendingKeyframe = nil }
        emit(frame)
      }
    } catch {
      // The next frame has to be a keyframe, because the encoder may refer to the frame that was not sent.
      (lastKeyAt, pendingKeyframe) = (nil, nil)
      throw error
    }
    let limit = LiveEncoder.maxUnanswered
    if unanswered.frames > limit.frames, tag.time - unanswered.since > limit.nanos { throw .silent }
  }

  /// Whether the frame at this time has to be a keyframe because the keyframe interval is over, even if no sink needs
  /// one.
  /// - Parameter interval: nanoseconds from frame to frame.
  func isKeyframeDue(at time: MediaTime, interval: Int64) -> Bool {
    guard let lastKeyAt else { return true }
    // A keyframe may come half a frame early; otherwise it would come up to a whole frame late.
    return time > lastKeyAt + plan.gopNanos - interval / 2
  }

  /// Whether the encoder still holds a requested keyframe of this scene. Another request would not produce a keyframe
  /// sooner.
  func awaitsKeyframe(of scene: UInt32) -> Bool { pendingKeyframe?.scene == scene }

  /// Opens an encoder if none is open, as after `discardHeldFrames`.
  func openIfNeeded() throws(EncoderError) {
    if encoder == nil { try open(format) { _ in } }
  }

  /// Emits the frames that the encoder holds, and closes the encoder.
  func finish(emit: (EncodedFrame) -> Void) {
    // If encoding fails, the frames that the encoder holds are lost.
    try? encoder?.finish(emit: emit)
    close()
  }

  /// Closes an encoder that holds frames, which discards them, so that sinks that join later do not get these old
  /// frames.
  func discardHeldFrames() {
    if encoder?.holdsFrames ?? false { close() }
  }

  /// Closes the encoder. The frames that it holds are lost.
  func close() {
    encoder = nil
    (lastKeyAt, pendingKeyframe) = (nil, nil)
    unanswered.frames = 0
  }

  // MARK: The format

  /// Opens an encoder again after a still. If the format was changed during the still and the encoder rejects the new
  /// format, the format from before the still is used, and the rejected format is tried again later.
  func reopen(now: MediaTime) throws(EncoderError) -> FormatChange {
    do throws(EncoderError) {
      try open(format) { _ in }
      return .changed
    } catch {
      guard encodedFormat != format else { throw error }
      let (before, impossible) = (rejected?.format, format)
      try open(encodedFormat) { _ in }
      rejected = (impossible, now)
      format = encodedFormat
      return before == impossible ? .changed : .rejected(impossible)
    }
  }

  /// Changes the format. The next frame is a keyframe. If the encoder rejects the format, the earlier format stays, and
  /// another attempt is possible after one second.
  /// - Parameters:
  ///   - isShown: whether live video is shown. During a still no encoder is opened; `reopen` opens one after the still.
  ///   - emit: receives the last frames of the earlier format.
  func replace(
    _ format: VideoFormat, isShown: Bool, now: MediaTime, emit: (EncodedFrame) -> Void
  ) -> FormatChange {
    let before = rejected
    if let before, before.format == format, now - before.at < LiveEncoder.retryNanos {
      return .none
    }
    do throws(EncoderError) {
      if isShown { try open(format, emit: emit) }
      self.format = format
      rejected = nil
      return .changed
    } catch {
      rejected = (format, now)
      return before?.format == format ? .none : .rejected(format)
    }
  }

  /// The rejected format, if it may be tried again now; `nil` otherwise.
  func formatToRetry(_ now: MediaTime) -> VideoFormat? {
    guard let rejected, now - rejected.at >= LiveEncoder.retryNanos else { return nil }
    return rejected.format
  }

  /// Opens an encoder at the present rate, and closes the earlier one.
  /// - Parameter emit: receives the frames that the earlier encoder holds, before `header` changes.
  private func open(_ format: VideoFormat, emit: (EncodedFrame) -> Void) throws(EncoderError) {
    var present = format
    present.bitrateKbps = rate.bitrateKbps
    let encoder = try encoders.video(present)
    refused = RefusedChanges()
    if encoder.rate != rate { try encoder.change(rate) }
    finish(emit: emit)
    self.encoder = encoder
    encodedFormat = format
    header = encoder.header
  }

  // MARK: Rate and effort

  /// Applies two parameters of an adjustment: the processor time that encoding may use, and whether the frame size may
  /// be reduced.
  func adjust(_ adjustment: VideoPipeline.Adjustment) {
    plan.adjustment = adjustment
    governor?.limits = plan.governorLimits(asked)
  }

  /// Sets the requested encoding, reduced to what the processor can do. The caller then has to call `applyRate` and, if
  /// the format differs, `replace`.
  /// - Parameter asked: the requested encoding; `nil` to keep the present request.
  /// - Returns: the format that live video needs.
  func follow(_ asked: EncodingPlan? = nil) -> VideoFormat {
    let asked = asked ?? self.asked
    self.asked = asked
    plan.gopNanos = asked.gopNanos
    plan.format.speed = asked.speed
    governor = asked.speed == nil ? governor ?? plan.governor : nil
    governor?.limits = plan.governorLimits(asked)
    let possible = asked.within(processorPlan)
    (rate.bitrateKbps, rate.frameStep) = (possible.videoKbps, possible.frameStep)
    var needed = format
    needed.size = possible.size
    needed.speed = possible.speed
    needed.framesPerSecond = possible.framesPerSecond
    if needed == format { rejected = nil }
    return needed
  }

  /// The requested video bit rate, in kbit/s.
  var askedKbps: Int { asked.videoKbps }
  /// The limits of frame rate and size within which this processor can encode in time.
  var processorPlan: ProcessorPlan { governor?.plan ?? .unlimited }
  /// The level of the speed governor, 0 to `SpeedLadder.top`; `nil` at a fixed speed.
  var level: Double? { governor?.level }

  /// Chooses the encoder's effort for the next frame.
  /// - Parameters:
  ///   - clockShare: the processor's expected clock frequency as a share of the present one (`Studio.clockShare`).
  ///   - frame: returns a description of the frame. Called only at an automatic speed.
  func chooseEffort(
    clockShare: Double, now: MediaTime, _ frame: () -> SpeedGovernor.FrameStart
  ) {
    guard governor != nil else {
      rate.effort = nil
      return
    }
    governor?.expect(clockShare: clockShare)
    let rung = governor?.next(frame(), at: .nanoseconds(now.nanos))
    rate.effort = rung.map { SpeedLadder.efforts[$0] }
  }

  /// Passes the encoding time of a frame to the speed governor.
  /// - Returns: whether `processorPlan` has changed.
  func learn(_ work: SpeedGovernor.FrameWork, now: MediaTime) -> Bool {
    governor?.note(work, at: .nanoseconds(now.nanos)) ?? false
  }

  /// Passes `rate` (bit rate, frame step and effort) to the encoder, if the encoder has another rate.
  func applyRate() {
    guard let encoder, encoder.rate != rate else { return }
    do throws(EncoderError) {
      try encoder.change(rate)
    } catch {
      refused.note(error)
    }
  }

  /// Takes the newest change of a setting that the encoder refused or did not apply. Each setting is returned only
  /// once; `nil` if there is no new refusal.
  func takeRefusal() -> EncoderError? {
    if let refusal = encoder?.takeRefusal() { refused.note(refusal) }
    return refused.take()
  }
}
