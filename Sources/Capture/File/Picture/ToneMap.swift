// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CFFmpeg
internal import Glibc

/// Converts 10-bit Y'CbCr 4:2:0 with high dynamic range (HLG or PQ, Rec. ITU-R BT.2100) or a wide gamut to 8-bit
/// BT.709.
///
/// Light up to half of the reference white (203 cd/m², Report ITU-R BT.2408) stays as it is. A curve compresses
/// brighter light to at most the white of BT.709. Red, green and blue are each mapped by tables; colours outside of
/// BT.709 are clipped. Used by one thread.
@safe final class ToneMap {
  /// The properties of the source's colours on which the tables depend.
  struct Kind: Hashable {
    enum Transfer { case hlg, pq, sdr }
    enum Gamut { case bt709, bt2020, p3 }

    var transfer: Transfer
    var gamut: Gamut
    /// The matrix coefficients by H.273's number: 1, 4, 5, 6, 7 or 9.
    var matrix: Int32
    var fullRange: Bool

    /// Finds out how the colours of a frame have to be mapped.
    /// - Parameters: H.273's numbers as the file states them.
    /// - Returns: `nil` for colours that BT.709 video can state as they are, which need no mapping.
    init?(primaries: UInt32, transfer: UInt32, matrix: UInt32, fullRange: Bool) {
      self.transfer = transfer == 18 ? .hlg : transfer == 16 ? .pq : .sdr
      let isBT2020 = matrix == 9 || matrix == 10
      switch primaries {
      case 9: gamut = .bt2020
      case 11, 12: gamut = .p3
      case 1, 4, 5, 6, 7: gamut = .bt709
      default: gamut = isBT2020 || self.transfer != .sdr ? .bt2020 : .bt709
      }
      guard self.transfer != .sdr || gamut != .bt709 || isBT2020 else { return nil }
      self.matrix = [1, 4, 5, 6, 7].contains(matrix) ? Int32(matrix) : 9
      self.fullRange = fullRange
    }
  }

  /// The properties of the source's colours for which the tables were made.
  let kind: Kind
  /// The number that represents the linear light 1.0 in the tables.
  private static let lightUnit = 1 << 14
  /// The tables `red`, `green` and `blue` have this many entries for values below black, and as many for values above
  /// white. A value v of R', G' or B' (0 is black, 1023 is white) has its entry at the index v + `margin`.
  private static let margin = 256
  /// The number of entries of each of the tables `red`, `green` and `blue`.
  private static let entryCount = 1024 + 2 * margin
  /// Tables from R', G' or B' of the source to the linear red, green and blue of BT.709 that give the same light.
  private let red, green, blue: UnsafeMutablePointer<SIMD4<Int32>>
  /// A table from linear light to R', G' or B' of BT.709, in 1024ths.
  private let signalOfLight: UnsafeMutablePointer<Int32>
  /// Tables from a code value of Y', Cb or Cr of the source to the amount that it adds to R', G' or B'. The unit is
  /// 1/64 of a step, and white is at 1023 steps.
  private let luma, redOfCr, greenOfCr, greenOfCb, blueOfCb: UnsafeMutablePointer<Int32>

  init(_ kind: Kind) {
    self.kind = kind
    func numbers(_ count: Int, _ value: (Int) -> Double) -> UnsafeMutablePointer<Int32> {
      let table = UnsafeMutablePointer<Int32>.allocate(capacity: count)
      for index in 0..<count {
        unsafe (table + index).initialize(to: Int32(value(index).rounded()))
      }
      return unsafe table
    }
    func lights(_ column: [Double]) -> UnsafeMutablePointer<SIMD4<Int32>> {
      let table = UnsafeMutablePointer<SIMD4<Int32>>.allocate(capacity: ToneMap.entryCount)
      for index in 0..<ToneMap.entryCount {
        let code = Double(index - ToneMap.margin) / 1023
        let light = ToneMap.light(code, kind.transfer) * Double(ToneMap.lightUnit)
        let parts = column.map { Int32((light * $0).rounded()) }
        unsafe (table + index).initialize(to: SIMD4(parts[0], parts[1], parts[2], 0))
      }
      return unsafe table
    }
    let columns = ToneMap.columns(kind.gamut)
    unsafe red = lights(columns[0])
    unsafe green = lights(columns[1])
    unsafe blue = lights(columns[2])
    unsafe signalOfLight = numbers(ToneMap.lightUnit + 1) {
      1024 * ToneMap.signal(Double($0) / Double(ToneMap.lightUnit), kind.transfer)
    }
    let (kr, kb) = ToneMap.weights(kind.matrix)
    let kg = 1 - kr - kb
    let (black, span, chroma) = kind.fullRange ? (0.0, 1023.0, 1023.0) : (64, 876, 896)
    let scale = 64.0 * 1023
    unsafe luma = numbers(1024) { (Double($0) - black) / span * scale }
    func part(_ factor: Double) -> UnsafeMutablePointer<Int32> {
      unsafe numbers(1024) { (Double($0) - 512) / chroma * scale * factor }
    }
    unsafe redOfCr = part(2 * (1 - kr))
    unsafe greenOfCr = part(-2 * (1 - kr) * kr / kg)
    unsafe greenOfCb = part(-2 * (1 - kb) * kb / kg)
    unsafe blueOfCb = part(2 * (1 - kb))
  }

