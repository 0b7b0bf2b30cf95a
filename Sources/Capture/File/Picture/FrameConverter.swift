// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CFFmpeg
internal import CYUV

/// Converts decoded frames of any format to upright, progressive, opaque I420 of standard dynamic range, with square
/// pixels and even sides. Steps that a frame does not need are skipped. Used by one thread.
@safe final class FrameConverter {
  /// The area that the result has to fit into; larger frames are scaled down.
  var largest: PictureSize
  /// The length of a row of the result is a multiple of this many bytes.
  private let rowAlignment: Int
  /// The context of libswscale that was used last; `nil` before the first conversion with it.
  private var sws: OpaquePointer?
  /// The tone mapping that was used last; `nil` before the first frame that needed one.
  private var toneMap: ToneMap?
  /// Holds the source frame after it was composited over black.
  private lazy var opaque = ScratchFrame()
  /// Holds the interlaced frame after its conversion to a pixel format that `Deinterlacer` supports.
  private lazy var interlaced = ScratchFrame()
  /// Holds the deinterlaced frame.
  private lazy var progressive = ScratchFrame()
  /// Holds the frame after its conversion to 10-bit 4:2:0, which `ToneMap` needs.
  private lazy var tenBit = ScratchFrame()
  /// Holds the converted frame before it is turned for display.
  private lazy var unturned = ScratchFrame()

  init(largest: PictureSize, rowAlignment: Int = 64) {
    self.largest = largest
    self.rowAlignment = rowAlignment
  }

  deinit { unsafe sws_freeContext(sws) }

  /// Converts `frame` as `plan` says, and writes the result to `bytes`.
  /// - Returns: `false` if the frame cannot be converted.
  func convert(
    _ frame: UnsafePointer<AVFrame>, by plan: FrameConversion,
    into bytes: UnsafeMutableRawBufferPointer
  ) -> Bool {
    guard let out = unsafe FramePlanes(bytes, plan.format) else { return false }
    var source = unsafe frame
    if plan.hasAlpha {
      guard let next = unsafe overBlack(source, plan) else { return false }
      unsafe source = next
    }
    if let keepsOddRows = plan.keepsOddRows {
      guard let next = unsafe deinterlace(source, plan, keepsOddRows: keepsOddRows) else {
        return false
      }
      unsafe source = next
    }
    guard plan.orientation != .upright else { return unsafe write(source, plan, to: out) }
    guard
      unturned.reserve(
        AV_PIX_FMT_YUV420P, width: Int32(plan.size.width), height: Int32(plan.size.height)),
      let planes = unsafe FramePlanes(unturned), unsafe write(source, plan, to: planes)
    else { return false }
    let height = Int32(plan.size.height)
    return unsafe I420Rotate(
      planes.y, Int32(planes.row), planes.cb, Int32(planes.chromaRow), planes.cr,
      Int32(planes.chromaRow), out.y, Int32(out.row), out.cb, Int32(out.chromaRow), out.cr,
      Int32(out.chromaRow), Int32(plan.size.width), plan.orientation.isFlipped ? -height : height,
      RotationMode(plan.orientation.degrees)) == 0
  }

  /// Plans the conversion of a frame that has to be turned for display as `orientation` says.
  func plan(for frame: UnsafePointer<AVFrame>, _ orientation: Orientation) -> FrameConversion {
    unsafe FrameConversion(frame, orientation, largest: largest, rowAlignment: rowAlignment)
  }

  /// Scales a frame and converts it to I420, with the tone mapping of the plan.
  private func write(
    _ source: UnsafePointer<AVFrame>, _ plan: FrameConversion, to out: FramePlanes
  ) -> Bool {
    let size = plan.size
    let pixels = unsafe AVPixelFormat(rawValue: source.pointee.format)
    let fits = size.width == Int(plan.columns) && size.height == Int(plan.rows)
    if let kind = plan.toneMap {
      var source = unsafe source
      if !fits || pixels != AV_PIX_FMT_YUV420P10LE {
        guard
          unsafe tenBit.scale(
            source, columns: plan.columns, rows: plan.rows, to: AV_PIX_FMT_YUV420P10LE,
            width: Int32(size.width), height: Int32(size.height), matrix: kind.matrix,
            fullRange: kind.fullRange), let frame = unsafe tenBit.frame
        else { return false }
        unsafe source = UnsafePointer(frame)
      }
      let map: ToneMap
      if let toneMap, toneMap.kind == kind { map = toneMap } else { map = ToneMap(kind) }
      toneMap = map
      unsafe map.convert(source, to: size, into: out)
      return true
    }
    if pixels == AV_PIX_FMT_YUV420P || pixels == AV_PIX_FMT_YUVJ420P {
      let data = unsafe source.pointee.data
      let strides = unsafe source.pointee.linesize
      // Faster than libswscale: 1280x720 to 640x360 on x86-64 takes 0.03 instead of 0.57 ms.
      return unsafe I420Scale(
        data.0, strides.0, data.1, strides.1, data.2, strides.2, plan.columns, plan.rows, out.y,
        Int32(out.row), out.cb, Int32(out.chromaRow), out.cr, Int32(out.chromaRow),
        Int32(size.width), Int32(size.height), kFilterBox) == 0
    }
    unsafe sws = sws_getCachedContext(
      sws, plan.columns, plan.rows, pixels, Int32(size.width), Int32(size.height),
      AV_PIX_FMT_YUV420P, SWS_BICUBIC | SWS_ACCURATE_RND, nil, nil, nil)
    guard let sws = unsafe sws else { return false }
    // libswscale uses H.273's numbers of matrix coefficients.
    unsafe onair_sws_set_colour(
      sws, plan.matrix, pixels.isRGB || plan.fullRange ? 1 : 0, plan.matrix,
      plan.fullRange ? 1 : 0)
    let written = unsafe onair_sws_scale(
      sws, source, plan.rows, out.y, out.cb, out.cr, Int32(out.row), Int32(out.chromaRow))
    return written == Int32(size.height)
  }

