// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CPixels
internal import Media

extension Colour {
  /// The weights of red and blue in the luma of BT.709.
  static let bt709Weights = (kr: 0.2126, kb: 0.0722)

  /// The weights of red and blue in luma (ITU-T H.273, table 4); `nil` for a matrix that OnAir does not know.
  var weights: (kr: Double, kb: Double)? {
    switch matrix {
    case 1: Colour.bt709Weights
    case 5, 6: (kr: 0.299, kb: 0.114)
    case 9: (kr: 0.2627, kb: 0.0593)
    default: nil
    }
  }
}

/// Converts 4:2:0 planes from one matrix and range to another. Each chroma sample is used for its four luma samples.
/// Primaries and transfer are not converted: they are similar in all live sources. Used by one thread.
@safe final class ColourConverter {
  /// A pair of colour descriptions.
  private struct Conversion: Equatable {
    var from: Colour
    var to: Colour
  }

  /// The pair of colour descriptions for which `coefficients` were computed.
  private var conversion: Conversion?
  /// The factors with which `convert` changes luma and chroma.
  private var coefficients = onair_recolouring()
  /// The result of the last conversion.
  private var buffer: PlaneBuffer?
  /// Scratch memory of `convert`: for each column of luma, the number that the current row of chroma adds to the
  /// converted luma.
  private var lumaFromChroma = unsafe UnsafeMutableBufferPointer<Int16>(start: nil, count: 0)

  deinit { unsafe lumaFromChroma.deallocate() }

  /// Whether samples with the colour description `from` have to be converted for a picture with the description `to`.
  static func isNeeded(from: Colour, to: Colour) -> Bool {
    guard from.fullRange == to.fullRange else { return true }
    guard let (before, after) = weights(from, to) else { return false }
    return before != after
  }

  /// The weights of red and blue in luma for both colours. If only one matrix is known, its weights are used for both;
  /// `nil` if neither is known.
  private static func weights(
    _ from: Colour, _ to: Colour
  ) -> ((kr: Double, kb: Double), (kr: Double, kb: Double))? {
    guard let one = from.weights ?? to.weights else { return nil }
    return (one, to.weights ?? one)
  }

  /// Converts a picture.
  /// - Parameter picture: must not be the result of the last call, whose buffer is overwritten.
  /// - Returns: planes that are valid until the next call.
  @unsafe func convert(_ picture: PlanarPicture, from: Colour, to: Colour) -> PlanarPicture {
    let size = unsafe picture.size
    let target: PlaneBuffer
    if let buffer, buffer.size == size {
      target = buffer
    } else {
      target = PlaneBuffer(size: size)
      buffer = target
      unsafe lumaFromChroma.deallocate()
      unsafe lumaFromChroma = .allocate(capacity: size.width + 1)
    }
    if conversion != Conversion(from: from, to: to) {
      conversion = Conversion(from: from, to: to)
      coefficients = ColourConverter.coefficients(from: from, to: to)
    }
    guard let lumaFromChroma = unsafe lumaFromChroma.baseAddress else { return unsafe picture }
    let out = unsafe target.planes()
    let (row, chromaRow) = unsafe (Int(out.yStride), Int(out.chromaStride))
    for line in 0..<(size.height + 1) / 2 {
      let (from, to) = unsafe (line * picture.chromaStride, line * chromaRow)
      unsafe onair_recolour_chroma(
        out.cb + to, out.cr + to, lumaFromChroma, picture.cb + from, picture.cr + from,
        (size.width + 1) / 2, &coefficients)
      for y in line * 2..<min(line * 2 + 2, size.height) {
        unsafe onair_recolour_luma(
          out.y + y * row, picture.y + y * picture.yStride, lumaFromChroma, size.width,
          &coefficients)
      }
    }
    return unsafe target.picture
  }

  /// The coefficients that convert samples of one Y'CbCr colour description directly to another. They combine the
  /// conversion to red, green and blue with the conversion back to Y'CbCr.
  private static func coefficients(from: Colour, to: Colour) -> onair_recolouring {
    let (one, other) = weights(from, to) ?? (Colour.bt709Weights, Colour.bt709Weights)
    /// Converts the luma and the chroma differences of one colour from the matrix of `from` to the matrix of `to`.
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