  deinit {
    unsafe red.deallocate()
    unsafe green.deallocate()
    unsafe blue.deallocate()
    unsafe signalOfLight.deallocate()
    unsafe luma.deallocate()
    unsafe redOfCr.deallocate()
    unsafe greenOfCr.deallocate()
    unsafe greenOfCb.deallocate()
    unsafe blueOfCb.deallocate()
  }

  /// Converts a value of R', G' or B' (0 is black, 1 is white) to linear light, where 1 is the white of BT.709. The
  /// light of HLG and PQ is compressed to 0…1.
  static func light(_ code: Double, _ transfer: Kind.Transfer) -> Double {
    let code = max(0, code)
    switch transfer {
    case .sdr:
      return min(1, code < 0.081 ? code / 4.5 : pow((code + 0.099) / 1.099, 1 / 0.45))
    case .hlg:
      // The curve of HLG (BT.2100, table 5) gives the light of the scene; the reference white is at 26.5 %.
      let (a, b, c) = (0.17883277, 0.28466892, 0.55991073)
      let scene = code <= 0.5 ? code * code / 3 : (exp((min(code, 1.2) - c) / a) + b) / 12
      return rolledOff(scene / 0.265)
    case .pq:
      // The curve of PQ (BT.2100, table 4).
      let (m1, m2) = (2610.0 / 16384, 2523.0 / 4096 * 128)
      let (c1, c2, c3) = (3424.0 / 4096, 2413.0 / 4096 * 32, 2392.0 / 4096 * 32)
      let root = pow(min(code, 1), 1 / m2)
      return rolledOff(pow(max(0, root - c1) / (c2 - c3 * root), 1 / m1) * 10_000 / 203)
    }
  }

  /// Compresses the light above half of the reference white, so that the result is at most 1.
  private static func rolledOff(_ light: Double) -> Double {
    light <= 0.5 ? light : 1 - 0.5 * exp(-(light - 0.5) / 0.5)
  }

  /// The R', G' or B' of BT.709 that shows linear light. HLG describes the light of the scene, so the curve of a BT.709
  /// camera is used. PQ describes the light of the display, so the inverse of a display's curve is used.
  private static func signal(_ light: Double, _ transfer: Kind.Transfer) -> Double {
    if transfer == .pq { return pow(light, 1 / 2.4) }
    return light < 0.018 ? light * 4.5 : 1.099 * pow(light, 0.45) - 0.099
  }

  /// For each primary of `gamut`, the linear red, green and blue of BT.709 that give its light (BT.2407; SMPTE EG
  /// 432-1).
  private static func columns(_ gamut: Kind.Gamut) -> [[Double]] {
    switch gamut {
    case .bt709: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    case .bt2020:
      [[1.6605, -0.1246, -0.0182], [-0.5876, 1.1329, -0.1006], [-0.0728, -0.0083, 1.1187]]
    case .p3: [[1.2249, -0.0420, -0.0197], [-0.2247, 1.0419, -0.0786], [0, 0, 1.0979]]
    }
  }

  /// The weights of red and blue in Y', for matrix coefficients by H.273's number.
  private static func weights(_ matrix: Int32) -> (red: Double, blue: Double) {
    switch matrix {
    case 1: (0.2126, 0.0722)
    case 4: (0.30, 0.11)
    case 7: (0.212, 0.087)
    case 9: (0.2627, 0.0593)
    default: (0.299, 0.114)
    }
  }

