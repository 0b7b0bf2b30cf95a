// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Media

/// Why a frame could not be rendered.
public enum PictureError: Error, Equatable {
  /// The JPEG is truncated or damaged, or is not Y'CbCr.
  case brokenJPEG
  /// The frame is smaller than 2x2, or has fewer bytes than its format needs.
  case malformed
}

/// Something that is drawn on each frame of the broadcast. Used by one thread.
public protocol Overlay: AnyObject {
  /// - Parameters:
  ///   - planes: of the frame.
  ///   - size: of the frame, in pixels.
  ///   - time: the frame's timestamp.
  @unsafe func draw(on planes: MutablePlanes, size: PictureSize, at time: MediaTime)
}

/// The steps of the video pipeline before the encoder: convert, place, overlay.
///
/// It keeps the last frame that it took, converted and placed but without overlays: the base. Each frame that is
/// encoded, a repeat included, is composed anew from the base, so that overlays can change over a frozen source. It owns
/// the memory of the base; a frame that fits as it is gets held instead of copied. Used by one thread.
@safe public final class VideoComposer {
  private let converter = PixelConverter()
  private var placer: Placer
  private let overlays: [any Overlay]
  /// The last frame, converted. It points into `held`, or else into the converter's buffer.
  private var source: PlanarPicture?
  private var held: Frame?
  /// The last frame, converted and placed.
  private var base: PlanarPicture?
  private var isFullRange = false
  /// A copy of the last frame, if its source needed its memory.
  private var copy: PlaneBuffer?
  /// Where the overlays are drawn.
  private var composed: PlaneBuffer?
  private var cuts = CutDetector()

  /// - Parameter overlays: in the order in which they are drawn.
  public init(_ layout: Layout, overlays: [any Overlay] = []) {
    placer = Placer(layout)
    self.overlays = overlays
  }

  /// Whether there is a base. Without one, `compose` gives black.
  public var hasPicture: Bool { unsafe base != nil }

  /// Makes a frame the base. If it cannot be decoded, the base stays.
  public func take(_ frame: consuming Frame) throws(PictureError) {
    let picture = try unsafe converter.convert(frame)
    isFullRange = frame.format.colour.fullRange
    unsafe source = picture
    unsafe base = placer.place(picture, fullRange: isFullRange)
    // A frame that was copied returns to its source at once.
    held = PixelConverter.passes(frame.format) ? consume frame : nil
    copy = nil
  }

  /// Whether a frame that is not shown can be decoded.
  public func canRead(_ frame: borrowing Frame) -> Bool {
    (try? converter.check(frame)) != nil
  }

  /// Whether the base shows another scene than at the last call.
  public func isCut() -> Bool {
    guard let base = unsafe base else { return false }
    return unsafe cuts.isCut(base)
  }

  /// Discards the base.
  public func forget() {
    unsafe source = nil
    unsafe base = nil
    held = nil
    copy = nil
    cuts = CutDetector()
  }

  /// Returns the last frame to its source and keeps a copy of it.
  public func releaseFrame() {
    guard held != nil, let source = unsafe source else { return }
    let copy = unsafe PlaneBuffer(copying: source)
    self.copy = copy
    unsafe self.source = copy.picture
    unsafe base = placer.place(copy.picture, fullRange: isFullRange)
    held = nil
  }

  /// Places this and the following frames in another way.
  public func change(_ layout: Layout) {
    guard layout != placer.layout else { return }
    placer = Placer(layout)
    composed = nil
    if let source = unsafe source {
      unsafe base = placer.place(source, fullRange: isFullRange)
    }
  }

  /// Draws the overlays on the base. The base's colour description stays valid.
  /// - Parameters:
  ///   - time: the timestamp of the frame that is encoded.
  ///   - colour: for black.
  /// - Returns: planes that are valid until the next call of any method.
  @unsafe public func compose(at time: MediaTime, colour: Colour) -> PlanarPicture {
    let clean = unsafe base ?? placer.black(fullRange: colour.fullRange)
    guard !overlays.isEmpty else { return unsafe clean }
    let buffer = composed ?? PlaneBuffer(size: placer.layout.size)
    composed = buffer
    unsafe buffer.copy(clean)
    for overlay in overlays {
      unsafe overlay.draw(on: buffer.planes(), size: buffer.size, at: time)
    }
    return unsafe buffer.picture
  }
}
