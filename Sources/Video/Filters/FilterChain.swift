// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media

/// The privacy mask and the filters that are applied to the picture of a source before it is shown. The mask always
/// comes first.
public struct SourceFilters: Sendable, Equatable {
  /// The regions of the picture that are hidden.
  public var mask: PrivacyMask
  /// The filters, in the order in which they are applied. No two of them have the same name.
  public var steps: [PictureFilterStep]

  public init(mask: PrivacyMask = PrivacyMask(), steps: [PictureFilterStep] = []) {
    (self.mask, self.steps) = (mask, steps)
  }
}

/// Applies the steps of a chain of filters to frames. Used by one thread.
///
/// Filters get the source's picture after it was rotated, cropped and scaled for the programme: filtering a larger
/// picture would take longer, and a filter that looks for faces needs an upright picture.
@safe final class FilterChain {
  /// The present steps, in the order in which they are applied.
  private var steps: [PictureFilterStep] = []
  /// The filter of each step in `steps`, in the same order.
  private var filters: [any PictureFilter] = []
  /// The buffer for the copy of a picture that lies in the memory of its source (a camera buffer, for example), which
  /// filters must not change.
  private var buffer: PlaneBuffer?

  init(_ steps: [PictureFilterStep]) { change(steps) }

  var isEmpty: Bool { filters.isEmpty }

  /// Replaces the steps from the next frame on. A filter whose name is also in the new steps is kept and gets its new
  /// plan. If the filter cannot change to that plan, a new filter replaces it.
  func change(_ steps: [PictureFilterStep]) {
    guard steps != self.steps else { return }
    filters = steps.map { step in
      if let index = self.steps.firstIndex(where: { $0.name == step.name }) {
        let filter = filters[index]
        if self.steps[index] == step || filter.change(step.plan) { return filter }
      }
      return step.plan.makeFilter()
    }
    self.steps = steps
  }

  /// Makes all filters forget what they hold of earlier frames.
  func reset() {
    for filter in filters { filter.reset() }
  }

  /// Filters a picture: in place or, if the picture lies in the memory of its source, in a copy.
  /// - Returns: planes that are valid until the next call, and only while the planes of the picture are valid.
  @unsafe func filter(
    _ placed: Placer.Placed, colour: Colour, capturedAt: MediaTime
  ) -> PlanarPicture {
    let size = unsafe placed.contentSize
    let planes: MutablePlanes
    let picture: PlanarPicture
    if let content = unsafe placed.content {
      unsafe planes = content
      unsafe picture = placed.picture
    } else {
      let copy: PlaneBuffer
      if let buffer, buffer.size == size { copy = buffer } else { copy = PlaneBuffer(size: size) }
      buffer = copy
      unsafe copy.copy(placed.picture)
      unsafe planes = copy.planes()
      unsafe picture = copy.picture
    }
    let frame = unsafe FilterFrame(
      planes: planes, size: size, colour: colour, capturedAt: capturedAt)
    for filter in filters { unsafe filter.apply(to: frame) }
    return unsafe picture
  }
}
