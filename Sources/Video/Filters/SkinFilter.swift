// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CPixels
internal import CYUV
internal import Media

/// The settings of a filter that makes skin softer and brighter. All properties are from 0 to 100; 0 changes nothing.
public struct SkinFilterPlan: PictureFilterPlan {
  /// How much brighter skin becomes.
  public var white: Int
  /// How much of the texture of skin is smoothed away.
  public var buffing: Int
  /// How much redder skin becomes.
  public var ruddy: Int

  public init(white: Int, buffing: Int, ruddy: Int) {
    (self.white, self.buffing, self.ruddy) = (white, buffing, ruddy)
  }

  public func makeFilter() -> any PictureFilter { SkinFilter(self) }
}

/// Smooths, brightens and reddens the parts of a picture that have the colour of skin.
///
/// A guided filter works on a copy of the picture with a quarter of its width and height. It smooths small differences,
/// such as pores and noise, and keeps edges. Its result is two coefficients for each sample of luma, which are enlarged
/// to the picture's size and applied in one pass. Skin is recognised by colour alone: a soft mask says how much each
/// sample is skin. The mask is mixed with the masks of earlier frames, so that it does not flicker.
@safe final class SkinFilter: PictureFilter {
  /// The present settings of the filter.
  private var plan: SkinFilterPlan
  /// The memory for frames of the present size; `nil` before the first frame.
  private var planes: SkinPlanes?
  /// The tables of skin colours, for the range (full or limited) of the last frame; `nil` before the first frame.
  private var tables: SkinTables?
  /// Whether the next frame's mask is used alone, instead of being mixed with the masks of earlier frames.
  private var isFresh = true

  init(_ plan: SkinFilterPlan) { self.plan = plan }

  /// Uses another plan from the next frame on; returns `false` for the plan of another kind of filter.
  func change(_ plan: any PictureFilterPlan) -> Bool {
    guard let plan = plan as? SkinFilterPlan else { return false }
    self.plan = plan
    return true
  }

  /// Forgets the masks of earlier frames, so that the mask of the next frame is used alone.
  func reset() { isFresh = true }

  /// Changes skin on a frame in place.
  @unsafe func apply(to frame: FilterFrame) {
    guard plan.white > 0 || plan.buffing > 0 || plan.ruddy > 0 else { return }
    let (out, size, colour) = unsafe (frame.planes, frame.size, frame.colour)
    let planes: SkinPlanes
    if let present = self.planes, present.size == size {
      planes = present
    } else {
      planes = SkinPlanes(size)
      self.planes = planes
      isFresh = true
    }
    let tables: SkinTables
    if let present = self.tables, present.fullRange == colour.fullRange {
      tables = present
    } else {
      tables = SkinTables(fullRange: colour.fullRange)
      self.tables = tables
      isFresh = true
    }
    unsafe planes.shrink(out)
    planes.computeCoefficients(plan, tables, share: isFresh ? 0 : 2)
    isFresh = false
    if plan.white > 0 || plan.buffing > 0 { unsafe planes.applyToLuma(out) }
    if plan.ruddy > 0 {
      unsafe planes.applyToChroma(out, ruddy: plan.ruddy, fullRange: colour.fullRange)
    }
  }
}

/// Tables that say how likely a colour is skin.
@safe private final class SkinTables {
  /// The number of rows and of columns of the table `colours`: an entry is for two neighbouring values of Cb and of Cr.
  private static let side = 128
  /// Whether the tables are for samples of full range.
  let fullRange: Bool
  /// The memory of `colours`, and after it that of `brightness`.
  private let memory: UnsafeMutablePointer<UInt8>
  /// How likely each chroma is that of skin, 0 to 255: 128 values of Cr for each of 128 values of Cb.
  var colours: UnsafePointer<UInt8> { unsafe UnsafePointer(memory) }
  /// How likely each of the 256 values of luma is that of skin, 0 to 255.
  var brightness: UnsafePointer<UInt8> {
    unsafe UnsafePointer(memory + SkinTables.side * SkinTables.side)
  }