  /// Composites a frame with transparency over black; `nil` if that fails.
  private func overBlack(
    _ source: UnsafePointer<AVFrame>, _ plan: FrameConversion
  ) -> UnsafePointer<AVFrame>? {
    guard
      unsafe opaque.scale(
        source, columns: plan.columns, rows: plan.rows, to: AV_PIX_FMT_YUVA444P,
        width: plan.columns, height: plan.rows, matrix: plan.matrix, fullRange: plan.fullRange),
      let frame = unsafe opaque.frame, let alpha = unsafe frame.pointee.data.3
    else { return nil }
    let alphaRow = unsafe Int(frame.pointee.linesize.3)
    for index in 0..<3 {
      guard let plane = unsafe frame.pointee.plane(index) else { return nil }
      let black: Int32 = index > 0 ? 128 : plan.fullRange ? 0 : 16
      for row in 0..<Int(plan.rows) {
        let samples = unsafe plane.bytes + row * plane.row
        let shares = unsafe alpha + row * alphaRow
        for column in 0..<Int(plan.columns) {
          let above = unsafe Int32(samples[column]) &- black
          // Alpha in 65,536ths: 255 becomes exactly 65,536.
          let share = unsafe Int32(shares[column]) &* 257 &+ Int32(shares[column] >> 7)
          unsafe samples[column] = UInt8(
            truncatingIfNeeded: black &+ (above &* share &+ 32_768) >> 16)
        }
      }
    }
    return unsafe UnsafePointer(frame)
  }

  /// Deinterlaces a frame, after a conversion of its pixel format if necessary; `nil` if that fails.
  private func deinterlace(
    _ source: UnsafePointer<AVFrame>, _ plan: FrameConversion, keepsOddRows: Bool
  ) -> UnsafePointer<AVFrame>? {
    var source = unsafe source
    var pixels = unsafe AVPixelFormat(rawValue: source.pointee.format)
    if !Deinterlacer.supports(pixels) {
      // The vertical resolution of chroma must not change, because scaling would mix the rows of both fields.
      let halfRows = pixels.chromaShifts.rows > 0
      let simple: AVPixelFormat =
        plan.toneMap == nil
        ? (halfRows ? AV_PIX_FMT_YUV420P : AV_PIX_FMT_YUV422P)
        : (halfRows ? AV_PIX_FMT_YUV420P10LE : AV_PIX_FMT_YUV422P10LE)
      guard
        unsafe interlaced.scale(
          source, columns: plan.columns, rows: plan.rows, to: simple, width: plan.columns,
          height: plan.rows, matrix: plan.matrix, fullRange: plan.fullRange),
        let frame = unsafe interlaced.frame
      else { return nil }
      unsafe source = UnsafePointer(frame)
      pixels = simple
    }
    let width = unsafe source.pointee.width
    let height = unsafe source.pointee.height
    guard progressive.reserve(pixels, width: width, height: height),
      let target = unsafe progressive.frame
    else { return nil }
    let shifts = pixels.chromaShifts
    for index in 0..<3 {
      guard let from = unsafe source.pointee.plane(index),
        let to = unsafe target.pointee.plane(index)
      else { return nil }
      unsafe Deinterlacer.deinterlace(
        from.bytes, Int32(from.row), into: to.bytes, Int32(to.row),
        width: index == 0 ? width : -((-width) >> shifts.columns),
        height: index == 0 ? height : -((-height) >> shifts.rows), isWide: pixels.depth > 8,
        keepsOddRows: keepsOddRows)
    }
    return unsafe UnsafePointer(target)
  }
}
