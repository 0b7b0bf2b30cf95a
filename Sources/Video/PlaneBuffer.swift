// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CYUV
internal import Media

/// A buffer for one 4:2:0 frame.
@safe final class PlaneBuffer {
  let size: PictureSize
  private let memory: UnsafeMutablePointer<UInt8>
  private let yStride: Int
  private let chromaStride: Int
  /// Where the Cb plane starts. Luma has an even number of rows, because JPEG decoding writes whole blocks.
  private let cbOffset: Int

  init(size: PictureSize) {
    self.size = size
    // Rows start on cache lines, which suits the vector code of libyuv and x264.
    yStride = (size.width + 63) & ~63
    chromaStride = ((size.width + 1) / 2 + 63) & ~63
    let rows = (size.height + 1) & ~1
    cbOffset = yStride * rows
    let bytes = cbOffset + chromaStride * rows
    let raw = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 64)
    unsafe memory = raw.bindMemory(to: UInt8.self, capacity: bytes)
  }

  deinit { unsafe memory.deallocate() }

  /// The planes for writing, starting at an even `x` and `top`.
  func planes(x: Int = 0, top: Int = 0) -> MutablePlanes {
    let chroma = top / 2 * chromaStride + x / 2
    let cb = unsafe memory + cbOffset
    let cr = unsafe cb + chromaStride * ((size.height + 1) / 2)
    return unsafe MutablePlanes(
      y: memory + top * yStride + x, cb: cb + chroma, cr: cr + chroma, yStride: Int32(yStride),
      chromaStride: Int32(chromaStride))
  }

  var picture: PlanarPicture {
    let planes = unsafe planes()
    return unsafe PlanarPicture(
      y: planes.y, cb: planes.cb, cr: planes.cr, yStride: yStride, chromaStride: chromaStride,
      size: size)
  }

  /// Fills the buffer with black.
  func blacken(fullRange: Bool) {
    let planes = unsafe planes()
    unsafe I420Rect(
      planes.y, planes.yStride, planes.cb, planes.chromaStride, planes.cr, planes.chromaStride, 0,
      0, Int32(size.width), Int32(size.height), fullRange ? 0 : 16, 128, 128)
  }
}

/// The planes of a `PlaneBuffer` as a destination for libyuv.
@unsafe struct MutablePlanes {
  var y: UnsafeMutablePointer<UInt8>
  var cb: UnsafeMutablePointer<UInt8>
  var cr: UnsafeMutablePointer<UInt8>
  var yStride: Int32
  var chromaStride: Int32
}
