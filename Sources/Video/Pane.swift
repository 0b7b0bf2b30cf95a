// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media

/// Keeps the last frame of a source, converted to the programme's colour, and placed.
///
/// It owns the memory of the picture that it shows. A frame that needs no conversion is itself kept instead of a copy.
/// Used by one thread.
@safe final class Pane {
  private let converter = PixelConverter()
  private var colours = ColourConverter()
  private var placer: Placer
  /// The last frame, converted but not yet placed. It points into `held`, or else into a converter's buffer or `copy`.
  private var source: PlanarPicture?
  /// The colour description of `source`.
  private var sourceColour = Colour.bt709
  /// The last frame itself, if it needed no conversion.
  private var held: Frame?
  /// The copy of the last frame that `releaseFrame` has made; `nil` if there is none.
  private var copy: PlaneBuffer?
  /// The last frame, converted and placed; `nil` without a frame.
  @unsafe private(set) var picture: PlanarPicture?
  /// The colour description that the last frame had when it came, before its conversion; `nil` without a frame.
  private(set) var frameColour: Colour?

  init(_ layout: Layout) { placer = Placer(layout) }

  var layout: Layout { placer.layout }

  /// Converts and places a frame, which becomes the last frame. If it cannot be decoded, the earlier one stays.
  func take(_ frame: consuming Frame) throws(PictureError) {
    let colour = frame.format.colour
    let converted = try unsafe converter.convert(frame)
    let isForeign = ColourConverter.isNeeded(from: colour, to: layout.colour)
    unsafe source =
      isForeign
      ? colours.convert(converted, from: colour, to: layout.colour) : converted
    (sourceColour, frameColour) = (isForeign ? layout.colour : colour, colour)
    place()
    // A frame that was converted returns to its source at once.
    held = PixelConverter.passes(frame.format) && !isForeign ? consume frame : nil
    copy = nil
  }

  /// Whether a frame can be decoded. The frame is not shown; the last frame stays.
  func canRead(_ frame: borrowing Frame) -> Bool {
    (try? converter.check(frame)) != nil
  }

  /// Discards the last frame.
  func forget() {
    unsafe source = nil
    unsafe picture = nil
    frameColour = nil
    held = nil
    copy = nil
  }

  /// Returns the memory of the last frame to its source, and keeps a copy of the frame.
  func releaseFrame() {
    guard held != nil, let source = unsafe source else { return }
    let copy = unsafe PlaneBuffer(copying: source)
    self.copy = copy
    unsafe self.source = copy.picture
    place()
    held = nil
  }

  /// Places the last frame and all following ones as another layout says.
  func change(_ layout: Layout) {
    guard layout != placer.layout else { return }
    placer = Placer(layout)
    guard let present = unsafe source else { return }
    guard ColourConverter.isNeeded(from: sourceColour, to: layout.colour) else { return place() }
    // `source` may point into the buffer of the present converter, so another converter is used.
    let colours = ColourConverter()
    unsafe source = colours.convert(present, from: sourceColour, to: layout.colour)
    (self.colours, sourceColour) = (colours, layout.colour)
    held = nil
    copy = nil
    place()
  }

  private func place() {
    guard let source = unsafe source else { return }
    unsafe picture = placer.place(source)
  }

  /// A black picture of the layout's size.
  @unsafe func black() -> PlanarPicture { unsafe placer.black() }
}
