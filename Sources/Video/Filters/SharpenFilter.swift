// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CPixels
internal import Media

/// The settings of a filter that sharpens edges.
public struct SharpenFilterPlan: PictureFilterPlan {
  /// How much edges are sharpened, 0 to 100; 0 changes nothing.
  public var sharpness: Int

  public init(sharpness: Int) { self.sharpness = sharpness }

  public func makeFilter() -> any PictureFilter { SharpenFilter(self) }
}

/// Sharpens luma: adds to each sample a part of its difference from the weighted mean of 3x3 samples.
@safe final class SharpenFilter: PictureFilter {
  /// The present settings of the filter.
  private var plan: SharpenFilterPlan
  /// Scratch memory of `onair_sharpen`: a sum of luma for each column of the picture, and two more.
  private var sums = unsafe UnsafeMutableBufferPointer<UInt16>(start: nil, count: 0)
  /// Scratch memory of `onair_sharpen`: a row of luma.
  private var row = unsafe UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)

  init(_ plan: SharpenFilterPlan) { self.plan = plan }

  deinit {
    unsafe sums.deallocate()
    unsafe row.deallocate()
  }

  /// Uses another plan from the next frame on; returns `false` for the plan of another kind of filter.
  func change(_ plan: any PictureFilterPlan) -> Bool {
    guard let plan = plan as? SharpenFilterPlan else { return false }
    self.plan = plan
    return true
  }

  /// Sharpens the luma of a frame in place.
  @unsafe func apply(to frame: FilterFrame) {
    // The unit is 1/64: at 100 the difference is added nearly twice.
    let amount = min(100, max(0, plan.sharpness)) * 127 / 100
    guard amount > 0 else { return }
    let (planes, size) = unsafe (frame.planes, frame.size)
    if unsafe row.count < size.width {
      unsafe sums.deallocate()
      unsafe row.deallocate()
      unsafe sums = .allocate(capacity: size.width + 2)
      unsafe row = .allocate(capacity: size.width)
    }
    unsafe onair_sharpen(
      planes.y, Int(planes.yStride), size.width, size.height, Int16(amount), sums.baseAddress,
      row.baseAddress)
  }
}
