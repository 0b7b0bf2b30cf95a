// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CDrawing
internal import Media
internal import Video

/// Thrown if there is not enough memory for a drawing.
struct DrawingError: Error {}

/// An image in memory to draw on, initially transparent.
@safe struct Drawing: ~Copyable {
  /// The size in pixels.
  let size: PictureSize
  /// The image, in the form that the functions of CDrawing take.
  private let drawing: OpaquePointer

  /// - Parameter size: the size in pixels, at most 32,767 × 32,767.
  init(_ size: PictureSize) throws(DrawingError) {
    guard let drawing = unsafe onair_drawing_new(Int32(size.width), Int32(size.height)) else {
      throw DrawingError()
    }
    unsafe self.drawing = drawing
    self.size = size
  }

  deinit { unsafe onair_drawing_free(drawing) }

  /// Scales an image to the whole drawing, and draws it turned and mirrored as its metadata says.
  func draw(_ image: ImagePixels) {
    unsafe image.withPixels { pixels in
      unsafe onair_drawing_image(
        drawing, pixels, Int32(image.size.width), Int32(image.size.height),
        Int32(image.rotation.quarters), image.mirror ? 1 : 0)
    }
  }

  /// Scales pixels to the whole drawing, and draws them: rows of blue, green, red and alpha, premultiplied.
  func draw(_ pixels: UnsafePointer<UInt8>, _ size: PictureSize) {
    unsafe onair_drawing_image(drawing, pixels, Int32(size.width), Int32(size.height), 0, 0)
  }

  /// Draws a text in the upper left corner of the drawing.
  /// - Parameter left: the number of pixel columns of the text that are cut off at its left edge.
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

  /// The drawing as planes that can be blended onto a picture with the colour description `colour`.
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
  /// The rotation as a number of clockwise quarter turns: 0 to 3.
  var quarters: Int { rawValue / 90 }
}
