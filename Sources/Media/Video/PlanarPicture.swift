// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// Pointers to the three planes of a 4:2:0 frame, as the encoder reads them.
///
/// The pointers are valid until the frame or canvas that they point into is released or overwritten.
@unsafe public struct PlanarPicture {
  /// The start of the Y plane.
  public var y: UnsafePointer<UInt8>
  /// The start of the Cb plane.
  public var cb: UnsafePointer<UInt8>
  /// The start of the Cr plane.
  public var cr: UnsafePointer<UInt8>
  /// Bytes from one row of the Y plane to the next.
  public var yStride: Int
  /// Bytes from one row of a chroma plane to the next.
  public var chromaStride: Int
  /// Size in pixels. A chroma plane has half the width and half the height, rounded up.
  public var size: PictureSize

  public init(
    y: UnsafePointer<UInt8>, cb: UnsafePointer<UInt8>, cr: UnsafePointer<UInt8>, yStride: Int,
    chromaStride: Int, size: PictureSize
  ) {
    unsafe self.y = unsafe y
    unsafe self.cb = unsafe cb
    unsafe self.cr = unsafe cr
    unsafe self.yStride = yStride
    unsafe self.chromaStride = chromaStride
    unsafe self.size = size
  }

  /// The planes of an `i420` frame.
  public init(i420 bytes: UnsafePointer<UInt8>, bytesPerRow: Int, size: PictureSize) {
    let chromaStride = (bytesPerRow + 1) / 2
    let cb = unsafe bytes + bytesPerRow * size.height
    unsafe self.init(
      y: bytes, cb: cb, cr: cb + chromaStride * ((size.height + 1) / 2), yStride: bytesPerRow,
      chromaStride: chromaStride, size: size)
  }

  /// The area of `size` pixels whose upper left corner is at `x` and `y`, which must be even. No pixels are copied.
  public func cropped(x: Int, y top: Int, to size: PictureSize) -> PlanarPicture {
    let chroma = unsafe top / 2 * chromaStride + x / 2
    return unsafe PlanarPicture(
      y: y + top * yStride + x, cb: cb + chroma, cr: cr + chroma, yStride: yStride,
      chromaStride: chromaStride, size: size)
  }
}
