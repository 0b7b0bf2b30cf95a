// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CFFmpeg
internal import Media

/// A plan for the conversion of a decoded frame to I420.
struct FrameConversion {
  /// The format of the result: its size after turning, its row length and its colour description.
  let format: FrameFormat
  /// The size of the result in pixels before it is turned by `orientation`.
  let size: PictureSize
  /// The number of columns of the frame that are used: an even number, unless the frame has only one column.
  let columns: Int32
  /// The number of rows of the frame that are used: an even number, unless the frame has only one row.
  let rows: Int32
  /// How the frame has to be flipped and turned for display.
  let orientation: Orientation
  /// Whether the frame has transparent pixels, so that it is composited over black.
  let hasAlpha: Bool
  /// Whether the earlier field of an interlaced frame has rows 1, 3, …; `nil` for a progressive frame.
  let keepsOddRows: Bool?
  /// The tone mapping that the frame needs; `nil` for none.
  let toneMap: ToneMap.Kind?
  /// The matrix coefficients as a number of H.273: those of the frame's Y'CbCr, or those with which a frame of R'G'B'
  /// is converted.
  let matrix: Int32
  /// Whether the frame's Y'CbCr has full range (0 to 255 in 8 bits), not limited range.
  let fullRange: Bool

  /// - Parameters:
  ///   - largest: the area that the result has to fit into after turning.
  ///   - rowAlignment: the length of a row of the result is a multiple of this many bytes.
  init(
    _ frame: UnsafePointer<AVFrame>, _ orientation: Orientation, largest: PictureSize,
    rowAlignment: Int
  ) {
    columns = unsafe max(frame.pointee.width & ~1, 1)
    rows = unsafe max(frame.pointee.height & ~1, 1)
    self.orientation = orientation
    size = unsafe FrameConversion.size(
      width: Int(frame.pointee.width), height: Int(frame.pointee.height),
      aspect: frame.pointee.sample_aspect_ratio,
      largest: orientation.swapsSides
        ? PictureSize(width: largest.height, height: largest.width) : largest)
    let pixels = unsafe AVPixelFormat(rawValue: frame.pointee.format)
    hasAlpha = unsafe FrameConversion.hasAlpha(frame, pixels)
    keepsOddRows =
      unsafe onair_av_is_interlaced(frame) ? !onair_av_is_top_first(frame) : nil
    let stated = unsafe FrameConversion.colour(of: frame)
    toneMap = unsafe ToneMap.Kind(
      primaries: frame.pointee.color_primaries.rawValue,
      transfer: frame.pointee.color_trc.rawValue, matrix: frame.pointee.colorspace.rawValue,
      fullRange: stated.fullRange)
    matrix = toneMap?.matrix ?? stated.matrix
    fullRange = stated.fullRange
    let shown =
      orientation.swapsSides ? PictureSize(width: size.height, height: size.width) : size
    format = FrameFormat(
      pixelFormat: .i420, size: shown,
      bytesPerRow: (shown.width + rowAlignment - 1) / rowAlignment * rowAlignment,
      colour: toneMap == nil ? stated : .bt709)
  }

  /// Whether a frame has transparency. With a palette, this is the case if any colour of the palette is not opaque.
  private static func hasAlpha(_ frame: UnsafePointer<AVFrame>, _ pixels: AVPixelFormat) -> Bool {
    guard pixels == AV_PIX_FMT_PAL8 else {
      return pixels.flags & Int32(AV_PIX_FMT_FLAG_ALPHA) != 0
    }
    guard let palette = unsafe frame.pointee.data.1 else { return false }
    return unsafe palette.withMemoryRebound(to: UInt32.self, capacity: 256) { colours in
      (0..<256).contains { unsafe colours[$0] >> 24 < 255 }
    }
  }

  /// The size of a frame when its pixels are made square and it is scaled down to fit into `largest`. Each side is even
  /// and at least 2.
  static func size(
    width: Int, height: Int, aspect: AVRational, largest: PictureSize
  ) -> PictureSize {
    var w = Double(max(1, width & ~1))
    var h = Double(max(1, height & ~1))
    let ratio = aspect.num > 0 && aspect.den > 0 ? Double(aspect.num) / Double(aspect.den) : 1
    // Ignore a pixel aspect ratio of 20:1 or more, or of 1:20 or less: such a ratio is an error in the file.
    if ratio > 1.001, ratio < 20 { w *= ratio }
    if ratio < 0.999, ratio > 0.05 { h /= ratio }
    let shrink = min(1, Double(largest.width) / w, Double(largest.height) / h)
    func even(_ side: Double) -> Int { max(2, Int((side * shrink / 2).rounded()) * 2) }
    return PictureSize(width: even(w), height: even(h))
  }

  /// The colour description of a decoded frame. FFmpeg's numbers are H.273's code points. Unspecified values are
  /// guessed from the frame's height.
  private static func colour(of frame: UnsafePointer<AVFrame>) -> Colour {
    let pixels = unsafe AVPixelFormat(rawValue: frame.pointee.format)
    let height = unsafe frame.pointee.height
    let rgb = pixels.isRGB
    let usual: Int32 = height >= 720 ? 1 : height == 576 || height == 288 ? 5 : 6
    func specified(_ value: UInt32, or guess: Int32) -> Int32 {
      value == 0 || value == 2 ? guess : Int32(value)
    }
    var matrix = specified(unsafe frame.pointee.colorspace.rawValue, or: usual)
    // Matrices outside of this list are replaced, because libswscale does not support them, or because the VUI of
    // Y'CbCr video cannot state them.
    if rgb || ![1, 4, 5, 6, 7, 9].contains(matrix) { matrix = usual }
    let range = unsafe frame.pointee.color_range
    let full =
      !rgb
      && (range == AVCOL_RANGE_JPEG
        || (pixels.isGrey || isAlwaysFull(pixels)) && range != AVCOL_RANGE_MPEG)
    return Colour(
      fullRange: full,
      primaries: specified(unsafe frame.pointee.color_primaries.rawValue, or: rgb ? 1 : usual),
      transfer: specified(
        unsafe frame.pointee.color_trc.rawValue, or: rgb ? 13 : usual == 1 ? 1 : 6),
      matrix: matrix)
  }

  /// Whether frames in this pixel format have full range, whatever the file states.
  private static func isAlwaysFull(_ pixels: AVPixelFormat) -> Bool {
    switch pixels {
    case AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUVJ440P,
      AV_PIX_FMT_YUVJ411P:
      true
    default: false
    }
  }
}
