// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CPixels
internal import Media

extension Colour {
  static let bt709Weights = (kr: 0.2126, kb: 0.0722)

  /// What red and blue count for in luma (ITU-T H.273, table 4); `nil` for a matrix that is not known.
  var weights: (kr: Double, kb: Double)? {
    switch matrix {
    case 1: Colour.bt709Weights
    case 5, 6: (kr: 0.299, kb: 0.114)
    case 9: (kr: 0.2627, kb: 0.0593)
    default: nil
    }
  }
}

/// Converts 4:2:0 planes from one matrix and range to another, with each chroma sample for its four luma samples. Primaries
/// and transfer stay: those of sources that can be live are alike. Used by one thread.
@safe final class ColourConverter {
  private struct Way: Equatable {
    var from: Colour
    var to: Colour
  }

  private var way: Way?
  private var numbers = onair_recolouring()
  private var buffer: PlaneBuffer?
  /// The part of the converted luma that a row of chroma contributes.
  private var added = unsafe UnsafeMutableBufferPointer<Int16>(start: nil, count: 0)

  deinit { unsafe added.deallocate() }

  /// Whether samples of one colour mean something else in another.
  static func isNeeded(from: Colour, to: Colour) -> Bool {
    guard from.fullRange == to.fullRange else { return true }
    guard let (before, after) = weights(from, to) else { return false }
    return before != after
  }

  /// A matrix that is not known is taken for the other one.
  private static func weights(
    _ from: Colour, _ to: Colour
  ) -> ((kr: Double, kb: Double), (kr: Double, kb: Double))? {
    guard let one = from.weights ?? to.weights else { return nil }
    return (one, to.weights ?? one)
  }

  /// - Returns: planes that are valid until the next call. Those of the last call must not be passed in.
  @unsafe func convert(_ picture: PlanarPicture, from: Colour, to: Colour) -> PlanarPicture {
    let size = unsafe picture.size
    let target: PlaneBuffer
    if let buffer, buffer.size == size {
      target = buffer
    } else {
      target = PlaneBuffer(size: size)
      buffer = target
      unsafe added.deallocate()
      unsafe added = .allocate(capacity: size.width + 1)
    }
    if way != Way(from: from, to: to) {
      way = Way(from: from, to: to)
      numbers = ColourConverter.numbers(from: from, to: to)
    }
    guard let added = unsafe added.baseAddress else { return unsafe picture }
    let out = unsafe target.planes()
    let (row, chromaRow) = unsafe (Int(out.yStride), Int(out.chromaStride))
    for line in 0..<(size.height + 1) / 2 {
      let (from, to) = unsafe (line * picture.chromaStride, line * chromaRow)
      unsafe onair_recolour_chroma(
        out.cb + to, out.cr + to, added, picture.cb + from, picture.cr + from,
        (size.width + 1) / 2, &numbers)
      for y in line * 2..<min(line * 2 + 2, size.height) {
        unsafe onair_recolour_luma(
          out.y + y * row, picture.y + y * picture.yStride, added, size.width, &numbers)
      }
    }
    return unsafe target.picture
  }

  /// The way over red, green and blue, as one step.
  private static func numbers(from: Colour, to: Colour) -> onair_recolouring {
    let (one, other) = weights(from, to) ?? (Colour.bt709Weights, Colour.bt709Weights)
    /// The luma and the chroma differences in the new matrix, of those in the old one.
    func changed(_ y: Double, _ pb: Double, _ pr: Double) -> (y: Double, pb: Double, pr: Double) {
      let (red, blue) = (y + 2 * (1 - one.kr) * pr, y + 2 * (1 - one.kb) * pb)
      let green = (y - one.kr * red - one.kb * blue) / (1 - one.kr - one.kb)
      let light = other.kr * red + (1 - other.kr - other.kb) * green + other.kb * blue
      return (light, (blue - light) / (2 * (1 - other.kb)), (red - light) / (2 * (1 - other.kr)))
    }
    func scales(_ colour: Colour) -> (black: Double, luma: Double, chroma: Double) {
      colour.fullRange ? (0, 255, 255) : (16, 219, 224)
    }
    func in512ths(_ value: Double) -> Int16 { Int16((value * 512).rounded()) }
    let (old, new) = (scales(from), scales(to))
    let luma = new.luma / old.luma
    let (toLuma, toChroma) = (new.luma / old.chroma, new.chroma / old.chroma)
    let (cb, cr) = (changed(0, 1, 0), changed(0, 0, 1))
    return onair_recolouring(
      luma: in512ths(luma - 1),
      offset: Int16(((new.black - luma * old.black) * 64).rounded()) + 32,
      cb_to_luma: in512ths(cb.y * toLuma), cr_to_luma: in512ths(cr.y * toLuma),
      cb_to_cb: in512ths(cb.pb * toChroma - 1), cr_to_cb: in512ths(cr.pb * toChroma),
      cb_to_cr: in512ths(cb.pr * toChroma), cr_to_cr: in512ths(cr.pr * toChroma - 1))
  }
}
