// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CPNG
internal import CTurboJPEG
internal import CYUV
internal import Media

/// The pixels of a decoded image: blue, green, red and alpha each, or one byte each that is an index into a palette.
@safe final class StillPixels {
  let size: PictureSize
  private let memory: UnsafeMutablePointer<UInt8>
  /// 256 colours, or empty if there is no palette.
  private var palette: [UInt32]

  /// - Parameter write: fills the memory, without row padding, and the palette, if there is one.
  init(
    size: PictureSize, hasPalette: Bool = false,
    write: (UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt32>?) -> Bool
  ) throws(StillError) {
    self.size = size
    unsafe memory = .allocate(capacity: size.width * size.height * (hasPalette ? 1 : 4))
    palette = Array(repeating: 0, count: hasPalette ? 256 : 0)
    let isWhole = unsafe palette.withUnsafeMutableBufferPointer {
      unsafe write(memory, hasPalette ? $0.baseAddress : nil)
    }
    guard isWhole else { throw .broken }
  }

  deinit { unsafe memory.deallocate() }

  /// Composites the image over black, in place.
  func overBlack() -> StillPixels {
    if palette.isEmpty {
      let row = Int32(size.width * 4)
      unsafe ARGBAttenuate(memory, row, memory, row, Int32(size.width), Int32(size.height))
    } else {
      unsafe palette.withUnsafeMutableBytes { colours in
        let bytes = unsafe colours.assumingMemoryBound(to: UInt8.self).baseAddress
        unsafe ARGBAttenuate(bytes, 1_024, bytes, 1_024, 256, 1)
      }
    }
    return self
  }

  /// - Parameter format: I420 of this size.
  func writeI420(to bytes: UnsafeMutableRawBufferPointer, _ format: FrameFormat) {
    guard let y = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    let row = format.bytesPerRow
    let chromaRow = (row + 1) / 2
    let cb = unsafe y + row * size.height
    let cr = unsafe cb + chromaRow * ((size.height + 1) / 2)
    func convert(_ pixels: UnsafePointer<UInt8>, top: Int, rows: Int) {
      let chroma = top / 2 * chromaRow
      unsafe ARGBToI420(
        pixels, Int32(size.width * 4), y + top * row, Int32(row), cb + chroma, Int32(chromaRow),
        cr + chroma, Int32(chromaRow), Int32(size.width), Int32(rows))
    }
    guard !palette.isEmpty else {
      unsafe convert(memory, top: 0, rows: size.height)
      return
    }
    // Two rows at a time, which share their chroma: all rows at once would take four times the memory.
    var colours = [UInt32](repeating: 0, count: size.width * 2)
    for top in stride(from: 0, to: size.height, by: 2) {
      let rows = min(2, size.height - top)
      let first = top * size.width
      for pixel in 0..<rows * size.width {
        colours[pixel] = unsafe palette[Int(memory[first + pixel])]
      }
      unsafe colours.withUnsafeBytes { colours in
        guard let start = unsafe colours.assumingMemoryBound(to: UInt8.self).baseAddress else {
          return
        }
        unsafe convert(start, top: top, rows: rows)
      }
    }
  }
}

/// Decodes PNG with libpng.
enum PNGDecoder {
  static func recognises(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
  }

  static func decode(_ bytes: [UInt8]) throws(StillError) -> StillPixels {
    var image = unsafe png_image()
    defer { unsafe png_image_free(&image) }
    // libpng keeps a pointer into the bytes between the two calls.
    let result = unsafe bytes.withUnsafeBytes { bytes -> Result<StillPixels, StillError> in
      Result { () throws(StillError) in
        guard unsafe onair_png_begin(&image, bytes.baseAddress, bytes.count) != 0 else {
          throw .broken
        }
        let size = unsafe PictureSize(width: Int(image.width), height: Int(image.height))
        try StillImage.check(size)
        return try unsafe StillPixels(size: size, hasPalette: onair_png_has_palette(&image) != 0) {
          unsafe onair_png_finish(&image, $0, $1) != 0
        }
      }
    }
    return try result.get().overBlack()
  }
}

/// Decodes JPEG with libjpeg-turbo.
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
    // libjpeg can scale down while it decodes, which saves memory and time.
    var shrink: Int32 = 1
    while shrink < 8, max(width, height) / (shrink * 2) >= Int32(StillImage.longestSide) {
      shrink *= 2
    }
    width = (width + shrink - 1) / shrink
    height = (height + shrink - 1) / shrink
    return try unsafe StillPixels(
      size: PictureSize(width: Int(width), height: Int(height))
    ) { pixels, _ in
      unsafe tjDecompress2(
        decoder, bytes, UInt(bytes.count), pixels, width, 0, height, Int32(TJPF_BGRA.rawValue),
        Int32(TJFLAG_LIMITSCANS)) == 0 || onair_jpeg_is_only_padded(decoder) != 0
    }
  }

  /// EXIF's Orientation (CIPA DC-008, tag 0x0112); 1, which is upright, if there is none.
  static func orientation(_ bytes: [UInt8]) -> Int {
    var offset = 2
    // JPEG's segments (ITU-T T.81, B.1.1.4) up to the start of scan (SOS).
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
