// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media

/// The last frame of a source: converted, in the programme's colour, and placed.
///
/// It owns the memory of what it shows. A frame that fits as it is gets held instead of copied. Used by one thread.
@safe final class Pane {
  private let converter = PixelConverter()
  private var colours = ColourConverter()
  private var placer: Placer
  /// The last frame, converted, and its colour. It points into `held`, or else into a converter's buffer or `copy`.
  private var source: PlanarPicture?
  private var sourceColour = Colour.bt709
  private var held: Frame?
  /// A copy of the last frame, if its source needed its memory.
  private var copy: PlaneBuffer?
  /// The last frame, placed.
  @unsafe private(set) var picture: PlanarPicture?
  /// The colour in which the last frame came; `nil` without a frame.
  private(set) var frameColour: Colour?

  init(_ layout: Layout) { placer = Placer(layout) }

  var layout: Layout { placer.layout }

  /// Takes a frame. If it cannot be decoded, the last one stays.
  func take(_ frame: consuming Frame) throws(PictureError) {
    let colour = frame.format.colour
    let converted = try unsafe converter.convert(frame)
    let isForeign = ColourConverter.isNeeded(from: colour, to: layout.colour)
    unsafe source =
      isForeign
      ? colours.convert(converted, from: colour, to: layout.colour) : converted
    (sourceColour, frameColour) = (isForeign ? layout.colour : colour, colour)
    place()
    // A frame that was copied returns to its source at once.
    held = PixelConverter.passes(frame.format) && !isForeign ? consume frame : nil
    copy = nil
  }

  /// Whether a frame that is not shown can be decoded.
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

  /// Returns the last frame to its source and keeps a copy of it.
  func releaseFrame() {
    guard held != nil, let source = unsafe source else { return }
    let copy = unsafe PlaneBuffer(copying: source)
    self.copy = copy
    unsafe self.source = copy.picture
    place()
    held = nil
  }

  /// Places this and the following frames in another way.
  func change(_ layout: Layout) {
    guard layout != placer.layout else { return }
    placer = Placer(layout)
    guard let present = unsafe source else { return }
    guard ColourConverter.isNeeded(from: sourceColour, to: layout.colour) else { return place() }
    // The present planes may be those of the converter.
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
