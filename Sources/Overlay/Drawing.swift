// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CDrawing
internal import Media
internal import Video

/// Why an overlay could not be drawn: there is no memory for it.
struct DrawingError: Error {}

/// Pixels to draw on, at first transparent.
@safe struct Drawing: ~Copyable {
  let size: PictureSize
  private let drawing: OpaquePointer

  /// - Parameter size: in pixels, up to 32,767 a side.
  init(_ size: PictureSize) throws(DrawingError) {
    guard let drawing = unsafe onair_drawing_new(Int32(size.width), Int32(size.height)) else {
      throw DrawingError()
    }
    unsafe self.drawing = drawing
    self.size = size
  }

  deinit { unsafe onair_drawing_free(drawing) }

  /// Draws an image upright over the whole drawing.
  func draw(_ image: ImagePixels) {
    unsafe image.withPixels { pixels in
      unsafe onair_drawing_image(
        drawing, pixels, Int32(image.size.width), Int32(image.size.height),
        Int32(image.rotation.quarters), image.mirror ? 1 : 0)
    }
  }

  /// Draws pixels over the whole drawing: rows of blue, green, red and alpha, premultiplied.
  func draw(_ pixels: UnsafePointer<UInt8>, _ size: PictureSize) {
    unsafe onair_drawing_image(drawing, pixels, Int32(size.width), Int32(size.height), 0, 0)
  }

  /// Draws a text in the upper left corner of the drawing.
  /// - Parameter left: how many columns of pixels to skip at the left edge of the text.
  func draw(_ text: borrowing TextLayout, left: Int = 0) {
    unsafe onair_drawing_text(drawing, text.layout, Int32(left))
  }

  /// Fills the whole drawing with one colour.
  func fill(_ colour: OverlayColour) {
    let alpha = UInt32(colour.alpha)
    let pixel = [colour.blue, colour.green, colour.red].map {
      UInt8((UInt32($0) * alpha + 127) / 255)
    }
    unsafe draw(pixel + [colour.alpha], PictureSize(width: 1, height: 1))
  }

  /// What was drawn, converted for a picture of the colour description `colour`.
  func planes(
    _ colour: Colour, _ alignment: LayerAlignment
  ) -> BlendPlanes {
    var stride: Int32 = 0
    let pixels = unsafe onair_drawing_pixels(drawing, &stride)
    return unsafe BlendPlanes(
      bgra: UnsafeRawBufferPointer(start: pixels, count: Int(stride) * size.height),
      bytesPerRow: Int(stride), size: size, colour: colour,
      alignment: alignment)
  }
}

extension Rotation {
  /// The number of clockwise turns by 90 degrees that the rotation consists of.
  var quarters: Int { rawValue / 90 }
}
