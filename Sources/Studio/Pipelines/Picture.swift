// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media
internal import Video

/// The picture of live video: what is composed of the last frame, and for how long that frame may be shown. Used by one
/// thread.
final class Picture {
  private let composer: VideoComposer
  private var look: VideoLook
  private var size: PictureSize
  /// Whether the last frame has not been encoded yet.
  private var isNew = false
  private var lastArrival: MediaTime
  /// Nanoseconds between the last two frames.
  private var spacing: Int64 = 0

  /// How long the last frame is repeated before black replaces it: an old frame must not pass for live video. A
  /// source with a low frame rate gets longer.
  private var patience: Int64 { max(.milliseconds(500), min(.seconds(2), spacing * 5 / 2)) }

  init(_ plan: VideoPlan, now: MediaTime) {
    (size, look) = (plan.format.size, plan.adjustment.look)
    composer = VideoComposer(Layout(size: size, look))
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

  func change(_ size: PictureSize) {
    self.size = size
    composer.change(Layout(size: size, look))
  }

  func change(_ look: VideoLook) {
    self.look = look
    composer.change(Layout(size: size, look))
  }

  /// - Returns: planes that are valid until the next call of any other method.
  @unsafe func compose(at time: MediaTime, colour: Colour) -> PlanarPicture {
    unsafe composer.compose(at: time, colour: colour)
  }

  /// Whether the last frame is new since the last call, and shows another scene.
  func takeNews() -> (isNew: Bool, isCut: Bool) {
    defer { isNew = false }
    return (isNew, isNew && composer.isCut())
  }
}
