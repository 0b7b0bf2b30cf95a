// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CPixels
internal import Media

/// Draws layers on pictures.
enum Blender {
  /// Writes an area of a picture with a layer over it.
  /// - Parameters:
  ///   - base: the picture below the layer.
  ///   - out: where it is written: planes of the size of `base`, which may be its own.
  ///   - area: the rectangle. What reaches beyond it or beyond the picture is not drawn.
  ///   - opacity: 0 to 255, by which the layer's alpha is multiplied; 255 draws the layer as it is.
  /// - Returns: the rectangle that was written, with even numbers; empty if nothing was.
  @discardableResult @unsafe static func draw(
    _ layer: LayerPicture, over base: PlanarPicture, to out: MutablePlanes, in area: Rectangle,
    _ alignment: LayerAlignment = .centre, opacity: UInt8
  ) -> Rectangle {
    let (whole, size) = unsafe (layer.planes.size, base.size)
    let x = area.x + alignment.across.before(area.size.width - whole.width)
    let y = area.y + alignment.down.before(area.size.height - whole.height)
    let left = max(0, x, area.x)
    let top = max(0, y, area.y)
    let width = min(size.width, x + whole.width, area.x + area.size.width) - left
    let height = min(size.height, y + whole.height, area.y + area.size.height) - top
    guard width >= 2, height >= 2 else {
      return Rectangle(x: 0, y: 0, size: PictureSize(width: 0, height: 0))
    }
    let drawn = Rectangle(
      x: left, y: top, size: PictureSize(width: width & ~1, height: height & ~1))
    let planes = unsafe layer.planes.cropped(x: left - x, y: top - y, to: drawn.size)
    unsafe blend(
      LayerPicture(
        planes, alpha: layer.alpha.map { unsafe $0 + (planes.y - layer.planes.y) },
        chromaAlpha: layer.chromaAlpha.map { unsafe $0 + (planes.cb - layer.planes.cb) }),
      over: base, to: out, x: left, y: top, opacity: opacity)
    return drawn
  }

  /// Writes a picture with a layer over it, where the layer is. It lies completely within the picture.
  /// - Parameters:
  ///   - x: the layer's left edge in the picture; even.
  ///   - y: the layer's upper edge in the picture; even.
  ///   - opacity: 0 to 255, by which the layer's alpha is multiplied.
  @unsafe private static func blend(
    _ layer: LayerPicture, over base: PlanarPicture, to out: MutablePlanes, x: Int, y: Int,
    opacity: UInt8
  ) {
    let planes = unsafe layer.planes
    let (width, height) = unsafe (planes.size.width, planes.size.height)
    let below = unsafe base.cropped(x: x, y: y, to: planes.size)
    let (row, chromaRow) = unsafe (Int(out.yStride), Int(out.chromaStride))
    let chroma = y / 2 * chromaRow + x / 2
    unsafe onair_blend(
      out.y + y * row + x, row, below.y, below.yStride, planes.y, layer.alpha, planes.yStride,
      width, height, opacity)
    unsafe onair_blend(
      out.cb + chroma, chromaRow, below.cb, below.chromaStride, planes.cb, layer.chromaAlpha,
      planes.chromaStride, width / 2, height / 2, opacity)
    unsafe onair_blend(
      out.cr + chroma, chromaRow, below.cr, below.chromaStride, planes.cr, layer.chromaAlpha,
      planes.chromaStride, width / 2, height / 2, opacity)
  }
}