  /// Converts a frame in the format AV_PIX_FMT_YUV420P10LE, whose size is `size`.
  func convert(_ frame: UnsafePointer<AVFrame>, to size: PictureSize, into out: FramePlanes) {
    func plane(_ bytes: UnsafeMutablePointer<UInt8>?) -> UnsafePointer<UInt16>? {
      unsafe UnsafeRawPointer(bytes)?.assumingMemoryBound(to: UInt16.self)
    }
    let strides = unsafe frame.pointee.linesize
    guard let y = unsafe plane(frame.pointee.data.0), let cb = unsafe plane(frame.pointee.data.1),
      let cr = unsafe plane(frame.pointee.data.2)
    else { return }
    for line in 0..<size.height / 2 {
      let upper = unsafe y + 2 * line * Int(strides.0 / 2)
      let outUpper = unsafe out.y + 2 * line * out.row
      let outChroma = unsafe line * out.chromaRow
      unsafe convertTwoRows(
        upper, upper + Int(strides.0 / 2), cb + line * Int(strides.1 / 2),
        cr + line * Int(strides.2 / 2), width: size.width, outUpper, outUpper + out.row,
        out.cb + outChroma, out.cr + outChroma)
    }
  }

  /// Converts two rows of Y' with the row of Cb and Cr that they share. `width` is in pixels.
  private func convertTwoRows(
    _ upper: UnsafePointer<UInt16>, _ lower: UnsafePointer<UInt16>, _ cb: UnsafePointer<UInt16>,
    _ cr: UnsafePointer<UInt16>, width: Int, _ outUpper: UnsafeMutablePointer<UInt8>,
    _ outLower: UnsafeMutablePointer<UInt8>, _ outCb: UnsafeMutablePointer<UInt8>,
    _ outCr: UnsafeMutablePointer<UInt8>
  ) {
    for column in 0..<width / 2 {
      let cbCode = unsafe Int(cb[column] & 1023)
      let crCode = unsafe Int(cr[column] & 1023)
      let chroma = unsafe SIMD4<Int32>(
        redOfCr[crCode], greenOfCr[crCode] &+ greenOfCb[cbCode], blueOfCb[cbCode], 0)
      var sum = SIMD4<Int32>()
      let left = 2 * column
      unsafe sum &+= convert(upper[left], chroma, into: outUpper + left)
      unsafe sum &+= convert(upper[left + 1], chroma, into: outUpper + left + 1)
      unsafe sum &+= convert(lower[left], chroma, into: outLower + left)
      unsafe sum &+= convert(lower[left + 1], chroma, into: outLower + left + 1)
      // `sum` adds up four pixels in 1024ths, which is a factor of 2^12. The factors below are the weights of BT.709
      // for 224 steps, in 32nds. So the result has to be divided by 2^17.
      let blue = 3_584 &* sum.z &- 821 &* sum.x &- 2_763 &* sum.y
      let red = 3_584 &* sum.x &- 3_255 &* sum.y &- 329 &* sum.z
      unsafe outCb[column] = UInt8(truncatingIfNeeded: 128 &+ (blue &+ (1 << 16)) >> 17)
      unsafe outCr[column] = UInt8(truncatingIfNeeded: 128 &+ (red &+ (1 << 16)) >> 17)
    }
  }

  /// Converts a pixel, and writes its Y' of BT.709 to `y`.
  /// - Returns: the pixel's R', G' and B' of BT.709 in 1024ths.
  @inline(__always)
  private func convert(
    _ code: UInt16, _ chroma: SIMD4<Int32>, into y: UnsafeMutablePointer<UInt8>
  ) -> SIMD4<Int32> {
    let signal = unsafe (chroma &+ luma[Int(code & 1023)]) &>> 6
    func index(_ value: Int32) -> Int {
      Int(max(0, min(Int32(ToneMap.entryCount - 1), value &+ Int32(ToneMap.margin))))
    }
    let light = unsafe red[index(signal.x)] &+ green[index(signal.y)] &+ blue[index(signal.z)]
    func shown(_ value: Int32) -> Int32 {
      unsafe signalOfLight[Int(max(0, min(Int32(ToneMap.lightUnit), value)))]
    }
    let result = SIMD4(shown(light.x), shown(light.y), shown(light.z), 0)
    // The factors are the weights of BT.709 for 219 steps, in 1024ths, as is `result`. So the sum has to be divided by
    // 2^20. 16 is black.
    let sum = 47_677 &* result.x &+ 160_388 &* result.y &+ 16_191 &* result.z
    unsafe y.pointee = UInt8(truncatingIfNeeded: 16 &+ (sum &+ (1 << 19)) >> 20)
    return result
  }
}
