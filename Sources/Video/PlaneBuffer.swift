// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import CYUV
public import Media

/// A buffer for the planes of one 4:2:0 frame.
@safe public final class PlaneBuffer {
  /// The size of the frame in pixels.
  public let size: PictureSize
  /// The planes of Y, Cb and Cr, one after another.
  private let memory: UnsafeMutablePointer<UInt8>
  /// The bytes from one row of Y to the next.
  private let yStride: Int
  /// The bytes from one row of Cb or Cr to the next.
  private let chromaStride: Int
  /// The offset of the Cb plane in `memory`, in bytes. The luma plane before it has an even number of rows, because
  /// JPEG decoding writes whole blocks.
  private let cbOffset: Int

  /// Allocates a buffer. Its content is undefined.
  /// - Parameter size: in pixels.
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

  /// Makes a copy of a picture.
  @unsafe public convenience init(copying picture: PlanarPicture) {
    unsafe self.init(size: picture.size)
    unsafe copy(picture)
  }

  deinit { unsafe memory.deallocate() }

  /// The planes for writing, from column `x` and row `top` on, which must be even.
  func planes(x: Int = 0, top: Int = 0) -> MutablePlanes {
    let chroma = top / 2 * chromaStride + x / 2
    let cb = unsafe memory + cbOffset
    let cr = unsafe cb + chromaStride * ((size.height + 1) / 2)
    return unsafe MutablePlanes(
      y: memory + top * yStride + x, cb: cb + chroma, cr: cr + chroma, yStride: Int32(yStride),
      chromaStride: Int32(chromaStride))
  }

  /// The planes for reading. Valid while the buffer lives.
  @unsafe public var picture: PlanarPicture {
    let planes = unsafe planes()
    return unsafe PlanarPicture(
      y: planes.y, cb: planes.cb, cr: planes.cr, yStride: yStride, chromaStride: chromaStride,
      size: size)
  }

  /// Copies a picture into the buffer.
  /// - Parameter picture: must have the size of the buffer.
  @unsafe func copy(_ picture: PlanarPicture) {
    let out = unsafe planes()
    unsafe I420Copy(
      picture.y, Int32(picture.yStride), picture.cb, Int32(picture.chromaStride), picture.cr,
      Int32(picture.chromaStride), out.y, out.yStride, out.cb, out.chromaStride, out.cr,
      out.chromaStride, Int32(size.width), Int32(size.height))
  }

  /// Fills the buffer with black.
  /// - Parameter fullRange: whether luma has full range: the luma of black is 0 in full range, 16 in limited range.
  func blacken(fullRange: Bool) { fill(SIMD3(fullRange ? 0 : 16, 128, 128)) }

  /// Fills the buffer with a colour: its samples of Y', Cb and Cr.
  func fill(_ samples: SIMD3<UInt8>) {
    let planes = unsafe planes()
    unsafe I420Rect(
      planes.y, planes.yStride, planes.cb, planes.chromaStride, planes.cr, planes.chromaStride, 0,
      0, Int32(size.width), Int32(size.height), Int32(samples.x), Int32(samples.y),
      Int32(samples.z))
  }
}

/// Pointers to the planes of a `PlaneBuffer`, for writing.
@unsafe public struct MutablePlanes {
  /// The first sample of Y.
  public var y: UnsafeMutablePointer<UInt8>
  /// The first sample of Cb.
  public var cb: UnsafeMutablePointer<UInt8>
  /// The first sample of Cr.
  public var cr: UnsafeMutablePointer<UInt8>
  /// The bytes from one row of Y to the next.
  public var yStride: Int32
  /// The bytes from one row of Cb or Cr to the next.
  public var chromaStride: Int32
}
