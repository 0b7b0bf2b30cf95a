// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CPixels
internal import Media

/// The settings of a filter that corrects brightness, contrast, saturation and white balance. All properties are from
/// -100 to 100; 0 changes nothing.
public struct ColourFilterPlan: PictureFilterPlan {
  /// -100 lowers luma by half its range, 100 raises luma by as much.
  public var brightness = 0
  /// -100 makes everything grey, 100 doubles all differences from middle grey.
  public var contrast = 0
  /// -100 removes all colour, 100 doubles the saturation.
  public var saturation = 0
  /// Positive values make the picture warmer (more red, less blue).
  public var temperature = 0
  /// Positive values make the picture more magenta, negative ones greener.
  public var tint = 0

  public init() {}

  public func makeFilter() -> any PictureFilter { ColourFilter(self) }
}

/// Corrects brightness, contrast, saturation and white balance in one pass.
@safe final class ColourFilter: PictureFilter {
  /// The present settings of the filter.
  private var plan: ColourFilterPlan
  /// The plan and the colour description for which `prepare` has computed `grading`; `nil` before the first call.
  private var preparedFor: (plan: ColourFilterPlan, colour: Colour)?
  /// The factors and the offset with which `apply` changes luma and chroma.
  private var grading = onair_grading()
  /// Whether `apply` has to change the Cb and Cr samples.
  private var changesChroma = false
  /// Whether each plane of the result depends on all three planes, as with white balance.
  private var mixesPlanes = false
  /// Whether `apply` has to change the luma samples.
  private var changesLuma = false
  /// Scratch memory of `apply`: for each column of luma, the number that the current row of chroma adds to the new
  /// luma.
  private var lumaFromChroma = unsafe UnsafeMutableBufferPointer<Int16>(start: nil, count: 0)

  init(_ plan: ColourFilterPlan) { self.plan = plan }

  deinit { unsafe lumaFromChroma.deallocate() }

  /// Uses another plan from the next frame on; returns `false` for the plan of another kind of filter.
  func change(_ plan: any PictureFilterPlan) -> Bool {
    guard let plan = plan as? ColourFilterPlan else { return false }
    self.plan = plan
    return true
  }

  /// Corrects the colours of a frame in place.
  @unsafe func apply(to frame: FilterFrame) {
    guard plan != ColourFilterPlan() else { return }
    let (size, colour) = unsafe (frame.size, frame.colour)
    if preparedFor?.plan != plan || preparedFor?.colour != colour { prepare(colour) }
    if unsafe mixesPlanes && lumaFromChroma.count < size.width + 2 {
      unsafe lumaFromChroma.deallocate()
      unsafe lumaFromChroma = .allocate(capacity: size.width + 2)
    }
    let planes = unsafe frame.planes
    let (row, chromaRow) = unsafe (Int(planes.yStride), Int(planes.chromaStride))
    let lumaFromChroma = unsafe mixesPlanes ? self.lumaFromChroma.baseAddress : nil
    for line in 0..<size.height / 2 {
      let luma = unsafe planes.y + line * 2 * row
      if changesChroma {
        unsafe onair_grade_chroma(
          planes.cb + line * chromaRow, planes.cr + line * chromaRow, lumaFromChroma, luma, row,
          size.width / 2, &grading)
      }
      guard changesLuma else { continue }
      unsafe onair_grade_luma(luma, lumaFromChroma, size.width, &grading)
      unsafe onair_grade_luma(luma + row, lumaFromChroma, size.width, &grading)
    }
  }

  /// Computes `grading` for the present plan and a colour description.
  private func prepare(_ colour: Colour) {
    preparedFor = (plan, colour)
    grading = ColourFilter.grading(plan, colour)
    mixesPlanes = plan.temperature != 0 || plan.tint != 0
    changesChroma = mixesPlanes || plan.saturation != 0
    changesLuma =
      grading.luma != 0 || grading.luma_offset != 0 || grading.cb_to_luma != 0
      || grading.cr_to_luma != 0
  }

  /// The coefficients that apply a plan to samples. In this order: white balance (gains of red, green and blue that
  /// keep the luma of grey), saturation, and contrast and brightness of luma.
  private static func grading(_ plan: ColourFilterPlan, _ colour: Colour) -> onair_grading {
    let (kr, kb) = colour.weights ?? Colour.bt709Weights
    let kg = 1 - kr - kb
    let (warm, magenta) = (Double(plan.temperature) / 100, Double(plan.tint) / 100)
    var gains = SIMD3(1 + 0.25 * warm, 1 - 0.2 * magenta, 1 - 0.25 * warm)
    let light = kr * gains.x + kg * gains.y + kb * gains.z
    gains /= light
    /// Applies the white balance to one colour, which is passed and returned as luma and chroma differences.
    func balanced(_ y: Double, _ pb: Double, _ pr: Double) -> (y: Double, pb: Double, pr: Double) {
      let (red, blue) = (y + 2 * (1 - kr) * pr, y + 2 * (1 - kb) * pb)
      let green = (y - kr * red - kb * blue) / kg
      let new = SIMD3(red, green, blue) * gains
      let light = kr * new.x + kg * new.y + kb * new.z
      return (light, (new.z - light) / (2 * (1 - kb)), (new.x - light) / (2 * (1 - kr)))
    }
    func rounded(_ value: Double, _ scale: Double) -> Int16 {
      Int16(max(-128, min(128, (value * scale).rounded())))
    }
    func in128ths(_ value: Double) -> Int16 { rounded(value, 128) }
    func in256ths(_ value: Double) -> Int16 { rounded(value, 256) }
    func in32nds(_ value: Double) -> Int16 { Int16((value * 32).rounded()) }
    let (black, lumaSpan, chromaSpan) =
      colour.fullRange ? (0.0, 255.0, 255.0) : (16.0, 219.0, 224.0)
    let contrast = 1 + Double(plan.contrast) / 100
    let saturation = 1 + Double(plan.saturation) / 100
    let (grey, cb, cr) = (balanced(1, 0, 0), balanced(0, 1, 0), balanced(0, 0, 1))
    let (toLuma, toChroma) = (lumaSpan / chromaSpan, chromaSpan / lumaSpan)
    let middle = black + lumaSpan / 2
    let factor = 1 + Double(in128ths(contrast - 1)) / 128
    return onair_grading(
      luma: in128ths(contrast - 1), cb_to_luma: in128ths(cb.y * toLuma * contrast),
      cr_to_luma: in128ths(cr.y * toLuma * contrast),
      luma_offset: in32nds(
        middle * (1 - factor) + Double(plan.brightness) / 200 * lumaSpan),
      luma_to_cb: in256ths(grey.pb * toChroma * saturation),
      cb: in128ths(cb.pb * saturation - 1), cr_to_cb: in128ths(cr.pb * saturation),
      luma_to_cr: in256ths(grey.pr * toChroma * saturation),
      cr: in128ths(cr.pr * saturation - 1), cb_to_cr: in128ths(cb.pr * saturation))
  }
}
