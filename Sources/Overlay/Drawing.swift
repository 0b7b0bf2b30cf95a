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

  /// Draws an image over all of it, upright.
  func draw(_ image: ImagePixels) {
    unsafe image.withPixels { pixels in
      unsafe onair_drawing_image(
        drawing, pixels, Int32(image.size.width), Int32(image.size.height),
        Int32(image.rotation.quarters), image.mirror ? 1 : 0)
    }
  }

  /// Draws a text in its upper left corner.
  func draw(_ text: borrowing TextLayout) { unsafe onair_drawing_text(drawing, text.layout) }

  /// What was drawn, for a picture of that colour.
  func planes(_ colour: Colour) -> BlendPlanes {
    var stride: Int32 = 0
    let pixels = unsafe onair_drawing_pixels(drawing, &stride)
    return unsafe BlendPlanes(
      bgra: UnsafeRawBufferPointer(start: pixels, count: Int(stride) * size.height),
      bytesPerRow: Int(stride), size: size, colour: colour)
  }
}

extension Rotation {
  /// How often it turns by 90 degrees clockwise.
  var quarters: Int { rawValue / 90 }
}
