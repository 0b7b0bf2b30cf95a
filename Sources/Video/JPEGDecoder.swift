// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CTurboJPEG
internal import CYUV
internal import Media

/// Decodes JPEG images into 4:2:0 planes. Reuses its buffers.
@safe final class JPEGDecoder {
  private let decoder: tjhandle?
  /// The chroma planes of an image with more chroma than 4:2:0, before they are scaled down.
  private var chroma = unsafe UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)

  /// A copy of the compressed image, because the program that feeds a loopback camera may overwrite it meanwhile.
  private var copy = unsafe UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)

  init() { unsafe decoder = tjInitDecompress() }

  deinit {
    unsafe tjDestroy(decoder)
    unsafe chroma.deallocate()
    unsafe copy.deallocate()
  }

  /// - Parameters:
  ///   - size: the expected size; an image of another size is refused.
  ///   - out: has room for an even number of luma rows and columns.
  func decode(
    _ bytes: UnsafePointer<UInt8>, count: Int, size: PictureSize, into out: MutablePlanes
  ) throws(PictureError) {
    if unsafe copy.count < count {
      unsafe copy.deallocate()
      unsafe copy = .allocate(capacity: count + count / 4)
    }
    guard let copied = unsafe copy.baseAddress else { throw .brokenJPEG }
    unsafe copied.update(from: bytes, count: count)
    let bytes = unsafe UnsafePointer(copied)
    var width: Int32 = 0
    var height: Int32 = 0
    var sampling: Int32 = 0
    var space: Int32 = 0
    guard
      unsafe tjDecompressHeader3(
        decoder, bytes, UInt(count), &width, &height, &sampling, &space) == 0,
      width == Int32(size.width), height == Int32(size.height), sampling >= 0,
      space == Int32(TJCS_YCbCr.rawValue) || space == Int32(TJCS_GRAY.rawValue)
    else { throw .brokenJPEG }

    let target = PictureSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
    if sampling == Int32(TJSAMP_GRAY.rawValue) {
      try unsafe decompress(bytes, count, width, height, out, out.cb, out.cr, out.chromaStride)
      unsafe SetPlane(out.cb, out.chromaStride, Int32(target.width), Int32(target.height), 128)
      unsafe SetPlane(out.cr, out.chromaStride, Int32(target.width), Int32(target.height), 128)
      return
    }
    let own = PictureSize(
      width: Int(tjPlaneWidth(1, width, sampling)), height: Int(tjPlaneHeight(1, height, sampling)))
    if own == target {
      try unsafe decompress(bytes, count, width, height, out, out.cb, out.cr, out.chromaStride)
      return
    }
    let planeBytes = own.width * own.height
    if unsafe chroma.count < 2 * planeBytes {
      unsafe chroma.deallocate()
      unsafe chroma = .allocate(capacity: 2 * planeBytes)
    }
    guard let cb = unsafe chroma.baseAddress else { throw .brokenJPEG }
    let cr = unsafe cb + planeBytes
    let stride = Int32(own.width)
    try unsafe decompress(bytes, count, width, height, out, cb, cr, stride)
    unsafe shrink(cb, own, to: out.cb, out.chromaStride, target)
    unsafe shrink(cr, own, to: out.cr, out.chromaStride, target)
  }

  private func shrink(
    _ source: UnsafePointer<UInt8>, _ own: PictureSize, to out: UnsafeMutablePointer<UInt8>,
    _ stride: Int32, _ targetSize: PictureSize
  ) {
    unsafe ScalePlane(
      source, Int32(own.width), Int32(own.width), Int32(own.height), out, stride,
      Int32(targetSize.width), Int32(targetSize.height), kFilterBox)
  }

  private func decompress(
    _ bytes: UnsafePointer<UInt8>, _ count: Int, _ width: Int32, _ height: Int32,
    _ out: MutablePlanes, _ cb: UnsafeMutablePointer<UInt8>, _ cr: UnsafeMutablePointer<UInt8>,
    _ chromaStride: Int32
  ) throws(PictureError) {
    var planes = unsafe (Optional(out.y), Optional(cb), Optional(cr))
    var strides = unsafe (out.yStride, chromaStride, chromaStride)
    let status = unsafe withUnsafeMutableBytes(of: &planes) { planes in
      unsafe withUnsafeMutableBytes(of: &strides) { strides in
        unsafe tjDecompressToYUVPlanes(
          decoder, bytes, UInt(count),
          planes.bindMemory(to: UnsafeMutablePointer<UInt8>?.self).baseAddress, width,
          strides.bindMemory(to: Int32.self).baseAddress, height, Int32(TJFLAG_LIMITSCANS))
      }
    }
    guard unsafe status == 0 || onair_jpeg_is_only_padded(decoder) != 0 else { throw .brokenJPEG }
  }
}
