// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CJPEG

/// Reads JPEG images with libjpeg. Used by one thread.
@safe final class JPEGReader {
  /// Why an image cannot be read.
  enum Fault: Error, Equatable {
    /// A part of the image is missing or damaged.
    case broken
    /// The image is intact, but of a kind that libjpeg does not support.
    case unsupported(UnfitKind)
    /// Decoding would take more memory than is allowed.
    case tooLarge
  }

  /// The state of libjpeg's decompressor.
  private let reader: OpaquePointer
  /// The fields of the current image's header; set by `begin`.
  private(set) var header = onair_jpeg_info()

  init() throws(Fault) {
    guard let reader = unsafe onair_jpeg_new() else { throw .tooLarge }
    unsafe self.reader = reader
  }

  deinit { unsafe onair_jpeg_free(reader) }

  /// The size of the present image in pixels, from its header.
  var size: PictureSize { PictureSize(width: Int(header.width), height: Int(header.height)) }

  /// Whether the image consists of planes of Y, Cb and Cr, or of Y alone, and not of R'G'B' or CMYK.
  var isPlanar: Bool { header.is_planar != 0 }

  /// The number of colour components of the image.
  var channels: Int { Int(header.channels) }

  /// The size of a plane in samples. Plane 0 is Y.
  func planeSize(_ index: Int) -> PictureSize {
    let (width, height) = unsafe withUnsafeBytes(of: header.plane_widths) { widths in
      unsafe withUnsafeBytes(of: header.plane_heights) { heights in
        unsafe (
          widths.bindMemory(to: UInt32.self)[index], heights.bindMemory(to: UInt32.self)[index]
        )
      }
    }
    return PictureSize(width: Int(width), height: Int(height))
  }

  /// Reads the header of an image.
  /// - Parameter bytes: the compressed image, which must stay valid until it is decoded.
  func begin(_ bytes: UnsafePointer<UInt8>, count: Int) throws(Fault) {
    try check(unsafe onair_jpeg_begin(reader, bytes, count, &header))
  }

  /// The memory that a plane is written to.
  @unsafe struct Plane {
    var start: UnsafeMutablePointer<UInt8>
    /// The bytes from one row to the next: at least the plane's width, rounded up to a multiple of 8.
    var stride: Int32
    var rows: Int
  }

  /// Decodes the planes of the current image, for which `isPlanar` has to be `true`.
  func decode(_ y: Plane, _ cb: Plane, _ cr: Plane) throws(Fault) {
    var starts = unsafe (Optional(y.start), Optional(cb.start), Optional(cr.start))
    let strides = unsafe (y.stride, cb.stride, cr.stride)
    let rows = unsafe (Int32(y.rows), Int32(cb.rows), Int32(cr.rows))
    let result = unsafe withUnsafeBytes(of: &starts) { starts in
      unsafe withUnsafeBytes(of: strides) { strides in
        unsafe withUnsafeBytes(of: rows) { rows in
          unsafe onair_jpeg_planes(
            reader, starts.bindMemory(to: UnsafeMutablePointer<UInt8>?.self).baseAddress,
            strides.bindMemory(to: Int32.self).baseAddress,
            rows.bindMemory(to: Int32.self).baseAddress)
        }
      }
    }
    try check(result)
  }

  /// Prepares to decode the image row by row.
  /// - Parameters:
  ///   - shrink: the factor by which width and height are made smaller while the image is decoded: 1, 2, 4 or 8.
  ///   - memory: the most bytes that libjpeg may allocate.
  /// - Returns: the size of the image after it was shrunk.
  func beginRows(shrink: Int, memory: Int) throws(Fault) -> PictureSize {
    var (width, height) = (UInt32(0), UInt32(0))
    try check(unsafe onair_jpeg_begin_rows(reader, Int32(shrink), memory, &width, &height))
    return PictureSize(width: Int(width), height: Int(height))
  }

  /// Decodes the next row: blue, green, red and 255 for each pixel.
  func readRow(into row: UnsafeMutablePointer<UInt8>) throws(Fault) {
    try check(unsafe onair_jpeg_row(reader, row))
  }

  /// Throws the fault that a result stands for; does nothing if the result is a success.
  private func check(_ result: onair_jpeg_result) throws(Fault) {
    switch result {
    case ONAIR_JPEG_OK: return
    case ONAIR_JPEG_UNSUPPORTED: throw .unsupported(unfitKind)
    case ONAIR_JPEG_TOO_LARGE: throw .tooLarge
    default: throw .broken
    }
  }

  /// The kind of the current image, which libjpeg does not support. The header's marker SOF tells the kind: how the
  /// image is compressed (ITU-T T.81, table B.1), and the bits per sample.
  private var unfitKind: UnfitKind {
    switch (header.process, header.precision) {
    case (0, 0): .otherJPEG
    case (0, let bits): .deepJPEG(bits: Int(bits))
    case (0xC3, _), (0xC7, _), (0xCB, _), (0xCF, _), (0xF7, _): .losslessJPEG
    default: .otherJPEG
    }
  }
}
