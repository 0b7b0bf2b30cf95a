// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CYUV

/// Decodes the JPEG images of a camera into 4:2:0 planes. Reuses its buffers.
@safe final class JPEGDecoder {
  /// The maximum number of pixels of an image. Images of cameras have fewer; a damaged header may state more.
  private static let mostPixels = 16_000_000

  /// Reads the images with libjpeg; `nil` before the first image.
  private var reader: JPEGReader?
  /// Memory for the planes of an image that is not 4:2:0, before they are scaled.
  private var planes = unsafe UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)
  /// A copy of the compressed image, because the program that feeds a loopback camera may overwrite the original during
  /// decoding.
  private var copy = unsafe UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)

  deinit {
    unsafe planes.deallocate()
    unsafe copy.deallocate()
  }

  /// Copies a compressed image and reads its header.
  /// - Returns: the size in the header, which may differ from the size that was agreed on with the camera.
  func begin(
    _ bytes: UnsafePointer<UInt8>, count: Int
  ) throws(PictureError) -> PictureSize {
    if unsafe copy.count < count {
      unsafe copy.deallocate()
      unsafe copy = .allocate(capacity: count + count / 4)
    }
    guard let copied = unsafe copy.baseAddress else { throw .brokenJPEG }
    unsafe copied.update(from: bytes, count: count)
    do throws(JPEGReader.Fault) {
      let reader: JPEGReader
      if let present = self.reader { reader = present } else { reader = try JPEGReader() }
      self.reader = reader
      unsafe try reader.begin(copied, count: count)
      let size = reader.size
      guard reader.isPlanar, size.width >= 2, size.height >= 2,
        size.width * size.height <= JPEGDecoder.mostPixels
      else { throw .broken }
      return size
    } catch {
      throw .brokenJPEG
    }
  }

  /// A plane of the resulting 4:2:0 image, to be written to.
  @unsafe private struct Target {
    var start: UnsafeMutablePointer<UInt8>
    var stride: Int32
    var size: PictureSize
  }

  /// Decodes the image that was passed to `begin`.
  /// - Parameters:
  ///   - size: the size that `begin` has returned.
  ///   - out: the planes of a buffer of this size.
  func decode(_ size: PictureSize, into out: MutablePlanes) throws(PictureError) {
    guard let reader else { throw .brokenJPEG }
    let half = PictureSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
    let y = unsafe Target(start: out.y, stride: out.yStride, size: size)
    let cb = unsafe Target(start: out.cb, stride: out.chromaStride, size: half)
    let cr = unsafe Target(start: out.cr, stride: out.chromaStride, size: half)
    let isGrey = reader.channels == 1
    reserve(reader)
    var free = unsafe planes.baseAddress
    let first = unsafe plane(0, for: y, &free)
    let second = unsafe isGrey ? first : plane(1, for: cb, &free)
    let third = unsafe isGrey ? first : plane(2, for: cr, &free)
    do throws(JPEGReader.Fault) {
      unsafe try reader.decode(first, second, third)
    } catch {
      throw .brokenJPEG
    }
    unsafe fit(0, first, into: y)
    guard !isGrey else {
      unsafe SetPlane(cb.start, cb.stride, Int32(half.width), Int32(half.height), 128)
      unsafe SetPlane(cr.start, cr.stride, Int32(half.width), Int32(half.height), 128)
      return
    }
    unsafe fit(1, second, into: cb)
    unsafe fit(2, third, into: cr)
  }

  /// Decides where libjpeg writes a plane: directly to its target if both have the same size, otherwise to a part of
  /// `planes`.
  /// - Parameter free: the start of the part of `planes` that no plane uses yet; advanced if this plane uses some of
  ///   that part.
  @unsafe private func plane(
    _ index: Int, for target: Target, _ free: inout UnsafeMutablePointer<UInt8>?
  ) -> JPEGReader.Plane {
    let size = unsafe reader?.planeSize(index) ?? target.size
    guard unsafe size != target.size, let start = unsafe free else {
      return unsafe JPEGReader.Plane(
        start: target.start, stride: target.stride, rows: target.size.height)
    }
    let stride = JPEGDecoder.stride(size)
    unsafe free = start + stride * size.height
    return unsafe JPEGReader.Plane(start: start, stride: Int32(stride), rows: size.height)
  }

  /// Scales a plane to its target, unless libjpeg has written the plane there.
  @unsafe private func fit(_ index: Int, _ plane: JPEGReader.Plane, into target: Target) {
    guard let size = reader?.planeSize(index), unsafe size != target.size else { return }
    unsafe ScalePlane(
      plane.start, plane.stride, Int32(size.width), Int32(size.height), target.start,
      target.stride, Int32(target.size.width), Int32(target.size.height), kFilterBox)
  }

  /// The bytes from one row to the next of a plane in `planes`.
  /// - Parameter size: the size of the plane in samples.
  private static func stride(_ size: PictureSize) -> Int { (size.width + 63) & ~63 }

  /// Makes room in `planes` for all planes of the image.
  private func reserve(_ reader: JPEGReader) {
    var bytes = 0
    for index in 0..<reader.channels {
      let size = reader.planeSize(index)
      bytes += JPEGDecoder.stride(size) * size.height
    }
    guard unsafe planes.count < bytes else { return }
    unsafe planes.deallocate()
    unsafe planes = .allocate(capacity: bytes)
  }
}
