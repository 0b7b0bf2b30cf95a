// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Encode
internal import Media
internal import Picture

/// What the video thread has in hand: the picture that is on, the encoder that it goes through, and
/// the clock that says when. Used by one thread.
@safe final class Showing {
  /// How long the source may be silent before black is shown: an old picture must not pass for the
  /// present. The longer for a source of few pictures a second.
  private var patience: Int64 { max(.milliseconds(500), min(.seconds(2), spacing * 5 / 2)) }
  /// Nanoseconds between the last two frames.
  private var spacing: Int64 = 0
  /// How long the first frame of all is waited for before the broadcast begins with black.
  static let startPatience: Int64 = .seconds(1)

  private let plan: VideoPlan
  /// For the source's pictures; `nil` while a still is on, which has the memory then.
  private var encoder: X264Encoder?
  /// What the source's pictures are encoded as.
  private(set) var moving: VideoFormat
  private var still: StillPlayer?
  /// What the link leaves for the source's pictures.
  private var rate: VideoRate
  private var stage: PictureStage
  private var clock: FrameClock
  /// The frame in which `picture` may lie, kept for as long as it may be shown again.
  private var held: Frame?
  private var picture: PlanarPicture?
  /// The format of the frame that `picture` was made of.
  private var shown: FrameFormat?
  /// The clock as it was before the frame in hand was stamped.
  private var before: FrameClock
  private var lastArrival: MediaTime
  private var nextKeyAt = MediaTime.distantPast
  /// What could not be encoded, and when that was last tried.
  var refused: (format: VideoFormat, at: MediaTime)?

  init(plan: VideoPlan, now: MediaTime) throws(EncoderError) {
    self.plan = plan
    let encoder = try X264Encoder(plan.format)
    self.encoder = encoder
    header = encoder.header
    moving = plan.format
    rate = VideoRate(bitrateKbps: plan.format.bitrateKbps)
    stage = PictureStage(
      size: plan.format.size, rotation: plan.rotation, mirror: plan.mirror, fit: plan.fit)
    clock = FrameClock(
      framesPerSecond: plan.format.framesPerSecond, firstDeadline: now + Showing.startPatience)
    before = clock
    lastArrival = now
  }

  /// Of the pictures that come next.
  private(set) var header: VideoHeader
  /// Whether a still is on, and not the source.
  var isStill: Bool { still != nil }
  /// When the picture is to be shown again if no frame comes.
  var deadline: MediaTime { clock.deadline }

  /// Until when the last picture lasts.
  var picturesEnd: MediaTime? { clock.end }

  /// The time that a frame is to be sent with; `nil` when it is one too many.
  func stamp(_ frame: borrowing Frame, now: MediaTime) -> MediaTime? {
    before = clock
    return clock.stamp(capturedAt: frame.capturedAt, now: now)
  }

  /// The time to show the last picture again with, or black when it is too old.
  func stampRepeat(now: MediaTime) -> MediaTime {
    if !isStill, now - lastArrival > patience { forget() }
    return clock.stampRepeat(now: now)
  }

  /// The time to show what has just been put on with.
  func stampCut(now: MediaTime) -> MediaTime {
    clock.stampCut(framesPerSecond: header.framesPerSecond, now: now)
  }

  /// The time to show the present picture once more with, for a destination that has just begun; `nil`
  /// when there is none, or only an old one.
  func stampAgain(now: MediaTime) -> MediaTime? {
    guard unsafe isStill || picture != nil && now - lastArrival <= patience else { return nil }
    // A still has no frames to come that would bring it back to the present.
    return isStill ? stampCut(now: now) : clock.stampAgain()
  }

  /// Puts a frame on. One that cannot be read is as if it had never come: the last picture is shown
  /// again when its time is up, and black when there are no more good ones.
  func take(_ frame: consuming Frame, now: MediaTime) throws(PictureError) {
    do {
      unsafe picture = try unsafe stage.render(frame)
    } catch {
      clock = before
      // Of another size: what the last picture lay in may be gone.
      if shown != frame.format { unsafe picture = nil }
      throw error
    }
    shown = frame.format
    held = consume frame
    spacing = now - lastArrival
    lastArrival = now
  }

  /// Whether a frame that is not to be shown could be; the last one cannot be shown again after that.
  func canRead(_ frame: borrowing Frame) -> Bool {
    forget()
    return unsafe (try? stage.render(frame)) != nil
  }

  /// Has no picture of the source to show again.
  func forget() {
    held = nil
    unsafe picture = nil
  }

  /// Encodes the picture that is on.
  func encode(
    time: MediaTime, key: Bool, emit: (Packet) -> Void
  ) throws(EncoderError) {
    if still == nil, encoder == nil { _ = try open(moving) }
    // Half a picture early rather than half a picture late.
    let isDue = key || time > nextKeyAt - clock.interval / 2 || still?.isOver ?? false
    if isDue { nextKeyAt = time + (still?.still.gopNanos ?? plan.gopNanos) }
    guard let encoder else {
      try still?.next(time: time, key: isDue, emit: emit)
      return
    }
    let shown = unsafe picture ?? stage.renderBlack(encoder.format.colour)
    // A key picture that is asked for is one that a stream begins with.
    try unsafe encoder.encode(shown, time: time, key: isDue, introduced: key, emit: emit)
  }

  /// Puts a still on in place of what is on; the next picture is its keyframe. When it fails, what is on stays, and
  /// begins anew.
  func show(_ still: Still) throws(EncoderError) {
    self.encoder = nil
    nextKeyAt = .distantPast
    let player = try StillPlayer(still)
    header = player.header
    self.still = player
    forget()
  }

  /// Goes back to the source, of which a frame has come; the next picture is a keyframe.
  func endStill() throws(EncoderError) {
    _ = try open(moving)
    still = nil
    clock.change(framesPerSecond: framesPerSecond)
    before = clock
  }

  /// Another size, rate or kind of the source's pictures; the next one is a keyframe. When it fails, all
  /// stays as it was.
  func replaceEncoder(_ format: VideoFormat) throws(EncoderError) {
    // A still stays as it is: what is new is for the pictures after it.
    if !isStill { _ = try open(format) }
    if format.size != moving.size {
      stage = PictureStage(
        size: format.size, rotation: plan.rotation, mirror: plan.mirror, fit: plan.fit)
      unsafe picture = nil
      before = clock
      if let frame = held.take() { try? take(frame, now: lastArrival) }
    }
    moving = format
  }

  /// Goes on with what the link leaves; a still stays as it is.
  func follow(_ rate: VideoRate) throws(EncoderError) {
    let before = self.rate
    self.rate = rate
    guard let encoder else { return }
    try encoder.change(bitrateKbps: rate.bitrateKbps, frameStep: rate.frameStep)
    if rate.frameStep != before.frameStep { clock.change(framesPerSecond: framesPerSecond) }
  }

  /// Pictures a second that the link leaves.
  private var framesPerSecond: Int { max(1, moving.framesPerSecond / rate.frameStep) }

  /// Makes an encoder for the source's pictures, at the rate that the link leaves, and takes it.
  private func open(_ format: VideoFormat) throws(EncoderError) -> X264Encoder {
    let encoder = try X264Encoder(format)
    if rate.bitrateKbps != format.bitrateKbps || rate.frameStep != 1 {
      try encoder.change(bitrateKbps: rate.bitrateKbps, frameStep: rate.frameStep)
    }
    self.encoder = encoder
    header = encoder.header
    nextKeyAt = .distantPast
    return encoder
  }
}
