// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Makes PNG files of every colour type and depth, also interlaced ones (PNG, 2nd edition), byte by byte.
package struct PNGFile {
  package enum Colour: UInt8, CaseIterable {
    case grey = 0
    case rgb = 2
    case greyAlpha = 4
    case rgba = 6

    package var channels: Int {
      switch self {
      case .grey: 1
      case .rgb: 3
      case .greyAlpha: 2
      case .rgba: 4
      }
    }
  }

  package var width: Int
  package var height: Int
  package var colour = Colour.rgb
  package var depth = 8
  package var isInterlaced = false
  /// Chunks before the picture, and after it.
  package var chunks: [[UInt8]] = []
  package var laterChunks: [[UInt8]] = []

  package init(
    width: Int, height: Int, colour: Colour = .rgb, depth: Int = 8, isInterlaced: Bool = false,
    chunks: [[UInt8]] = [], laterChunks: [[UInt8]] = []
  ) {
    (self.width, self.height, self.colour, self.depth) = (width, height, colour, depth)
    (self.isInterlaced, self.chunks, self.laterChunks) = (isInterlaced, chunks, laterChunks)
  }

  private static let passes = [
    (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
    (0, 1, 1, 2),
  ]

  /// - Parameter pixel: red, green, blue and alpha in 8 bits each; grey is red.
  package func bytes(_ pixel: (Int, Int) -> (UInt8, UInt8, UInt8, UInt8)) -> [UInt8] {
    var rows: [UInt8] = []
    for (x0, y0, dx, dy) in isInterlaced ? PNGFile.passes : [(0, 0, 1, 1)] where x0 < width {
      for y in stride(from: y0, to: height, by: dy) {
        // No filter.
        rows.append(0)
        for x in stride(from: x0, to: width, by: dx) {
          let (red, green, blue, alpha) = pixel(x, y)
          let values: [UInt8] =
            switch colour {
            case .grey: [red]
            case .rgb: [red, green, blue]
            case .greyAlpha: [red, alpha]
            case .rgba: [red, green, blue, alpha]
            }
          // The same value in 16 bits: 257 times as large.
          for value in values { rows += depth == 16 ? [value, value] : [value] }
        }
      }
    }
    var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    file += PNGFile.chunk(
      "IHDR",
      PNGFile.number(width) + PNGFile.number(height)
        + [UInt8(depth), colour.rawValue, 0, 0, isInterlaced ? 1 : 0])
    for chunk in chunks { file += chunk }
    file += PNGFile.chunk("IDAT", PNGFile.stored(rows))
    for chunk in laterChunks { file += chunk }
    return file + PNGFile.chunk("IEND", [])
  }

  /// What `bytes` are as red, green, blue and alpha.
  package static func grey(_ value: UInt8) -> (Int, Int) -> (UInt8, UInt8, UInt8, UInt8) {
    { _, _ in (value, value, value, 255) }
  }

  package static func number(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  package static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
    let named = Array(name.utf8) + body
    return number(body.count) + named + crc(named[...])
  }

  package static func gamma(_ value: Int) -> [UInt8] { chunk("gAMA", number(value)) }

  /// A colour profile that says nothing.
  package static var profile: [UInt8] {
    chunk("iCCP", Array("a profile".utf8) + [0, 0] + stored([UInt8](repeating: 0, count: 200)))
  }

  /// EXIF data with an orientation.
  package static func exif(_ orientation: UInt8) -> [UInt8] {
    chunk(
      "eXIf",
      [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation]
        + [UInt8](repeating: 0, count: 7))
  }

  /// ISO 3309.
  package static func crc(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var crc: UInt32 = ~0
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return (0..<4).reversed().map { UInt8(truncatingIfNeeded: ~crc >> ($0 * 8)) }
  }

  /// zlib's format (RFC 1950) with stored blocks (RFC 1951, 3.2.4).
  private static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var out: [UInt8] = [0x78, 0x01]
    var rest = bytes[...]
    repeat {
      let block = rest.prefix(65_535)
      rest = rest.dropFirst(block.count)
      let count = UInt16(block.count)
      out += [rest.isEmpty ? 1 : 0]
      for value in [count, ~count] { out += [UInt8(value & 0xFF), UInt8(value >> 8)] }
      out += block
    } while !rest.isEmpty
    var (a, b) = (UInt32(1), UInt32(0))
    for byte in bytes {
      a = (a + UInt32(byte)) % 65_521
      b = (b + a) % 65_521
    }
    return out + number(Int(b << 16 | a))
  }
}
