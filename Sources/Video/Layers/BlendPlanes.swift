// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import CYUV
public import Media

/// A drawing that is ready to be blended over a picture: premultiplied 4:2:0 planes, and alpha planes of the sizes of
/// luma and of chroma. The drawing has a fixed size and colour description. Its content is fixed,
/// too, if it was made from pixels.
@safe public final class BlendPlanes: @unchecked Sendable {
  /// The size in pixels; both sides are even.
  public let size: PictureSize
  /// All five planes one after the other: luma, alpha at luma's size, Cb, Cr, alpha at chroma's size.
  private let memory: UnsafeMutablePointer<UInt8>
  /// The bytes from one row to the next in the planes of luma and of its alpha.
  private let yStride: Int
  /// The bytes from one row to the next in the planes of Cb, Cr and their alpha.
  private let chromaStride: Int

  /// Makes a drawing that is fully transparent.
  public init(transparent size: PictureSize) {
    self.size = PictureSize(width: (size.width + 1) & ~1, height: (size.height + 1) & ~1)
    yStride = (self.size.width + 63) & ~63
    chromaStride = (self.size.width / 2 + 63) & ~63
    let count = yStride * self.size.height * 2 + chromaStride * self.size.height / 2 * 3
    let raw = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 64)
    unsafe memory = raw.bindMemory(to: UInt8.self, capacity: count)
    unsafe memory.initialize(repeating: 0, count: count)
  }

  deinit { unsafe memory.deallocate() }

  /// The alpha plane of the size of luma.
  private var alpha: UnsafeMutablePointer<UInt8> { unsafe memory + yStride * size.height }
  /// One of the planes of the size of chroma: 0 is Cb, 1 is Cr, 2 is alpha.
  private func chroma(_ index: Int) -> UnsafeMutablePointer<UInt8> {
    unsafe alpha + yStride * size.height + index * chromaStride * (size.height / 2)
  }

  /// The planes for blending. Valid while this object lives.
  @unsafe public var picture: LayerPicture {
    unsafe LayerPicture(
      PlanarPicture(
        y: memory, cb: chroma(0), cr: chroma(1), yStride: yStride, chromaStride: chromaStride,
        size: size), alpha: alpha, chromaAlpha: chroma(2))
  }

  /// Converts a drawing from R'G'B'. A drawing of an odd width or height gets a transparent column or row.
  /// - Parameters:
  ///   - bgra: rows of blue, green, red and alpha, premultiplied, as Cairo's ARGB32 and libyuv's ARGB are in memory.
  ///   - bytesPerRow: the bytes from one row to the next; `nil` for rows without padding.
  ///   - colour: the colour description of the picture that the drawing is blended over. The drawing's red, green and
  ///     blue are taken to have the same primaries.
  ///   - alignment: where the drawing is in its layer's area. The column or row that is added to an odd size is on the
  ///     side away from the edge to which the drawing is aligned.
  public convenience init(
    bgra: UnsafeRawBufferPointer, bytesPerRow: Int? = nil, size: PictureSize, colour: Colour,
    alignment: LayerAlignment = .centre
  ) {
    self.init(transparent: size)
    let row = bytesPerRow ?? size.width * 4
    precondition(
      size.width > 0 && size.height > 0 && row >= size.width * 4
        && bgra.count >= row * (size.height - 1) + size.width * 4)
    let scale = YCbCrScale(colour)
    // The column and the row of the planes at which the drawing begins.
    let x0 = alignment.across == .end ? size.width & 1 : 0
    let y0 = alignment.down == .end ? size.height & 1 : 0
    for top in stride(from: 0, to: self.size.height, by: 2) {
      for left in stride(from: 0, to: self.size.width, by: 2) {
        // Chroma is the mean of four premultiplied pixels: a transparent pixel has no weight, so its hidden colour does
        // not show at an edge.
        var sum = SIMD4<Double>.zero
        for y in max(top, y0)..<min(top + 2, size.height + y0) {
          for x in max(left, x0)..<min(left + 2, size.width + x0) {
            let bytes = unsafe bgra.loadUnaligned(
              fromByteOffset: (y - y0) * row + (x - x0) * 4, as: SIMD4<UInt8>.self)
            let pixel = SIMD4<Double>(bytes)
            sum += pixel
            unsafe alpha[y * yStride + x] = bytes.w
            unsafe memory[y * yStride + x] = BlendPlanes.premultiplied(
              scale.luma(pixel), atMost: bytes.w)
          }
        }
        let mean = sum / 4
        let index = top / 2 * chromaStride + left / 2
        let cover = UInt8(mean.w.rounded())
        let (cb, cr) = scale.chroma(mean)
        unsafe chroma(0)[index] = BlendPlanes.premultiplied(cb, atMost: cover)
        unsafe chroma(1)[index] = BlendPlanes.premultiplied(cr, atMost: cover)
        unsafe chroma(2)[index] = cover
      }
    }
  }

  /// The bytes of memory that a drawing of a size takes.
  public static func byteCount(_ size: PictureSize) -> Int {
    let (width, height) = ((size.width + 1) & ~1, (size.height + 1) & ~1)
    return ((width + 63) & ~63) * height * 2 + ((width / 2 + 63) & ~63) * height / 2 * 3
  }

  /// Overwrites this drawing with a picture, which is scaled to the size of the drawing.
  func fill(scaling picture: LayerPicture) {
    let from = unsafe picture.planes
    func scale(_ plane: UnsafePointer<UInt8>?, to out: UnsafeMutablePointer<UInt8>, by half: Int) {
      let rows = size.height / half
      let (stride, outStride) =
        half == 1 ? unsafe (from.yStride, yStride) : unsafe (from.chromaStride, chromaStride)
      // A picture without alpha is opaque.
      guard let plane = unsafe plane else {
        return unsafe out.update(repeating: 255, count: outStride * rows)
      }
      unsafe ScalePlane(
        plane, Int32(stride), Int32(from.size.width / half), Int32(from.size.height / half), out,
        Int32(outStride), Int32(size.width / half), Int32(rows), kFilterBilinear)
    }
    unsafe scale(from.y, to: memory, by: 1)
    unsafe scale(picture.alpha, to: alpha, by: 1)
    unsafe scale(from.cb, to: chroma(0), by: 2)
    unsafe scale(from.cr, to: chroma(1), by: 2)
    unsafe scale(picture.chromaAlpha, to: chroma(2), by: 2)
  }

  /// Fills this drawing with the colour of the first pixel of another drawing.
  public func fill(with other: BlendPlanes) {
    let (luma, cover) = (yStride * size.height, chromaStride * (size.height / 2))
    unsafe memory.update(repeating: other.memory[0], count: luma)
    unsafe alpha.update(repeating: other.alpha[0], count: luma)
    for index in 0..<3 {
      unsafe chroma(index).update(repeating: other.chroma(index)[0], count: cover)
    }
  }

  /// Copies another drawing of the same height into this one. Parts that reach beyond this drawing are cut off.
  /// - Parameter x: the column of this drawing for the left edge of the other drawing; even.
  public func copy(_ other: BlendPlanes, x: Int) {
    let (left, right) = (max(0, x), min(size.width, x + other.size.width))
    guard left < right, size.height == other.size.height else { return }
    for row in 0..<size.height {
      let (to, from) = (row * yStride + left, row * other.yStride + left - x)
      unsafe (memory + to).update(from: other.memory + from, count: right - left)
      unsafe (alpha + to).update(from: other.alpha + from, count: right - left)
    }
    for row in 0..<size.height / 2 {
      let (to, from) = (
        row * chromaStride + left / 2, row * other.chromaStride + (left - x) / 2
      )
      for index in 0..<3 {
        unsafe (chroma(index) + to).update(
          from: other.chroma(index) + from, count: (right - left) / 2)
      }
    }
  }

  /// Rounds a premultiplied sample, and limits it to its alpha, which it must not exceed.
  private static func premultiplied(_ value: Double, atMost alpha: UInt8) -> UInt8 {
    UInt8(min(Double(alpha), max(0, value.rounded())))
  }
}

