// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Encode
internal import Media
internal import Video

/// The picture of live video: what is composed of the last frame, and for how long that frame may be shown. Used by one
/// thread.
final class Picture {
  private let composer: VideoComposer
  private var layout: Layout
  /// Whether the last frame has not been encoded yet.
  private var isNew = false
  private var lastArrival: MediaTime
  /// Nanoseconds between the last two frames.
  private var spacing: Int64 = 0

  /// How long the last frame is repeated before black replaces it: an old frame must not pass for live video. A
  /// source with a low frame rate gets longer.
  private var patience: Int64 { max(.milliseconds(500), min(.seconds(2), spacing * 5 / 2)) }

  init(_ plan: VideoPlan, now: MediaTime) {
    layout = Layout(size: plan.format.size, plan.adjustment.look, colour: plan.format.colour)
    composer = VideoComposer(layout, plan.composition)
    lastArrival = now
  }

  /// Makes a frame the current one. If it cannot be decoded, the last one stays.
  func take(_ frame: consuming Frame, now: MediaTime) throws(PictureError) {
    try composer.take(frame)
    spacing = now - lastArrival
    lastArrival = now
    isNew = true
  }

  /// Whether a frame that is not shown can be decoded.
  func canRead(_ frame: borrowing Frame) -> Bool { composer.canRead(frame) }

  /// Whether there is a frame that is not too old to be shown.
  func isCurrent(_ now: MediaTime) -> Bool {
    composer.hasPicture && now - lastArrival <= patience
  }

  /// Discards the last frame. A repeat shows black.
  func forget() { composer.forget() }

  /// Discards the last frame if it is too old.
  func forgetOld(_ now: MediaTime) {
    if now - lastArrival > patience { forget() }
  }

  /// Lets the source have back the memory of the last frame, which is kept as a copy.
  func releaseSource() { composer.releaseFrame() }

  /// Matrix and range in which the source delivered the last frame; `nil` without a frame.
  var frameColour: Colour? { composer.frameColour }

  /// Has the size and the colour of a format from now on.
  func change(_ format: VideoFormat) {
    (layout.size, layout.colour) = (format.size, format.colour)
    composer.change(layout)
  }

  func change(_ look: VideoLook) {
    layout.look = look
    composer.change(layout)
  }

  func change(_ composition: Composition) { composer.change(composition) }

  /// - Parameter since: layers must not show what was captured before this.
  /// - Returns: planes that are valid until the next call of any other method but `takeNews`.
  @unsafe func compose(at time: MediaTime, since: MediaTime) -> PlanarPicture {
    unsafe composer.compose(at: time, since: since)
  }

  /// Whether the last frame is new since the last call, and shows another scene.
  func takeNews() -> (isNew: Bool, isCut: Bool) {
    defer { isNew = false }
    return (isNew, isNew && composer.isCut())
  }
}
