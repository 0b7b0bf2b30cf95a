// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CV4L2
internal import Media

/// A driver's description of the colours of its frames, by V4L2_COLORSPACE_*, V4L2_YCBCR_ENC_*, V4L2_QUANTIZATION_* and
/// V4L2_XFER_FUNC_*. Each member is 0 for V4L2's default.
struct DeviceColour: Hashable, Sendable {
  /// One of V4L2_COLORSPACE_*.
  var colorspace: UInt32 = 0
  /// One of V4L2_YCBCR_ENC_*.
  var encoding: UInt32 = 0
  /// One of V4L2_QUANTIZATION_*.
  var quantization: UInt32 = 0
  /// One of V4L2_XFER_FUNC_*.
  var transfer: UInt32 = 0
}

extension Colour {
  /// Converts a driver's colour description to the code points of ITU-T H.273. Defaults are resolved as the kernel's
  /// chapter "Colorspaces" says (userspace-api/media/v4l/colorspaces-defs).
  /// - Parameter use: how OnAir uses the pixel format. Motion JPEG always has the colours that JFIF defines, whatever
  ///   the driver says. R'G'B' becomes limited-range BT.601, because that is what libv4lconvert converts it to.
  init(_ device: DeviceColour, use: FormatUse) {
    let isRGB = use == .converted(.rgb) || use == .converted(.bayer)
    let colour = onair_v4l2_resolve(
      onair_v4l2_colour(
        colorspace: device.colorspace, ycbcr_encoding: device.encoding,
        quantization: device.quantization, transfer: device.transfer), isRGB)
    self.init(
      fullRange: colour.quantization == V4L2_QUANTIZATION_FULL_RANGE.rawValue,
      primaries: Colour.primaries(colour.colorspace),
      transfer: Colour.transfer(colour.transfer),
      matrix: Colour.matrix(colour.ycbcr_encoding))
    switch use {
    case .straight(.mjpeg):
      self = .jpeg
    case .converted(.rgb), .converted(.bayer), .converted(.compressed):
      fullRange = false
      matrix = 6
    case .straight, .converted, .none:
      break
    }
  }

  /// Converts V4L2_COLORSPACE_* to H.273's ColourPrimaries; 2 is unspecified.
  private static func primaries(_ colorspace: UInt32) -> Int32 {
    switch v4l2_colorspace(rawValue: colorspace) {
    case V4L2_COLORSPACE_REC709, V4L2_COLORSPACE_SRGB, V4L2_COLORSPACE_JPEG: 1
    case V4L2_COLORSPACE_470_SYSTEM_M: 4
    case V4L2_COLORSPACE_470_SYSTEM_BG: 5
    case V4L2_COLORSPACE_SMPTE170M: 6
    case V4L2_COLORSPACE_SMPTE240M: 7
    case V4L2_COLORSPACE_BT2020: 9
    case V4L2_COLORSPACE_DCI_P3: 11
    default: 2
    }
  }

  /// Converts V4L2_XFER_FUNC_* to H.273's TransferCharacteristics; 2 is unspecified.
  private static func transfer(_ function: UInt32) -> Int32 {
    switch v4l2_xfer_func(rawValue: function) {
    case V4L2_XFER_FUNC_709: 1
    case V4L2_XFER_FUNC_SMPTE240M: 7
    case V4L2_XFER_FUNC_NONE: 8
    case V4L2_XFER_FUNC_SRGB: 13
    case V4L2_XFER_FUNC_SMPTE2084: 16
    case V4L2_XFER_FUNC_DCI_P3: 17
    default: 2
    }
  }

  /// Converts V4L2_YCBCR_ENC_* to H.273's MatrixCoefficients; 2 is unspecified.
  private static func matrix(_ encoding: UInt32) -> Int32 {
    switch v4l2_ycbcr_encoding(rawValue: encoding) {
    case V4L2_YCBCR_ENC_601, V4L2_YCBCR_ENC_XV601: 6
    case V4L2_YCBCR_ENC_709, V4L2_YCBCR_ENC_XV709: 1
    case V4L2_YCBCR_ENC_SMPTE240M: 7
    case V4L2_YCBCR_ENC_BT2020: 9
    case V4L2_YCBCR_ENC_BT2020_CONST_LUM: 10
    default: 2
    }
  }
}
