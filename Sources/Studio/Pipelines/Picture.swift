// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Encode
internal import Media
internal import Video

/// The picture of live video: the source's last frame with the layers drawn on it. Decides for how long that frame may
/// be shown. Used by one thread.
final class Picture {
  /// Places the source's frame and draws the layers on it.
  private let composer: VideoComposer
  /// The size and colour of the picture, and how frames are placed on it.
  private var layout: Layout
  /// Whether a frame has arrived since the last call of `takeFrameChange`.
  private var isNew = false
  /// When the last frame arrived.
  private var lastArrival: MediaTime
  /// Nanoseconds between the arrivals of the last two frames.
  private var spacingNanos: Int64 = 0

  /// The age in nanoseconds at which the last frame is replaced by black: an old frame must not pass for live video.
  /// Higher for a source with a low frame rate.
  private var maxAgeNanos: Int64 { max(.milliseconds(500), min(.seconds(2), spacingNanos * 5 / 2)) }

  init(_ plan: VideoPlan, now: MediaTime) {
    layout = Layout(size: plan.format.size, plan.adjustment.look, colour: plan.format.colour)
    composer = VideoComposer(layout, plan.composition)
    lastArrival = now
  }

  /// Decodes a frame and makes it the last frame. Throws if the frame cannot be decoded; the earlier frame then stays.
  func take(_ frame: consuming Frame, now: MediaTime) throws(PictureError) {
    try composer.take(frame)
    spacingNanos = now - lastArrival
    lastArrival = now
    isNew = true
  }

  /// Whether a frame can be decoded. Does not make it the last frame.
  func canRead(_ frame: borrowing Frame) -> Bool { composer.canRead(frame) }

  /// The brightness of a part of the present frame, 0 to 1; `nil` without one.
  func meanLuma(in area: LumaArea) -> Double? { composer.meanLuma(in: area) }

  /// Whether there is a last frame. Without one, `compose` draws on black.
  var hasFrame: Bool { composer.hasPicture }

  /// Whether the source is a part of the picture. It is not while guests alone are shown, or a still takes its place beside
  /// them.
  var showsSource: Bool { composer.showsCamera }

  /// Whether there is a last frame that is not too old to be shown.
  func isCurrent(_ now: MediaTime) -> Bool {
    composer.hasPicture && now - lastArrival <= maxAgeNanos
  }

  /// Discards the last frame. Until another frame arrives, `compose` draws on black.
  func forget() { composer.forget() }

  /// Discards the last frame if it is too old to be shown.
  func forgetOld(_ now: MediaTime) {
    if composer.hasPicture, now - lastArrival > maxAgeNanos { forget() }
  }

  /// Returns the memory of the last frame to its source, and keeps a copy of the frame.
  func releaseSource() { composer.releaseFrame() }

  /// The colour matrix and range in which the source delivered the last frame; `nil` without a frame.
  var frameColour: Colour? { composer.frameColour }

  /// Gives the picture the size, the colour matrix and the range of `format`.
  func change(_ format: VideoFormat) {
    (layout.size, layout.colour) = (format.size, format.colour)
    composer.change(layout)
  }

  /// Changes how the source's frames are rotated, mirrored and fitted.
  func change(_ look: VideoLook) {
    layout.look = look
    composer.change(layout)
  }

  /// Changes the layers that are drawn and the filters that are applied.
  func change(_ composition: Composition) { composer.change(composition) }

  /// Draws the layers on the last frame, or on black if there is none.
  /// - Parameter since: layers must not show anything that was captured before this time.
  /// - Returns: the composed picture. Its planes are valid until the next call of any method except `takeFrameChange`.
  @unsafe func compose(at time: MediaTime, since: MediaTime) -> PlanarPicture {
    unsafe composer.compose(at: time, since: since)
  }

  /// Returns whether a frame has arrived since the previous call, and whether this frame is a scene change (its content
  /// differs from that of the frame before).
  func takeFrameChange() -> (isNew: Bool, isCut: Bool) {
    defer { isNew = false }
    return (isNew, isNew && composer.isCut())
  }
}
