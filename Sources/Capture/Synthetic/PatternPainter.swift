// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Paints the frames of the test picture into I420 buffers.
struct PatternPainter {
  /// A colour as Y', Cb and Cr of BT.709, limited range.
  private struct Ink {
    var y: UInt8
    var cb: UInt8
    var cr: UInt8

    static let black = Ink(y: 16, cb: 128, cr: 128)
    static let white = Ink(y: 235, cb: 128, cr: 128)
  }

  /// The colours of the bars: white, yellow, cyan, green, magenta, red, blue at 75 % (SMPTE RP 219-1).
  private static let bars = [
    Ink(y: 180, cb: 128, cr: 128), Ink(y: 168, cb: 44, cr: 136), Ink(y: 145, cb: 147, cr: 44),
    Ink(y: 133, cb: 63, cr: 52), Ink(y: 63, cb: 193, cr: 204), Ink(y: 51, cb: 109, cr: 212),
    Ink(y: 28, cb: 212, cr: 120),
  ]

  /// The shapes of the digits 0 to 9, the colon and the point: seven rows of 5 bits each, the leftmost pixel in the
  /// highest bit.
  private static let glyphs: [[UInt8]] = [
    [0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110],
    [0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110],
    [0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111],
    [0b01110, 0b10001, 0b00001, 0b00110, 0b00001, 0b10001, 0b01110],
    [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010],
    [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110],
    [0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110],
    [0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000],
    [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110],
    [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100],
    [0b00000, 0b00100, 0b00100, 0b00000, 0b00100, 0b00100, 0b00000],
    [0b00000, 0b00000, 0b00000, 0b00000, 0b00000, 0b00100, 0b00100],
  ]

  /// The size of the frames in pixels.
  let size: PictureSize

  /// Paints a frame of the test picture.
  /// - Parameters:
  ///   - bytes: an I420 frame of `size` without row padding.
  ///   - moment: the time of day to show. The flash is white while `isBeat` is true for it, otherwise black.
  ///   - frame: the number of the frame, which determines the position of the moving white bar.
  func paint(
    _ bytes: UnsafeMutableRawBufferPointer, moment: SecondBeat.Moment, frame: Int64
  ) {
    for (index, ink) in PatternPainter.bars.enumerated() {
      let left = size.width * index / PatternPainter.bars.count & ~1
      let right = size.width * (index + 1) / PatternPainter.bars.count & ~1
      unsafe fill(bytes, x: left, y: 0, width: right - left, height: size.height, ink)
    }

    let band = even(size.height / 5)
    let bandTop = even((size.height - band) / 2)
    unsafe fill(bytes, x: 0, y: bandTop, width: size.width, height: band, .black)
    unsafe write(PatternPainter.digits(moment), bytes, top: bandTop, height: band)

    // The moving bar crosses the picture in 60 frames.
    let sweepWidth = max(2, even(size.width / 80))
    let travel = size.width - sweepWidth
    let sweepX = even(Int(frame % 60) * travel / 59)
    let sweepTop = even(size.height * 3 / 4)
    unsafe fill(
      bytes, x: sweepX, y: sweepTop, width: sweepWidth, height: even(size.height / 8), .white)

    let side = even(size.height / 5)
    unsafe fill(
      bytes, x: even((size.width - side) / 2), y: even(size.height / 16), width: side,
      height: side, moment.isBeat ? .white : .black)
  }

  /// The characters of "HH:MM:SS.mmm" as indices into `glyphs`.
  private static func digits(_ moment: SecondBeat.Moment) -> InlineArray<12, Int> {
    let (h, m, s) = (moment.hours, moment.minutes, moment.seconds)
    let f = moment.milliseconds
    return [
      h / 10, h % 10, 10, m / 10, m % 10, 10, s / 10, s % 10, 11, f / 100, f / 10 % 10, f % 10,
    ]
  }

  /// Draws a row of characters in white, centred in the band of `height` pixels that begins at the row `top`.
  /// - Parameter glyphIndices: the characters as indices into `glyphs`.
  private func write(
    _ glyphIndices: InlineArray<12, Int>, _ bytes: UnsafeMutableRawBufferPointer, top: Int,
    height: Int
  ) {
    // A character takes 6 by 9 cells, of which its glyph fills 5 by 7.
    let cell = max(2, even(min(height / 9, size.width / (12 * 6 + 2))))
    let left = even((size.width - 12 * 6 * cell) / 2)
    let base = even(top + (height - 7 * cell) / 2)
    for place in 0..<12 {
      for row in 0..<7 {
        let bits = PatternPainter.glyphs[glyphIndices[place]][row]
        for column in 0..<5 where bits & (0b10000 >> UInt8(column)) != 0 {
          let x = left + (place * 6 + column) * cell
          unsafe fill(bytes, x: x, y: base + row * cell, width: cell, height: cell, .white)
        }
      }
    }
  }

  /// Fills a rectangle with a colour, clipped to the picture. Position and size must be even.
  private func fill(
    _ bytes: UnsafeMutableRawBufferPointer, x: Int, y: Int, width: Int, height: Int, _ ink: Ink
  ) {
    let left = max(0, x)
    let right = min(size.width, x + width)
    let top = max(0, y)
    let bottom = min(size.height, y + height)
    guard left < right, top < bottom, let base = bytes.baseAddress else { return }
    for row in top..<bottom {
      unsafe (base + row * size.width + left).initializeMemory(
        as: UInt8.self, repeating: ink.y, count: right - left)
    }
    let chromaWidth = size.width / 2
    let cb = unsafe base + size.width * size.height
    let cr = unsafe cb + chromaWidth * (size.height / 2)
    for row in top / 2..<bottom / 2 {
      let offset = row * chromaWidth + left / 2
      let count = (right - left) / 2
      unsafe (cb + offset).initializeMemory(as: UInt8.self, repeating: ink.cb, count: count)
      unsafe (cr + offset).initializeMemory(as: UInt8.self, repeating: ink.cr, count: count)
    }
  }

  /// The value, rounded down to an even number.
  private func even(_ value: Int) -> Int { value & ~1 }
}
