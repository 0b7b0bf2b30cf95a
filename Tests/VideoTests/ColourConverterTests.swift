// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import TestSupport
import Testing

@testable import Video

/// The conversion from one matrix and range to another, beside the formulas of ITU-T H.273 in floating point.
@Suite struct ColourConverterTests {
  private static let size = PictureSize(width: 66, height: 34)
  private static let colours = [
    Colour.bt709, .webcam, .jpeg, Colour(fullRange: true, primaries: 1, transfer: 1, matrix: 1),
    Colour(fullRange: false, primaries: 9, transfer: 14, matrix: 9),
  ]

  /// Red, green and blue, 0 to 1.
  private typealias RGB = (red: Double, green: Double, blue: Double)
  private typealias YCbCr = (y: Double, cb: Double, cr: Double)

  private static func weights(_ colour: Colour) -> (kr: Double, kb: Double) {
    colour.matrix == 1 ? (0.2126, 0.0722) : colour.matrix == 9 ? (0.2627, 0.0593) : (0.299, 0.114)
  }

  private static func encoded(_ rgb: RGB, _ colour: Colour) -> YCbCr {
    let (kr, kb) = weights(colour)
    let y = kr * rgb.red + (1 - kr - kb) * rgb.green + kb * rgb.blue
    let (pb, pr) = ((rgb.blue - y) / (2 - 2 * kb), (rgb.red - y) / (2 - 2 * kr))
    return colour.fullRange
      ? (255 * y, 128 + 255 * pb, 128 + 255 * pr) : (16 + 219 * y, 128 + 224 * pb, 128 + 224 * pr)
  }

  private static func decoded(_ sample: YCbCr, _ colour: Colour) -> RGB {
    let (kr, kb) = weights(colour)
    let (black, luma, chroma) = colour.fullRange ? (0.0, 255.0, 255.0) : (16, 219, 224)
    let y = (sample.y - black) / luma
    let red = y + (2 - 2 * kr) * (sample.cr - 128) / chroma
    let blue = y + (2 - 2 * kb) * (sample.cb - 128) / chroma
    return (red, (y - kr * red - kb * blue) / (1 - kr - kb), blue)
  }

  private static func noise(_ dice: inout SplitMix64) -> PlaneBuffer {
    let buffer = PlaneBuffer(size: size)
    let planes = unsafe buffer.planes()
    for row in 0..<size.height {
      for x in 0..<size.width {
        unsafe planes.y[row * Int(planes.yStride) + x] = UInt8.random(in: 0...255, using: &dice)
      }
    }
    for row in 0..<size.height / 2 {
      for x in 0..<size.width / 2 {
        let index = unsafe row * Int(planes.chromaStride) + x
        unsafe planes.cb[index] = UInt8.random(in: 0...255, using: &dice)
        unsafe planes.cr[index] = UInt8.random(in: 0...255, using: &dice)
      }
    }
    return buffer
  }

  /// All colours into all others, with every sample that there can be.
  @Test func everySampleIsWithinTwoLevels() {
    var dice = SplitMix64(seed: 4)
    var worst = (y: 0.0, chroma: 0.0)
    let converter = ColourConverter()
    for from in Self.colours {
      for to in Self.colours where ColourConverter.isNeeded(from: from, to: to) {
        for _ in 0..<20 {
          let source = Self.noise(&dice)
          let before = unsafe VideoComposerTests.planes(source.picture)
          let after = unsafe VideoComposerTests.planes(
            converter.convert(source.picture, from: from, to: to))
          for row in 0..<Self.size.height {
            for x in 0..<Self.size.width {
              let (line, column) = (row / 2, x / 2)
              let sample: YCbCr = (
                Double(before.y[row][x]), Double(before.cb[line][column]),
                Double(before.cr[line][column])
              )
              let wanted = Self.encoded(Self.decoded(sample, from), to)
              func off(_ value: UInt8, _ wanted: Double) -> Double {
                abs(Double(value) - min(255, max(0, wanted)))
              }
              worst.y = max(worst.y, off(after.y[row][x], wanted.y))
              worst.chroma = max(
                worst.chroma, off(after.cb[line][column], wanted.cb),
                off(after.cr[line][column], wanted.cr))
            }
          }
        }
      }
    }
    #expect(worst.y < 1.5 && worst.chroma < 1.5, "\(worst)")
    print("colours: worst error \(worst)")
  }

  /// What looks the same needs no conversion.
  @Test func onlyMatrixAndRangeCount() {
    let sd = Colour(fullRange: false, primaries: 5, transfer: 6, matrix: 5)
    let unknown = Colour(fullRange: false, primaries: 2, transfer: 2, matrix: 2)
    #expect(!ColourConverter.isNeeded(from: .webcam, to: sd))
    #expect(!ColourConverter.isNeeded(from: unknown, to: .webcam))
    #expect(!ColourConverter.isNeeded(from: .bt709, to: unknown))
    #expect(ColourConverter.isNeeded(from: .webcam, to: .bt709))
    #expect(ColourConverter.isNeeded(from: unknown, to: .jpeg))
  }

  /// A frame of the programme's colour is passed on, one of another is converted and goes back to its source at once.
  @Test func onlyFramesOfAnotherColourAreConverted() throws {
    let composer = VideoComposer(Layout(size: VideoComposerTests.size, colour: .webcam))
    let own = try VideoComposerTests.frame(
      VideoComposerTests.bytes(.i420), .i420, colour: .webcam)
    let bytes = unsafe own.bytes.baseAddress
    try composer.take(own)
    #expect(unsafe UnsafeRawPointer(composer.compose(at: .distantPast).y) == bytes)
    let white = try VideoComposerTests.frame(
      [UInt8](repeating: 255, count: 128) + [UInt8](repeating: 128, count: 64), .i420,
      colour: .jpeg)
    try composer.take(white)
    let planes = unsafe VideoComposerTests.planes(composer.compose(at: .distantPast))
    #expect(planes.y.joined().allSatisfy { $0 == 235 })
    #expect(composer.frameColour == .jpeg)
    // The colour of the programme changes at the start of a broadcast: the frame that is there follows.
    composer.change(Layout(size: VideoComposerTests.size, colour: .jpeg))
    let again = unsafe VideoComposerTests.planes(composer.compose(at: .distantPast))
    #expect(again.y.joined().allSatisfy { $0 >= 254 })
    #expect(again.cr.joined().allSatisfy { $0 == 128 })
  }
}
