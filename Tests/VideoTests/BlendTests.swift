// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import TestSupport
import Testing

@testable import Video

/// The loop that draws layers, beside a slow one.
@Suite struct BlendTests {
  typealias Planes = (y: [[UInt8]], cb: [[UInt8]], cr: [[UInt8]])
  static let size = PictureSize(width: 98, height: 54)

  static func buffer(_ size: PictureSize, _ dice: inout SplitMix64) -> PlaneBuffer {
    let buffer = PlaneBuffer(size: size)
    let planes = unsafe buffer.planes()
    for row in 0..<size.height {
      for x in 0..<size.width {
        unsafe planes.y[row * Int(planes.yStride) + x] = UInt8.random(in: 0...255, using: &dice)
        guard row % 2 == 0, x % 2 == 0 else { continue }
        let index = unsafe row / 2 * Int(planes.chromaStride) + x / 2
        unsafe planes.cb[index] = UInt8.random(in: 0...255, using: &dice)
        unsafe planes.cr[index] = UInt8.random(in: 0...255, using: &dice)
      }
    }
    return buffer
  }

  /// A drawing of random colours and alphas, of which a third each is transparent and opaque.
  static func drawing(
    _ size: PictureSize, _ colour: Colour, _ dice: inout SplitMix64
  ) -> BlendPlanes {
    var bytes: [UInt8] = []
    for _ in 0..<size.width * size.height {
      let alpha =
        [0, 255, UInt8.random(in: 0...255, using: &dice)].randomElement(using: &dice) ?? 0
      for _ in 0..<3 { bytes.append(UInt8.random(in: 0...alpha, using: &dice)) }
      bytes.append(alpha)
    }
    return unsafe bytes.withUnsafeBytes { bytes in
      unsafe BlendPlanes(bgra: bytes, size: size, colour: colour)
    }
  }

  private static func rounded(_ dividend: Int) -> Int { (2 * dividend + 255) / 510 }

  /// Draws a plane sample by sample.
  private static func blend(
    _ plane: inout [[UInt8]], _ layer: UnsafePointer<UInt8>, _ alpha: UnsafePointer<UInt8>?,
    stride: Int, at origin: (x: Int, y: Int), size: PictureSize, in area: Rectangle, opacity: Int
  ) {
    for row in 0..<size.height {
      for column in 0..<size.width {
        let (x, y) = (origin.x + column, origin.y + row)
        guard plane.indices.contains(y), plane[y].indices.contains(x),
          (area.x..<area.x + area.size.width).contains(x),
          (area.y..<area.y + area.size.height).contains(y)
        else { continue }
        let below = Int(plane[y][x])
        let above = unsafe Int(layer[row * stride + column])
        let result: Int
        if let alpha = unsafe alpha {
          let cover = rounded(unsafe Int(alpha[row * stride + column]) * opacity)
          result = rounded(above * opacity) + rounded(below * (255 - cover))
        } else {
          result = rounded(above * opacity + below * (255 - opacity))
        }
        plane[y][x] = UInt8(result)
      }
    }
  }

  private static func expected(
    _ base: Planes, _ layer: LayerPicture, in area: Rectangle, opacity: Int
  ) -> Planes {
    var out = base
    let planes = unsafe layer.planes
    let size = unsafe planes.size
    let half = PictureSize(width: size.width / 2, height: size.height / 2)
    let x = area.x + ((area.size.width - size.width) / 2 & ~1)
    let y = area.y + ((area.size.height - size.height) / 2 & ~1)
    let halfArea = Rectangle(
      x: area.x / 2, y: area.y / 2,
      size: PictureSize(width: area.size.width / 2, height: area.size.height / 2))
    unsafe blend(
      &out.y, planes.y, layer.alpha, stride: planes.yStride, at: (x, y), size: size, in: area,
      opacity: opacity)
    unsafe blend(
      &out.cb, planes.cb, layer.chromaAlpha, stride: planes.chromaStride, at: (x / 2, y / 2),
      size: half, in: halfArea, opacity: opacity)
    unsafe blend(
      &out.cr, planes.cr, layer.chromaAlpha, stride: planes.chromaStride, at: (x / 2, y / 2),
      size: half, in: halfArea, opacity: opacity)
    return out
  }