/// Converts premultiplied red, green and blue to premultiplied Y'CbCr. All values are from 0 to 255.
struct YCbCrScale {
  /// The weight of red in luma: 0 to 1.
  private let kr: Double
  /// The weight of blue in luma: 0 to 1.
  private let kb: Double
  /// The luma of black as a fraction of 255.
  private let black: Double
  /// The range of luma, from black to white, as a fraction of 255.
  private let lumaScale: Double
  /// The range of Cb and of Cr as a fraction of 255.
  private let chromaScale: Double

  init(_ colour: Colour) {
    (kr, kb) = colour.weights ?? Colour.bt709Weights
    (black, lumaScale, chromaScale) =
      colour.fullRange ? (0, 1, 1) : (16.0 / 255, 219.0 / 255, 224.0 / 255)
  }

  /// The premultiplied luma of a pixel in full range.
  private func light(_ pixel: SIMD4<Double>) -> Double {
    kb * pixel.x + (1 - kr - kb) * pixel.y + kr * pixel.z
  }

  /// The premultiplied luma of a pixel.
  /// - Parameter pixel: blue, green, red and alpha, premultiplied.
  func luma(_ pixel: SIMD4<Double>) -> Double { black * pixel.w + lumaScale * light(pixel) }

  /// The samples of an opaque colour: Y', Cb and Cr.
  func samples(red: UInt8, green: UInt8, blue: UInt8) -> SIMD3<UInt8> {
    let pixel = SIMD4(Double(blue), Double(green), Double(red), 255)
    let (cb, cr) = chroma(pixel)
    return SIMD3(
      SIMD3(luma(pixel), cb, cr).rounded(.toNearestOrAwayFromZero).clamped(
        lowerBound: .zero, upperBound: .init(repeating: 255)))
  }

  /// The premultiplied Cb and Cr of a pixel.
  /// - Parameter pixel: blue, green, red and alpha, premultiplied.
  func chroma(_ pixel: SIMD4<Double>) -> (cb: Double, cr: Double) {
    let (light, middle) = (light(pixel), pixel.w * 128 / 255)
    return (
      middle + chromaScale * (pixel.x - light) / (2 * (1 - kb)),
      middle + chromaScale * (pixel.z - light) / (2 * (1 - kr))
    )
  }
}
