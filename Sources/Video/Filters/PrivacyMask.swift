// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CPixels
internal import Media

/// The regions of a source's picture that nobody may see.
public struct PrivacyMask: Sendable, Hashable {
  /// How a region hides the picture below it.
  public enum Cover: Sendable, Hashable {
    /// One colour, in R'G'B' of 0 to 255.
    case solid(red: UInt8, green: UInt8, blue: UInt8)
    /// Large blocks, each in the mean colour of the picture below it.
    case blocks

    static let black = Cover.solid(red: 0, green: 0, blue: 0)
  }

  /// A rectangle in fractions of the picture as it comes from the source, before rotation and cropping.
  public struct Region: Sendable, Hashable {
    /// The left and top edges, the width and the height, as fractions of the picture's width or height.
    var x, y, width, height: Double
    /// How the region is hidden.
    var cover: Cover

    public init(x: Double, y: Double, width: Double, height: Double, _ cover: Cover) {
      (self.x, self.y, self.width, self.height) = (x, y, width, height)
      self.cover = cover
    }

    static let whole = Region(x: 0, y: 0, width: 1, height: 1, .black)
  }

  /// The regions that are hidden. If there are none, the whole picture is visible.
  public var regions: [Region]

  public init(_ regions: [Region] = []) { self.regions = regions }

  /// A mask that covers the whole picture. It is used when the regions that have to be covered are not known.
  public static let everything = PrivacyMask([.whole])

  public var isEmpty: Bool { regions.isEmpty }

  /// A mask that covers what either of two masks covers.
  public func union(_ other: PrivacyMask) -> PrivacyMask {
    PrivacyMask(regions + other.regions.filter { !regions.contains($0) })
  }
}

extension PrivacyMask.Region {
  /// The most blocks along the longer side of a region. More blocks would show too much: a viewer could even combine
  /// the blocks of successive frames into a sharper picture.
  private static let mostBlocks = 12
  /// The most blocks that fit along the longer side of the whole picture. This limits how small the blocks of a small
  /// region are.
  private static let mostBlocksOfPicture = 80

  /// The region as a rectangle in pixels of a picture of the size `size`, grown to whole chroma samples. A region whose
  /// coordinates are invalid, or that lies outside the picture, covers the whole picture.
  func area(in size: PictureSize) -> MaskArea {
    func edges(_ from: Double, _ length: Double, of side: Int) -> (from: Int, to: Int)? {
      guard from.isFinite, length.isFinite, length > 0, abs(from) <= 1, length <= 2 else {
        return nil
      }
      let first = Int((from * Double(side)).rounded(.down)) & ~1
      let end = (Int(((from + length) * Double(side)).rounded(.up)) + 1) & ~1
      let (low, high) = (max(0, first), min(side, end))
      return low < high ? (low, high) : nil
    }
    guard let across = edges(x, width, of: size.width), let down = edges(y, height, of: size.height)
    else { return MaskArea(x: 0, y: 0, size: size, cover: .black) }
    return MaskArea(
      x: across.from, y: down.from,
      size: PictureSize(width: across.to - across.from, height: down.to - down.from), cover: cover)
  }

  /// The side of a block, in pixels, in a region of the size `region`; even.
  static func blockSide(_ region: PictureSize, in picture: PictureSize) -> Int {
    let least = (max(region.width, region.height) + mostBlocks - 1) / mostBlocks
    let coarse =
      (max(picture.width, picture.height) + mostBlocksOfPicture - 1) / mostBlocksOfPicture
    return (max(least, coarse, 2) + 1) & ~1
  }
}

/// A region of a mask in pixels. The region begins at even coordinates. Its sides are even, except at an odd edge of
/// the picture.
struct MaskArea: Equatable {
  /// The column of the left edge, in pixels.
  var x: Int
  /// The row of the top edge, in pixels.
  var y: Int
  /// The width and height in pixels.
  var size: PictureSize
  /// How the area is hidden.
  var cover: PrivacyMask.Cover
}

/// A source's picture before the privacy mask. Only `MaskPainter` can read its samples, so that no picture of a source
/// reaches the programme without its mask.
@unsafe struct UncoveredPicture {
  /// The planes for reading.
  fileprivate let picture: PlanarPicture
  /// The planes for writing; `nil` if the picture lies in the memory of its source, which must not be changed.
  fileprivate let planes: MutablePlanes?

