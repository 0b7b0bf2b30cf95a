// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// V4L2's name of a pixel format: four characters in 32 bits, the first in the lowest byte.
struct FourCC: Hashable, Sendable, CustomStringConvertible {
  let code: UInt32

  init(code: UInt32) { self.code = code }

  /// - Parameter name: up to four ASCII characters, padded with spaces.
  init(_ name: StaticString) {
    var code: UInt32 = 0
    let count = name.utf8CodeUnitCount
    for index in 0..<4 {
      let character = index < count ? unsafe name.utf8Start[index] : UInt8(ascii: " ")
      code |= UInt32(character) << UInt32(8 * index)
    }
    self.code = code
  }

  /// As `v4l2-ctl` prints it: without padding, and with "-BE" for the big-endian bit.
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

/// How OnAir uses a V4L2 format.
enum FormatUse: Equatable, Sendable {
  /// Directly, without a conversion.
  case straight(PixelFormat)
  /// libv4lconvert converts it to YU12.
  case converted(ConvertedKind)
  /// Not supported, not even by libv4lconvert.
  case none
}

/// The kinds of formats that libv4lconvert converts, the cheapest first.
enum ConvertedKind: Int, Sendable {
  /// Y'CbCr in another order: the colour description remains valid.
  case luminanceChroma
  /// R'G'B', which is converted to limited-range BT.601.
  case rgb
  /// Luminance only.
  case grey
  /// A webcam chip's own compression: frames vary in length.
  case compressed
  /// A sensor's raw mosaic.
  case bayer
}

extension FourCC {
  /// How OnAir uses the format. The lists are those of libv4lconvert 1.22 (Debian 12) without the formats that need
  /// its helper programs, without HSV, whose frames it reads from the wrong place, and without RGBP, whose red and
  /// blue it swaps.
  var use: FormatUse {
    if let format = FourCC.straight[self] { return .straight(format) }
    if let kind = FourCC.converted[self] { return .converted(kind) }
    return .none
  }

  /// Whether libv4lconvert converts it.
  var isConverted: Bool {
    if case .converted = use { true } else { false }
  }

  /// Whether it is a raw mosaic with one colour per pixel, which needs exposure control and white balance from an image
  /// processor. Includes the depths and packings that libv4lconvert does not support.
  var isBayer: Bool {
    if case .converted(.bayer) = use { return true }
    return FourCC.rawOnly.contains(self)
  }

  /// The size of a frame of a converted format, in units of half a plane of its `bytesPerLine`.
  var rowParts: Int {
    switch self {
    case FourCC("NV16"), FourCC("NV61"): 4
    case FourCC("YV12"), FourCC("M420"): 3
    default: 2
    }
  }

  private static let straight: [FourCC: PixelFormat] = [
    FourCC("YU12"): .i420, FourCC("NV12"): .nv12, FourCC("NV21"): .nv21, FourCC("YUYV"): .yuyv,
    FourCC("UYVY"): .uyvy, FourCC("MJPG"): .mjpeg, FourCC("JPEG"): .mjpeg,
  ]

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

  private static let rawOnly: Set<FourCC> = Set(
    [
      "BG12", "GB12", "BA12", "RG12", "pBCC", "pGCC", "pgCC", "pRCC", "BG14", "GB14", "GR14",
      "RG14", "pBEE", "pGEE", "pgEE", "pREE", "aBA8", "aGA8", "agA8", "aRA8", "BD10", "bBA8",
      "bGA8", "bRA8", "PC1B", "PC1G", "PC1g", "PC1R", "PC2B", "PC2G", "PC2g", "PC2R",
    ].map { FourCC($0 as StaticString) })
}
