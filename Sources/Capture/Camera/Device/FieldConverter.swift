// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CV4L2
internal import CYUV
internal import Media

/// The arrangement of the two fields of an interlaced frame in a buffer.
enum FieldOrder: Hashable, Sendable {
  /// The rows of the two fields alternate, and rows 0, 2, … are the earlier field.
  case topFirst
  /// The rows of the two fields alternate, and rows 1, 3, … are the earlier field.
  case bottomFirst
  /// The fields follow each other: the first half of the buffer is the earlier field. Its rows are rows 0, 2, … of
  /// the frame if `topFirst` is true, otherwise rows 1, 3, ….
  case sequential(topFirst: Bool)

  /// Converts a value of V4L2_FIELD_*.
  /// - Parameter height: the number of rows of a frame. For V4L2_FIELD_INTERLACED, the order of the fields depends on
  ///   the television standard: standards with 525 lines (480 or 486 rows) begin with the bottom field.
  /// - Returns: `nil` if the buffer does not contain two fields, as with progressive frames.
  init?(v4l2 field: UInt32, height: Int) {
    switch v4l2_field(rawValue: field) {
    case V4L2_FIELD_INTERLACED: self = height == 480 || height == 486 ? .bottomFirst : .topFirst
    case V4L2_FIELD_INTERLACED_TB: self = .topFirst
    case V4L2_FIELD_INTERLACED_BT: self = .bottomFirst
    case V4L2_FIELD_SEQ_TB: self = .sequential(topFirst: true)
    case V4L2_FIELD_SEQ_BT: self = .sequential(topFirst: false)
    default: return nil
    }
  }
}

/// Deinterlaces the frames of an interlaced camera to I420: the rows of the earlier field stay, and the rows of the
/// other field are interpolated. Used by one thread.
@safe final class FieldConverter: VideoConverter {
  /// The format of the frames to convert.
  private let source: FrameFormat
  /// The arrangement of the two fields in the frames to convert.
  private let order: FieldOrder
  /// Memory for the Cb plane and the Cr plane of an NV12 or NV21 frame; `nil` for other formats.
  private let splitChroma: UnsafeMutablePointer<UInt8>?

  /// Makes a converter for frames of this format and field order. Converted frames have no row padding.
  /// - Returns: `nil` for formats, orders and sizes that interlaced cameras do not have.
  init?(_ source: FrameFormat, _ order: FieldOrder) {
    switch (source.pixelFormat, order) {
    case (.mjpeg, _), (.i420, .sequential), (.nv12, .sequential), (.nv21, .sequential): return nil
    default: break
    }
    guard source.size.width % 2 == 0, source.size.height % 2 == 0, source.size.height >= 4 else {
      return nil
    }
    self.source = source
    self.order = order
    let isMixed = source.pixelFormat == .nv12 || source.pixelFormat == .nv21
    unsafe splitChroma =
      isMixed ? .allocate(capacity: source.size.width * source.size.height / 2) : nil
  }

  deinit { unsafe splitChroma?.deallocate() }

  /// Deinterlaces one frame to I420.
  /// - Returns: `false` if a buffer is too small, or if libyuv fails.
  @unsafe func convert(
    _ bytes: UnsafeMutableRawBufferPointer, into destination: UnsafeMutableRawBufferPointer
  ) -> Bool {
    let width = Int32(source.size.width)
    let height = Int32(source.size.height)
    guard bytes.count >= source.byteCount,
      destination.count >= source.size.width * source.size.height * 3 / 2,
      let from = unsafe UnsafePointer(bytes.assumingMemoryBound(to: UInt8.self).baseAddress),
      let y = unsafe destination.assumingMemoryBound(to: UInt8.self).baseAddress
    else { return false }
    let cb = unsafe y + Int(width * height)
    let cr = unsafe cb + Int(width * height / 4)
    let row = Int32(source.bytesPerRow)
    switch source.pixelFormat {
    case .yuyv, .uyvy:
      let (start, step, first) = earlierField(bytesPerRow: row)
      // A field of 4:2:2 has as many rows of chroma as a frame of 4:2:0, so that these rows are used as they are.
      let kept = unsafe y + Int(first * width)
      let status: Int32
      if source.pixelFormat == .yuyv {
        status = unsafe YUY2ToI422(
          from + start, step, kept, width * 2, cb, width / 2, cr, width / 2, width, height / 2)
      } else {
        status = unsafe UYVYToI422(
          from + start, step, kept, width * 2, cb, width / 2, cr, width / 2, width, height / 2)
      }
      guard status == 0 else { return false }
      unsafe Deinterlacer.interpolate(
        y, width, width: width, height: height, keepsOddRows: first == 1)
      return true
    case .i420:
      let chroma = unsafe from + Int(row * height)
      unsafe deinterlacePlane(from, row, into: y, width, height)
      unsafe deinterlacePlane(chroma, row / 2, into: cb, width / 2, height / 2)
      unsafe deinterlacePlane(
        chroma + Int(row / 2 * (height / 2)), row / 2, into: cr, width / 2, height / 2)
      return true
    case .nv12, .nv21:
      let chroma = unsafe from + Int(row * height)
      guard let firstPlane = unsafe splitChroma else { return false }
      let secondPlane = unsafe firstPlane + Int(width * height / 4)
      unsafe SplitUVPlane(
        chroma, row, firstPlane, width / 2, secondPlane, width / 2, width / 2, height / 2)
      let isCbFirst = source.pixelFormat == .nv12
      unsafe deinterlacePlane(from, row, into: y, width, height)
      unsafe deinterlacePlane(
        isCbFirst ? firstPlane : secondPlane, width / 2, into: cb, width / 2, height / 2)
      unsafe deinterlacePlane(
        isCbFirst ? secondPlane : firstPlane, width / 2, into: cr, width / 2, height / 2)
      return true
    case .mjpeg: return false
    }
  }

  /// Where the earlier field lies in the buffer: `start` is the field's offset in bytes, and `step` is the number of
  /// bytes from one row of the field to the next. `first` is 0 if the field has the frame's rows 0, 2, …, and 1 if it
  /// has rows 1, 3, ….
  /// - Parameter row: the number of bytes from one row of the buffer to the next.
  private func earlierField(bytesPerRow row: Int32) -> (start: Int, step: Int32, first: Int32) {
    switch order {
    case .topFirst: (0, row * 2, 0)
    case .bottomFirst: (Int(row), row * 2, 1)
    case .sequential(let topFirst): (0, row, topFirst ? 0 : 1)
    }
  }

  /// Deinterlaces one plane of `width` × `height` samples. `sourceRow` is the bytes from one row of `source` to the
  /// next.
  private func deinterlacePlane(
    _ source: UnsafePointer<UInt8>, _ sourceRow: Int32, into target: UnsafeMutablePointer<UInt8>,
    _ width: Int32, _ height: Int32
  ) {
    unsafe Deinterlacer.deinterlace(
      source, sourceRow, into: target, width, width: width, height: height,
      keepsOddRows: order == .bottomFirst)
  }
}
