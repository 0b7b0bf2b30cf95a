// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media

/// Keeps the last frame of a source, covered by the source's privacy mask, converted to the programme's colour, placed
/// and filtered.
///
/// The pane owns the memory of the picture that it shows. A frame that needs neither conversion nor mask nor filter is
/// itself kept instead of a copy. Used by one thread.
@safe final class Pane {
  /// Converts frames to 4:2:0 planes.
  private let converter = PixelConverter()
  /// The settings of the mask and the filters that `mask` and `chain` currently apply.
  private var filters: SourceFilters
  /// Draws the source's privacy mask.
  private let mask: MaskPainter
  /// Converts frames to the colour description of the layout.
  private var colours = ColourConverter()
  /// Rotates, crops and scales frames to the layout.
  private var placer: Placer
  /// Applies the filters to placed frames.
  private let chain: FilterChain
  /// The planes of the last frame, covered and converted but not yet placed. They are in the memory of `held` or
  /// `copy`, or in a buffer of `converter`, `mask` or `colours`.
  private var source: PlanarPicture?
  /// When the last frame was captured.
  private var capturedAt = MediaTime.distantPast
  /// The colour description of `source`.
  private var sourceColour = Colour.bt709
  /// The last frame itself, if it needed neither a conversion nor a mask; `nil` otherwise.
  private var held: Frame?
  /// A copy of the last frame. It is made when the frame is released to its source, or when the mask changes; `nil` if
  /// there is none.
  private var copy: PlaneBuffer?
  /// The last frame, as it is shown; `nil` without a frame.
  @unsafe private(set) var picture: PlanarPicture?
  /// The colour description that the last frame had when it came, before its conversion; `nil` without a frame.
  private(set) var frameColour: Colour?

  /// - Parameter filters: the mask and the filters of the source whose frames the pane keeps.
  init(_ layout: Layout, _ filters: SourceFilters) {
    placer = Placer(layout)
    self.filters = filters
    mask = MaskPainter(filters.mask)
    chain = FilterChain(filters.steps)
  }

  /// The layout by which frames are placed now.
  var layout: Layout { placer.layout }

  /// Covers, converts, places and filters a frame, and keeps it as the last frame. If the frame cannot be decoded, the
  /// earlier last frame stays.
  func take(_ frame: consuming Frame) throws(PictureError) {
    let colour = frame.format.colour
    let covered = unsafe mask.cover(try converter.convert(frame), colour: colour)
    let isForeign = ColourConverter.isNeeded(from: colour, to: layout.colour)
    unsafe source =
      isForeign
      ? colours.convert(covered, from: colour, to: layout.colour) : covered
    (sourceColour, frameColour) = (isForeign ? layout.colour : colour, colour)
    capturedAt = frame.capturedAt
    place()
    // A frame that was converted or copied returns to its source at once.
    let isUntouched = PixelConverter.passesThrough(frame.format) && mask.isIdle && !isForeign
    held = isUntouched ? consume frame : nil
    copy = nil
  }

  /// Whether a frame can be decoded. The frame is not kept; the last frame stays.
  func canRead(_ frame: borrowing Frame) -> Bool {
    (try? converter.check(frame)) != nil
  }

  /// Discards the last frame.
  func forget() {
    // Without a last frame, the filters are not reset: while no new frame arrives, `forget` is called again and again.
    guard unsafe source != nil else { return }
    unsafe source = nil
    unsafe picture = nil
    frameColour = nil
    held = nil
    copy = nil
    chain.reset()
  }

  /// Applies another mask and other filters to the last frame and to all following frames. On the last frame, the
  /// regions of an earlier mask stay covered.
  func change(_ filters: SourceFilters) {
    guard filters != self.filters else { return }
    let isMaskNew = filters.mask != self.filters.mask
    self.filters = filters
    chain.change(filters.steps)
    if isMaskNew {
      mask.change(filters.mask)
      chain.reset()
    }
    guard let source = unsafe source else { return }
    if isMaskNew, !filters.mask.isEmpty {
      let copy = unsafe PlaneBuffer(copying: source)
      mask.cover(copy, colour: sourceColour)
      self.copy = copy
      unsafe self.source = copy.picture
      held = nil
    }
    place()
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

  /// Places the last frame and all following frames by another layout.
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

  /// Places and filters the last frame.
  private func place() {
    guard let source = unsafe source else { return }
    let placed = unsafe placer.place(source)
    unsafe picture =
      chain.isEmpty
      ? placed.picture : chain.filter(placed, colour: sourceColour, capturedAt: capturedAt)
  }

  /// A black picture of the layout's size.
  @unsafe func black() -> PlanarPicture { unsafe placer.black() }
}