  init(fullRange: Bool) {
    self.fullRange = fullRange
    let side = SkinTables.side
    unsafe memory = .allocate(capacity: side * side + 256)
    let (lumaScale, lumaBlack, chromaScale) =
      fullRange ? (219.0 / 255, 16.0, 224.0 / 255) : (1, 0, 1)
    // A soft ellipse around the colours of skin. Its axes are turned so that the long one follows the change from pale
    // to tanned skin. These are the cosine and the sine of 140 degrees.
    let (cosine, sine) = (-0.766_044_443_118_978, 0.642_787_609_686_539)
    for cb in 0..<side {
      for cr in 0..<side {
        let x = (Double(cb * 2) + 0.5 - 128) * chromaScale + 128 - 106
        let y = (Double(cr * 2) + 0.5 - 128) * chromaScale + 128 - 153
        let along = (x * cosine + y * sine) / 20
        let across = (y * cosine - x * sine) / 15
        let distance = (along * along + across * across).squareRoot()
        let share = min(1, max(0, (1.3 - distance) / 0.6))
        unsafe memory[cb * side + cr] = UInt8((share * share * (3 - 2 * share) * 255).rounded())
      }
    }
    for luma in 0..<256 {
      let share = min(1, max(0, (Double(luma) * lumaScale + lumaBlack - 40) / 20))
      unsafe memory[side * side + luma] = UInt8((share * 255).rounded())
    }
  }

  deinit { unsafe memory.deallocate() }
}

/// The memory of the skin filter for pictures of one size.
@safe private final class SkinPlanes {
  /// The size of the pictures in pixels.
  let size: PictureSize
  /// A quarter of the picture's width and height: the size of the copy from which the coefficients are computed.
  private let small: PictureSize
  /// Half the picture's width and height: the size of chroma.
  private let half: PictureSize
  /// The memory of the planes in `planes` that consist of bytes.
  private let bytes: UnsafeMutablePointer<UInt8>
  /// The memory of the planes in `planes` that consist of 16-bit numbers.
  private let numbers: UnsafeMutablePointer<UInt16>
  /// The masks of earlier frames, mixed into one.
  private let history: UnsafeMutablePointer<Int16>
  /// Scratch memory for sums of squares of luma.
  private let squares: UnsafeMutablePointer<UInt32>
  /// The scaled-down picture, its mask and its coefficients: pointers into the memory of `bytes`, `numbers`, `history`
  /// and `squares`.
  private var planes = unsafe onair_skin_planes()
  /// Two planes of the picture's size: the two coefficients of each sample of luma.
  private let large: UnsafeMutablePointer<UInt8>
  /// Two planes of half the picture's width and height, for the first of the two steps in which a plane is enlarged.
  private let middle: UnsafeMutablePointer<UInt8>

  init(_ size: PictureSize) {
    self.size = size
    half = PictureSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
    small = PictureSize(width: (size.width + 3) / 4, height: (size.height + 3) / 4)
    let count = small.width * small.height
    unsafe bytes = .allocate(capacity: count * 6)
    unsafe numbers = .allocate(capacity: count * 2 + small.width + 16)
    unsafe squares = .allocate(capacity: small.width + 16)
    unsafe numbers.initialize(repeating: 0, count: count * 2 + small.width + 16)
    unsafe history = .allocate(capacity: count)
    unsafe history.initialize(repeating: 0, count: count)
    unsafe large = .allocate(capacity: size.width * size.height * 2)
    unsafe middle = .allocate(capacity: half.width * half.height * 2)
    unsafe planes = onair_skin_planes(
      width: small.width, height: small.height, luma: bytes, cb: bytes + count,
      cr: bytes + count * 2, history: history, mask: bytes + count * 3, taken: bytes + count * 4,
      added: bytes + count * 5, first: numbers, second: numbers + count,
      sums: numbers + count * 2, squares: squares)
  }

