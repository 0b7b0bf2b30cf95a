// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// V4L2's name of a pixel format: four characters in 32 bits, the first in the lowest byte.
struct FourCC: Hashable, Sendable, CustomStringConvertible {
  /// The four characters, the first in the lowest byte. V4L2 sets the highest bit for a big-endian format.
  let code: UInt32

  init(code: UInt32) { self.code = code }

  /// Makes the code from the characters of the name.
  /// - Parameter name: up to four ASCII characters; a shorter name is padded with spaces.
  init(_ name: StaticString) {
    var code: UInt32 = 0
    let count = name.utf8CodeUnitCount
    for index in 0..<4 {
      let character = index < count ? unsafe name.utf8Start[index] : UInt8(ascii: " ")
      code |= UInt32(character) << UInt32(8 * index)
    }
    self.code = code
  }

  /// The name as `v4l2-ctl` prints it: without padding, and with "-BE" for the big-endian bit.
  var description: String {
    var text = ""
    for index in 0..<4 {
      let byte = UInt8(truncatingIfNeeded: code >> UInt32(8 * index)) & 0x7f
      text.unicodeScalars.append((0x20..<0x7f).contains(byte) ? Unicode.Scalar(byte) : "?")
    }
    while text.last == " " { text.removeLast() }
    return code & 0x8000_0000 == 0 ? text : text + "-BE"
  }
}

/// The way in which OnAir uses a V4L2 pixel format.
enum FormatUse: Equatable, Sendable {
  /// The format is used as it is, without a conversion.
  case straight(PixelFormat)
  /// libv4lconvert converts the format to YU12, which is I420.
  case converted(ConvertedKind)
  /// The format is not supported, not even by libv4lconvert.
  case none
}

/// The kinds of formats that libv4lconvert converts, the cheapest first.
enum ConvertedKind: Int, Sendable {
  /// Y'CbCr in an arrangement of samples that OnAir cannot use directly. The driver's colour description stays valid
  /// after the conversion.
  case luminanceChroma
  /// R'G'B', which libv4lconvert converts to limited-range BT.601.
  case rgb
  /// Luminance only.
  case grey
  /// A proprietary compression of a webcam chip. Frames vary in length.
  case compressed
  /// The raw Bayer mosaic of a sensor.
  case bayer
}

extension FourCC {
  /// How OnAir uses this format. The tables contain the formats of libv4lconvert 1.22 (Debian 12), except for three
  /// groups: formats that need its helper programs; HSV, which libv4lconvert reads from the wrong position in the
  /// buffer; and RGBP, whose red and blue libv4lconvert swaps.
  var use: FormatUse {
    if let format = FourCC.straight[self] { return .straight(format) }
    if let kind = FourCC.converted[self] { return .converted(kind) }
    return .none
  }

  /// Whether frames of this format are converted by libv4lconvert.
  var isConverted: Bool {
    if case .converted = use { true } else { false }
  }

  /// Whether the format is raw Bayer: one colour per pixel, which needs an image processor for exposure and white
  /// balance. Includes the bit depths and packings that libv4lconvert does not support.
  var isBayer: Bool {
    if case .converted(.bayer) = use { return true }
    return FourCC.unsupportedBayer.contains(self)
  }

  /// The size of a whole frame, in halves of its first plane (a half is `bytesPerLine` × height / 2 bytes), for formats
  /// that libv4lconvert converts: 2 for a frame with a single plane, 3 for 4:2:0 planes, and 4 for 4:2:2 planes.
  var sizeInHalfPlanes: Int {
    switch self {
    case FourCC("NV16"), FourCC("NV61"): 4
    case FourCC("YV12"), FourCC("M420"): 3
    default: 2
    }
  }

  /// The formats that OnAir uses without a conversion.
  private static let straight: [FourCC: PixelFormat] = [
    FourCC("YU12"): .i420, FourCC("NV12"): .nv12, FourCC("NV21"): .nv21, FourCC("YUYV"): .yuyv,
    FourCC("UYVY"): .uyvy, FourCC("MJPG"): .mjpeg, FourCC("JPEG"): .mjpeg,
  ]

  /// The formats that libv4lconvert converts.
  private static let converted: [FourCC: ConvertedKind] = {
    var table: [FourCC: ConvertedKind] = [:]
    let luminanceChroma: [FourCC] = [
      "YVYU", "YV12", "NV16", "NV61", "S501", "S505", "S508", "CITV", "KONI", "S920", "M420",
    ].map { FourCC($0 as StaticString) }
    let rgb: [FourCC] = [
      "RGB3", "BGR3", "RGB4", "BGR4", "XR24", "BX24", "AR24", "BA24",
    ].map { FourCC($0 as StaticString) }
    let grey: [FourCC] = ["GREY", "Y04", "Y06", "Y10B", "Y16"].map { FourCC($0 as StaticString) }
    let compressed: [FourCC] = [
      "PJPG", "JPGL", "CPIA", "S561", "S910", "SONX", "P207", "M310", "JL20", "905C", "S401",
    ].map { FourCC($0 as StaticString) }
    let bayer: [FourCC] = [
      "BA81", "GBRG", "GRBG", "RGGB", "S680", "pBAA", "pGAA", "pgAA", "pRAA", "BG10", "GB10",
      "BA10", "RG10", "BYR2", "GB16", "GR16", "RG16",
    ].map { FourCC($0 as StaticString) }
    for code in luminanceChroma { table[code] = .luminanceChroma }
    for code in rgb { table[code] = .rgb }
    for code in grey { table[code] = .grey }
    for code in compressed { table[code] = .compressed }
    for code in bayer { table[code] = .bayer }
    return table
  }()

  /// The raw Bayer formats that libv4lconvert does not support.
  private static let unsupportedBayer: Set<FourCC> = Set(
    [
      "BG12", "GB12", "BA12", "RG12", "pBCC", "pGCC", "pgCC", "pRCC", "BG14", "GB14", "GR14",
      "RG14", "pBEE", "pGEE", "pgEE", "pREE", "aBA8", "aGA8", "agA8", "aRA8", "BD10", "bBA8",
      "bGA8", "bRA8", "PC1B", "PC1G", "PC1g", "PC1R", "PC2B", "PC2G", "PC2g", "PC2R",
    ].map { FourCC($0 as StaticString) })
}