  /// Wraps a picture that has a buffer of its own, in which the mask can be painted.
  init(_ buffer: PlaneBuffer) {
    unsafe picture = buffer.picture
    unsafe planes = buffer.planes()
  }

  /// Wraps a picture in the memory of the source's frame. The mask has to be painted on a copy.
  init(ofFrame picture: PlanarPicture) {
    unsafe self.picture = picture
    unsafe planes = nil
  }
}

/// Draws the privacy mask on pictures. Used by one thread.
@safe final class MaskPainter {
  /// The mask that is drawn.
  private var mask: PrivacyMask
  /// The size and the colour for which `prepare` has computed `areas` and `fills`; `nil` if it has to compute them.
  private var preparedFor: (size: PictureSize, colour: Colour)?
  /// The regions of the mask in pixels.
  private var areas: [MaskArea] = []
  /// The colour of each area as Y', Cb and Cr; not used for an area of blocks.
  private var fills: [SIMD3<UInt8>] = []
  /// The buffer for a covered copy of a picture that lies in the memory of its source.
  private var copy: PlaneBuffer?

  init(_ mask: PrivacyMask) { self.mask = mask }

  /// Whether the mask is empty, so that pictures are passed on as they are, without a copy.
  var isIdle: Bool { mask.isEmpty }

  /// Draws another mask from the next picture on.
  func change(_ mask: PrivacyMask) {
    self.mask = mask
    preparedFor = nil
  }

  /// Covers the regions of the mask on a picture.
  /// - Returns: planes that are valid as long as those of the picture are, and until the next call.
  @unsafe func cover(_ uncovered: UncoveredPicture, colour: Colour) -> PlanarPicture {
    let picture = unsafe uncovered.picture
    guard !mask.isEmpty else { return unsafe picture }
    let size = unsafe picture.size
    if let planes = unsafe uncovered.planes {
      unsafe paint(planes, size: size, colour: colour)
      return unsafe picture
    }
    let buffer: PlaneBuffer
    if let copy, copy.size == size { buffer = copy } else { buffer = PlaneBuffer(size: size) }
    copy = buffer
    unsafe buffer.copy(picture)
    unsafe paint(buffer.planes(), size: size, colour: colour)
    return unsafe buffer.picture
  }

  /// Covers the regions of the mask on the picture in a buffer, in place. The picture may already be covered by an
  /// earlier mask.
  func cover(_ buffer: PlaneBuffer, colour: Colour) {
    unsafe paint(buffer.planes(), size: buffer.size, colour: colour)
  }

  /// Draws the mask on the planes of a picture.
  private func paint(_ planes: MutablePlanes, size: PictureSize, colour: Colour) {
    if preparedFor?.size != size || preparedFor?.colour != colour { prepare(size, colour) }
    let (row, chromaRow) = unsafe (Int(planes.yStride), Int(planes.chromaStride))
    for index in areas.indices {
      let area = areas[index]
      let (width, height) = (area.size.width, area.size.height)
      let luma = unsafe planes.y + area.y * row + area.x
      let chroma = area.y / 2 * chromaRow + area.x / 2
      let (cb, cr) = unsafe (planes.cb + chroma, planes.cr + chroma)
      switch area.cover {
      case .solid:
        let fill = fills[index]
        unsafe onair_fill(luma, row, width, height, fill.x)
        unsafe onair_fill(cb, chromaRow, (width + 1) / 2, (height + 1) / 2, fill.y)
        unsafe onair_fill(cr, chromaRow, (width + 1) / 2, (height + 1) / 2, fill.z)
      case .blocks:
        let side = PrivacyMask.Region.blockSide(area.size, in: size)
        unsafe onair_blocks(luma, row, width, height, side)
        unsafe onair_blocks(cb, chromaRow, (width + 1) / 2, (height + 1) / 2, side / 2)
        unsafe onair_blocks(cr, chromaRow, (width + 1) / 2, (height + 1) / 2, side / 2)
      }
    }
  }

  /// Computes `areas` and `fills` for a size and a colour description.
  private func prepare(_ size: PictureSize, _ colour: Colour) {
    preparedFor = (size, colour)
    areas = mask.regions.map { $0.area(in: size) }
    let scale = YCbCrScale(colour)
    fills = areas.map { area in
      guard case .solid(let red, let green, let blue) = area.cover else { return .zero }
      return scale.samples(red: red, green: green, blue: blue)
    }
  }
}