  deinit {
    unsafe bytes.deallocate()
    unsafe numbers.deallocate()
    unsafe history.deallocate()
    unsafe squares.deallocate()
    unsafe large.deallocate()
    unsafe middle.deallocate()
  }

  /// Scales the picture down to the size `small`.
  func shrink(_ picture: MutablePlanes) {
    let (width, height) = (Int32(small.width), Int32(small.height))
    unsafe ScalePlane(
      picture.y, picture.yStride, Int32(size.width), Int32(size.height), planes.luma, width, width,
      height, kFilterBox)
    unsafe ScalePlane(
      picture.cb, picture.chromaStride, Int32(half.width), Int32(half.height), planes.cb, width,
      width, height, kFilterBox)
    unsafe ScalePlane(
      picture.cr, picture.chromaStride, Int32(half.width), Int32(half.height), planes.cr, width,
      width, height, kFilterBox)
  }

  /// Computes the mask of skin and the coefficients for luma from the scaled-down picture.
  /// - Parameter share: the weight of this frame in the mask, as the exponent of a power of 1/2: 0 stands for the whole
  ///   weight, 1 for a half, 2 for a quarter.
  func computeCoefficients(_ plan: SkinFilterPlan, _ tables: SkinTables, share: Int32) {
    // Stronger smoothing would make faces look like wax: 100 is as strong as 70 in other programs.
    let buffing = Float(min(100, max(0, plan.buffing))) * 0.7
    let whitest: Float = tables.fullRange ? 255 : 235
    var how = unsafe onair_skin(
      colours: tables.colours, brightness: tables.brightness, variance: 60 + 4.5 * buffing,
      smoothing: min(1, buffing / 40), whitening: 0.22 * Float(min(100, max(0, plan.white))) / 100,
      white: whitest)
    unsafe onair_skin_plan(&planes, &how, share)
  }

  /// Smooths and brightens the luma of skin with the coefficients that `computeCoefficients` has computed.
  func applyToLuma(_ picture: MutablePlanes) {
    let (width, count) = (Int32(size.width), size.width * size.height)
    unsafe enlarge(planes.taken, to: large)
    unsafe enlarge(planes.added, to: large + count)
    unsafe onair_skin_luma(
      picture.y, Int(picture.yStride), large, large + count, Int(width), size.width, size.height)
  }

  /// Reddens skin by the mask that `computeCoefficients` has computed.
  /// - Parameter ruddy: how much redder skin becomes, 0 to 100.
  func applyToChroma(_ picture: MutablePlanes, ruddy: Int, fullRange: Bool) {
    unsafe double(planes.mask, small, to: middle, half)
    let scale = Double(min(100, max(0, ruddy))) / 100 * (fullRange ? 255.0 / 224 : 1) * 2_048 / 255
    let (width, height) = (half.width, half.height)
    unsafe onair_skin_chroma(
      picture.cr, Int(picture.chromaStride), middle, width, width, height, Int16(10 * scale))
    unsafe onair_skin_chroma(
      picture.cb, Int(picture.chromaStride), middle, width, width, height, Int16(-3 * scale))
  }

  /// Enlarges a plane to the picture's size in two steps, which takes half as long as a single step.
  private func enlarge(_ plane: UnsafePointer<UInt8>, to out: UnsafeMutablePointer<UInt8>) {
    unsafe double(plane, small, to: middle, half)
    unsafe double(middle, half, to: out, size)
  }

  /// Scales a plane to about twice its width and height.
  private func double(
    _ plane: UnsafePointer<UInt8>, _ from: PictureSize, to out: UnsafeMutablePointer<UInt8>,
    _ to: PictureSize
  ) {
    unsafe ScalePlane(
      plane, Int32(from.width), Int32(from.width), Int32(from.height), out, Int32(to.width),
      Int32(to.width), Int32(to.height), kFilterBilinear)
  }
}
