// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Encode
internal import Media
internal import RateControl

/// The encoder of live video: its format, its rate, what it has refused, and the effort that a governor chooses for each
/// frame. Used by one thread.
final class LiveEncoder {
  /// The pause before a format that was rejected is tried again.
  private static let retryPause = Int64.seconds(1)
  /// An encoder that has been given more frames than this, for longer than this, without one packet in return has failed.
  /// One that works holds fewer.
  private static let maxUnanswered = (frames: 30, nanos: Int64.seconds(2))

  /// What came of a change of the format.
  enum FormatChange: Equatable {
    case none
    /// The frames that follow have another header.
    case changed
    /// The encoder does not take this format, and the one before stays. Told once for each format.
    case rejected(VideoFormat)
  }

  private let encoders: EncoderFactory
  /// `nil` while a still is shown, to free its memory.
  private var encoder: (any VideoEncoder)?
  /// The header of the frames that are emitted.
  private(set) var header: VideoHeader
  private(set) var format: VideoFormat
  /// The last format that live video was encoded in.
  private var encodedFormat: VideoFormat
  /// A format that the encoder rejected, and when it was last tried.
  private(set) var rejected: (format: VideoFormat, at: MediaTime)?
  private var refused = RefusedChanges()
  /// `applyRate` makes the encoder follow it.
  private(set) var rate: VideoRate
  private var plan: VideoPlan
  /// What is asked for, before the limits of the processor.
  private var asked: EncodingPlan
  /// Chooses the effort of each frame; `nil` at a fixed speed.
  private var governor: SpeedGovernor?
  /// The last keyframe of this encoder; `nil` before the first.
  private var lastKeyAt: MediaTime?
  /// The keyframe that the encoder was asked for last, until its packet comes.
  private var dueKeyframe: FrameTag?
  /// How many frames the encoder was given since its last packet, and the time of the first of them.
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
  ///   - isDue: whether it becomes a keyframe.
  ///   - introduced: whether a stream may begin with it, because a sink asked for it.
  ///   - emit: receives what is ready, which may be earlier frames.
  @unsafe func encode(
    _ picture: PlanarPicture, _ tag: FrameTag, key isDue: Bool, introduced: Bool,
    emit: (EncodedFrame) -> Void
  ) throws(EncoderError) {
    guard let encoder else { throw .notOpened }
    if isDue { (lastKeyAt, dueKeyframe) = (tag.time, tag) }
    if unanswered.frames == 0 { unanswered.since = tag.time }
    unanswered.frames += 1
    do throws(EncoderError) {
      try unsafe encoder.encode(picture, tag, key: isDue, introduced: introduced) { frame in
        unanswered.frames = 0
        if let due = dueKeyframe, frame.tag.time >= due.time { dueKeyframe = nil }
        emit(frame)
      }
    } catch {
      // The encoder may refer to the frame that was not sent.
      (lastKeyAt, dueKeyframe) = (nil, nil)
      throw error
    }
    let limit = LiveEncoder.maxUnanswered
    if unanswered.frames > limit.frames, tag.time - unanswered.since > limit.nanos { throw .silent }
  }

  /// Whether the frame of this time is a keyframe even if no sink needs one.
  /// - Parameter interval: nanoseconds from frame to frame.
  func isKeyframeDue(at time: MediaTime, interval: Int64) -> Bool {
    guard let lastKeyAt else { return true }
    // Up to half a frame early, so that it is not a whole frame late.
    return time > lastKeyAt + plan.gopNanos - interval / 2
  }

  /// Whether the encoder holds a keyframe of a scene. Another one would come later.
  func awaitsKeyframe(of scene: UInt32) -> Bool { dueKeyframe?.scene == scene }

  /// Opens an encoder, if there is none, as after `discardHeldFrames`.
  func openIfNeeded() throws(EncoderError) {
    if encoder == nil { try open(format) { _ in } }
  }

  /// Emits the frames that the encoder holds, and closes it.
  func finish(emit: (EncodedFrame) -> Void) {
    // Frames that cannot be encoded any more are lost.
    try? encoder?.finish(emit: emit)
    close()
  }

  /// Discards the frames that the encoder holds, if there are any, and closes it: sinks that come later must not begin
  /// with them.
  func discardHeldFrames() {
    if encoder?.holdsFrames ?? false { close() }
  }

  /// Discards the frames that the encoder holds.
  func close() {
    encoder = nil
    (lastKeyAt, dueKeyframe) = (nil, nil)
    unanswered.frames = 0
  }

  // MARK: The format

  /// Opens an encoder of the format after a still. One that was set meanwhile and cannot be encoded is left for the one
  /// before, and is tried again later.
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

  /// Changes the format. The next frame is a keyframe. A format that the encoder rejects is tried again once a second.
  /// - Parameters:
  ///   - isShown: `false` while a still is: `reopen` then opens the encoder.
  ///   - emit: receives the last frames of the format before.
  func replace(
    _ format: VideoFormat, isShown: Bool, now: MediaTime, emit: (EncodedFrame) -> Void
  ) -> FormatChange {
    let before = rejected
    if let before, before.format == format, now - before.at < LiveEncoder.retryPause {
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

  /// The format that was rejected, once it is to be tried again.
  func formatToRetry(_ now: MediaTime) -> VideoFormat? {
    guard let rejected, now - rejected.at >= LiveEncoder.retryPause else { return nil }
    return rejected.format
  }

  /// Opens an encoder at the present rate.
  /// - Parameter emit: receives the frames that the one before holds. They need its header.
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

  /// Follows another share of the processor.
  func adjust(_ adjustment: VideoPipeline.Adjustment) {
    plan.adjustment = adjustment
    governor?.limits = plan.governorLimits(asked)
  }

  /// Follows what is asked for, as far as the processor allows. `applyRate` and `replace` make the encoder follow it.
  /// - Parameter asked: `nil` if it is as before.
  /// - Returns: the format that is needed.
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

  /// kbit/s that are asked for.
  var askedKbps: Int { asked.videoKbps }
  /// What the processor's limits reduce frame rate and size to.
  var processorPlan: ProcessorPlan { governor?.plan ?? .unlimited }
  /// Of the speed governor; `nil` at a fixed speed.
  var level: Double? { governor?.level }

  /// Chooses the effort of the next frame.
  /// - Parameters:
  ///   - clockShare: the share of its clock that the processor will probably have.
  ///   - frame: computed only if there is a governor.
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

  /// Lets the governor learn from a frame.
  /// - Returns: whether `processorPlan` has changed.
  func learn(_ work: SpeedGovernor.FrameWork, now: MediaTime) -> Bool {
    governor?.note(work, at: .nanoseconds(now.nanos)) ?? false
  }

  /// Applies the rate to the encoder, if it does not have it yet.
  func applyRate() {
    guard let encoder, encoder.rate != rate else { return }
    do throws(EncoderError) {
      try encoder.change(rate)
    } catch {
      refused.note(error)
    }
  }

  /// What the encoder refused, or kept as it was; once for each of its settings.
  func takeRefusal() -> EncoderError? {
    if let refusal = encoder?.takeRefusal() { refused.note(refusal) }
    return refused.take()
  }
}