  /// Anywhere, also partly or wholly outside, of any size and opacity, with and without an alpha: each sample is that of the
  /// slow loop, and none outside of the area changes.
  @Test func randomLayersAreDrawnExactly() {
    var dice = SplitMix64(seed: 21)
    func even(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &dice) & ~1 }
    for round in 0..<400 {
      let base = Self.buffer(Self.size, &dice)
      let before = unsafe VideoComposerTests.planes(base.picture)
      let area = Rectangle(
        x: even(-60...100), y: even(-40...60),
        size: PictureSize(width: even(2...140), height: even(2...90)))
      let size = PictureSize(width: even(2...140), height: even(2...90))
      let drawing = Self.drawing(size, .bt709, &dice)
      let opaque = Self.buffer(size, &dice)
      let layer =
        unsafe round % 3 == 0 ? LayerPicture(opaque.picture) : drawing.picture
      let opacity =
        round % 2 == 0 ? 255 : [0, 1, 254, UInt8.random(in: 0...255, using: &dice)][round / 2 % 4]
      unsafe Blender.draw(layer, on: base.planes(), size: Self.size, in: area, opacity: opacity)
      let after = unsafe VideoComposerTests.planes(base.picture)
      let wanted = unsafe Self.expected(before, layer, in: area, opacity: Int(opacity))
      #expect(
        after.y == wanted.y && after.cb == wanted.cb && after.cr == wanted.cr,
        "round \(round): \(area), \(size), \(opacity)")
      withExtendedLifetime((drawing, opaque)) {}
    }
  }

  /// Colours of the drawing, in each colour of the picture: primaries at full and half alpha, and nothing else.
  @Test(arguments: [Colour.bt709, .webcam, .jpeg])
  func aDrawingHasTheColourOfThePicture(colour: Colour) throws {
    let size = PictureSize(width: 4, height: 2)
    // Red, and white at half alpha beside what is transparent but has a colour hidden in it.
    let red: [UInt8] = [0, 0, 255, 255]
    let white: [UInt8] = [128, 128, 128, 128]
    let rows = [red, red, white, [0, 0, 0, 0]].flatMap { $0 }
    let planes = unsafe (rows + rows).withUnsafeBytes { bytes in
      unsafe BlendPlanes(bgra: bytes, size: size, colour: colour)
    }
    let base = PlaneBuffer(size: size)
    base.blacken(fullRange: colour.fullRange)
    unsafe Blender.draw(
      planes.picture, on: base.planes(), size: size, in: Rectangle(x: 0, y: 0, size: size),
      opacity: 255)
    let after = unsafe VideoComposerTests.planes(base.picture)
    let expected: (y: UInt8, cb: UInt8, cr: UInt8, grey: UInt8, black: UInt8) =
      switch colour {
      case .bt709: (63, 102, 240, 126, 16)
      case .webcam: (81, 90, 240, 126, 16)
      default: (76, 85, 255, 128, 0)
      }
    #expect(abs(Int(after.y[0][0]) - Int(expected.y)) <= 1)
    #expect(abs(Int(after.cb[0][0]) - Int(expected.cb)) <= 1)
    #expect(abs(Int(after.cr[0][0]) - Int(expected.cr)) <= 1)
    #expect(abs(Int(after.y[0][2]) - Int(expected.grey)) <= 1)
    #expect(after.y[0][3] == expected.black)
    #expect(abs(Int(after.cb[0][1]) - 128) <= 1 && abs(Int(after.cr[0][1]) - 128) <= 1)
  }

  /// An odd size gets a transparent neighbour, away from the edge to which the layer is aligned.
  @Test(
    arguments: [
      (LayerAlignment(.start, .start), [[255, 255, 255, 0], [0, 0, 0, 0]]),
      (.centre, [[255, 255, 255, 0], [0, 0, 0, 0]]),
      (LayerAlignment(.end, .start), [[0, 255, 255, 255], [0, 0, 0, 0]]),
      (LayerAlignment(.end, .end), [[0, 0, 0, 0], [0, 255, 255, 255]]),
    ] as [(LayerAlignment, [[UInt8]])])
  func anOddDrawingKeepsItsPixels(_ alignment: LayerAlignment, _ wanted: [[UInt8]]) {
    let size = PictureSize(width: 3, height: 1)
    let planes = unsafe [UInt8](repeating: 255, count: 12).withUnsafeBytes { bytes in
      unsafe BlendPlanes(bgra: bytes, size: size, colour: .jpeg, alignment: alignment)
    }
    #expect(planes.size == PictureSize(width: 4, height: 2))
    let base = PlaneBuffer(size: planes.size)
    base.blacken(fullRange: true)
    unsafe Blender.draw(
      planes.picture, on: base.planes(), size: planes.size,
      in: Rectangle(x: 0, y: 0, size: planes.size), opacity: 255)
    let after = unsafe VideoComposerTests.planes(base.picture)
    #expect(after.y == wanted)
    // Chroma lies below the same pixels.
    let cover = withExtendedLifetime(planes) {
      unsafe planes.picture.chromaAlpha.map { unsafe [$0[0], $0[1]] }
    }
    #expect(cover == (alignment.across == .end ? [64, 128] : [128, 64]))
  }
}
