// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Media
internal import Synchronization

/// Whether frames of a further video source may be shown. All layer sources that show this source share it, also those
/// that are in no composition any more.
public final class SourceVisibility: Sendable {
  private let hidden = Atomic(false)

  public init() {}

  public var isHidden: Bool { hidden.load(ordering: .relaxed) }

  /// Shows nothing from the next picture on, whatever composition is used, or shows frames again.
  public func hide(_ isHidden: Bool) { hidden.store(isHidden, ordering: .relaxed) }
}

/// A layer source that shows the newest frame of a further video source, such as a second camera. It shows nothing on
/// stills.
@safe public final class FrameLayerSource: LayerSource, @unchecked Sendable {
  /// The age at which the last frame is no longer shown, in nanoseconds: an old frame must not pass for live video.
  public static let patience = Int64.seconds(2)

  /// The queue into which the further video source puts its frames.
  public let frames: FrameQueue
  /// The rotation that shows the frames upright.
  private let rotation: Rotation
  /// Whether the frames are mirrored left to right, after the rotation.
  private let mirror: Bool
  /// What is cut off from the frames as they are shown.
  private let crop: Crop
  /// The mask and the filters of the further video source.
  private let filters: SourceFilters
  private let visibility: SourceVisibility
  /// The last frame, converted and placed. Used only by the thread that composes the picture.
  private var pane: Pane?
  /// The capture time of the last frame that could be decoded.
  private var capturedAt = MediaTime.distantPast

  /// - Parameter filters: the mask and the filters of the further video source.
  public init(
    frames: FrameQueue, rotation: Rotation = .none, mirror: Bool = false, crop: Crop = .none,
    filters: SourceFilters, visibility: SourceVisibility = SourceVisibility()
  ) {
    (self.frames, self.rotation, self.mirror, self.crop) = (frames, rotation, mirror, crop)
    (self.filters, self.visibility) = (filters, visibility)
  }

  public var isHidden: Bool { visibility.isHidden }

  /// The newest frame, converted and placed; `nil` if it is older than `patience`, or was captured before `since`, or
  /// while the layer is hidden.
  @unsafe public func picture(
    _ target: LayerTarget, at time: MediaTime, since: MediaTime
  ) -> LayerPicture? {
    let look = VideoLook(rotation: rotation, mirror: mirror, fit: target.fit, crop: crop)
    let layout = Layout(size: target.size, look, colour: target.colour, hasBars: false)
    let pane = self.pane ?? Pane(layout, filters)
    self.pane = pane
    pane.change(layout)
    var newest: Frame?
    while let frame = frames.takeNow() { newest = consume frame }
    // Empty frames, which only show that the source is alive, cannot be read.
    if let frame = newest.take() {
      let time = frame.capturedAt
      if (try? pane.take(frame)) != nil { capturedAt = time }
    }
    if capturedAt < since || time - capturedAt > FrameLayerSource.patience
      || isHidden
    {
      pane.forget()
    }
    return unsafe pane.picture.map { unsafe LayerPicture($0) }
  }
}
