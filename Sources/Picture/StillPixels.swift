// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CPNG
internal import CTurboJPEG
internal import CYUV
internal import Media

/// The pixels of a decoded image: blue, green, red, alpha.
@safe final class StillPixels {
  let size: PictureSize
  private let memory: UnsafeMutablePointer<UInt8>
  private var row: Int32 { Int32(size.width * 4) }

  init(size: PictureSize) {
    self.size = size
    unsafe memory = .allocate(capacity: size.width * size.height * 4)
  }

  deinit { unsafe memory.deallocate() }

  /// - Parameter write: fills the memory, row after row without gaps.
  convenience init(
    size: PictureSize, write: (UnsafeMutablePointer<UInt8>) -> Bool
  ) throws(StillError) {
    self.init(size: size)
    guard unsafe write(memory) else { throw .broken }
  }

  /// Laid over black.
  func overBlack() -> StillPixels {
    unsafe ARGBAttenuate(
      memory, row, memory, row, Int32(size.width), Int32(size.height))
    return self
  }

  /// As EXIF's Orientation says, 1 to 8 (CIPA DC-008).
  func turned(_ orientation: Int) -> StillPixels {
    // Each is a quarter turn or none, after a mirror or none.
    let (mirrors, angle): (Bool, RotationMode) =
      switch orientation {
      case 2: (true, kRotate0)
      case 3: (false, kRotate180)
      case 4: (true, kRotate180)
      case 5: (true, kRotate270)
      case 6: (false, kRotate90)
      case 7: (true, kRotate90)
      case 8: (false, kRotate270)
      default: (false, kRotate0)
      }
    var source = self
    if mirrors {
      let mirrored = StillPixels(size: size)
      unsafe ARGBMirror(
        memory, row, mirrored.memory, row, Int32(size.width), Int32(size.height))
      source = mirrored
    }
    guard angle != kRotate0 else { return source }
    let turned = StillPixels(
      size: angle == kRotate180
        ? size : PictureSize(width: size.height, height: size.width))
    unsafe ARGBRotate(
      source.memory, source.row, turned.memory, turned.row, Int32(size.width),
      Int32(size.height), angle)
    return turned
  }

  /// With no side longer than `longest`.
  func shrunk(to longest: Int) throws(StillError) -> StillPixels {
    let side = max(size.width, size.height)
    guard side > longest else { return self }
    let small = PictureSize(
      width: size.width * longest / side, height: size.height * longest / side)
    // A line is no picture.
    guard small.width >= 2, small.height >= 2 else { throw .broken }
    let result = StillPixels(size: small)
    unsafe ARGBScale(
      memory, row, Int32(size.width), Int32(size.height), result.memory, result.row,
      Int32(small.width), Int32(small.height), kFilterBox)
    return result
  }

  /// - Parameter format: I420 of this size.
  func writeI420(to bytes: UnsafeMutableRawBufferPointer, _ format: FrameFormat) {
    guard let y = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    let row = format.bytesPerRow
    let cb = unsafe y + row * size.height
    let cr = unsafe cb + (row + 1) / 2 * ((size.height + 1) / 2)
    unsafe ARGBToI420(
      memory, self.row, y, Int32(row), cb, Int32((row + 1) / 2), cr, Int32((row + 1) / 2),
      Int32(size.width), Int32(size.height))
  }
}

/// PNG by libpng.
enum PNGDecoder {
  static func recognises(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
  }

  static func decode(_ bytes: [UInt8]) throws(StillError) -> StillPixels {
    var image = unsafe png_image()
    defer { unsafe png_image_free(&image) }
    // libpng reads on from where the header ended: the bytes stay where they are.
    let result = unsafe bytes.withUnsafeBytes { bytes -> Result<StillPixels, StillError> in
      Result { () throws(StillError) in
        guard unsafe onair_png_begin(&image, bytes.baseAddress, bytes.count) != 0 else {
          throw .broken
        }
        let size = unsafe PictureSize(width: Int(image.width), height: Int(image.height))
        try StillImage.check(size)
        return try unsafe StillPixels(size: size) { unsafe onair_png_finish(&image, $0) != 0 }
      }
    }
    return try result.get().overBlack()
  }
}

/// JPEG by libjpeg-turbo, turned upright.
enum JPEGStill {
  static func decode(_ bytes: [UInt8]) throws(StillError) -> StillPixels {
    guard let decoder = unsafe tjInitDecompress() else { throw .broken }
    defer { unsafe tjDestroy(decoder) }
    var width: Int32 = 0
    var height: Int32 = 0
    var sampling: Int32 = 0
    var space: Int32 = 0
    guard
      unsafe tjDecompressHeader3(
        decoder, bytes, UInt(bytes.count), &width, &height, &sampling, &space) == 0
    else { throw .broken }
    try StillImage.check(PictureSize(width: Int(width), height: Int(height)))
    // libjpeg shrinks while it decodes, which saves memory and time.
    var shrink: Int32 = 1
    while shrink < 8, max(width, height) / (shrink * 2) >= Int32(StillImage.longestSide) {
      shrink *= 2
    }
    width = (width + shrink - 1) / shrink
    height = (height + shrink - 1) / shrink
    let pixels = try unsafe StillPixels(
      size: PictureSize(width: Int(width), height: Int(height))
    ) {
      unsafe tjDecompress2(
        decoder, bytes, UInt(bytes.count), $0, width, 0, height, Int32(TJPF_BGRA.rawValue),
        Int32(TJFLAG_LIMITSCANS)) == 0 || onair_jpeg_is_only_padded(decoder) != 0
    }
    return pixels.turned(orientation(bytes))
  }

  /// EXIF's Orientation (CIPA DC-008, tag 0x0112): 1, which is upright, if it says nothing.
  static func orientation(_ bytes: [UInt8]) -> Int {
    var offset = 2
    // JPEG's segments (ITU-T T.81, B.1.1.4) up to the first that is not application data or the like.
    while offset + 4 <= bytes.count, bytes[offset] == 0xFF, bytes[offset + 1] != 0xDA {
      let length = Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3])
      let segment = bytes[offset + 4..<max(offset + 4, min(bytes.count, offset + 2 + length))]
      if bytes[offset + 1] == 0xE1, segment.starts(with: Array("Exif\0\0".utf8)) {
        return orientation(tiff: segment.dropFirst(6))
      }
      offset += 2 + length
    }
    return 1
  }

  private static func orientation(tiff: ArraySlice<UInt8>) -> Int {
    let bytes = Array(tiff)
    guard bytes.count >= 8 else { return 1 }
    let isLittle = bytes[0] == UInt8(ascii: "I")
    func number(_ offset: Int, _ count: Int) -> Int? {
      guard offset >= 0, offset + count <= bytes.count else { return nil }
      let field = bytes[offset..<offset + count]
      return (isLittle ? Array(field.reversed()) : Array(field)).reduce(0) { $0 << 8 | Int($1) }
    }
    guard let directory = number(4, 4), let entries = number(directory, 2) else { return 1 }
    for entry in 0..<entries {
      let offset = directory + 2 + entry * 12
      guard let tag = number(offset, 2) else { return 1 }
      if tag == 0x0112, let value = number(offset + 8, 2), (1...8).contains(value) { return value }
    }
    return 1
  }
}
