// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CPixels
internal import Media

/// Draws layers on pictures.
enum Blender {
  /// Draws a layer in an area.
  /// - Parameters:
  ///   - out: the planes of the picture.
  ///   - size: the size of the picture.
  ///   - area: the area of the layer in the picture. The layer is clipped to the area and to the picture.
  ///   - opacity: 0 to 255, by which the layer's alpha is multiplied; 255 draws the layer as it is.
  @unsafe static func draw(
    _ layer: LayerPicture, on out: MutablePlanes, size: PictureSize, in area: Rectangle,
    _ alignment: LayerAlignment = .centre, opacity: UInt8
  ) {
    let whole = unsafe layer.planes.size
    let x = area.x + alignment.across.offset(free: area.size.width - whole.width)
    let y = area.y + alignment.down.offset(free: area.size.height - whole.height)
    let left = max(0, x, area.x)
    let top = max(0, y, area.y)
    let width = min(size.width, x + whole.width, area.x + area.size.width) - left
    let height = min(size.height, y + whole.height, area.y + area.size.height) - top
    guard width >= 2, height >= 2 else { return }
    let planes = unsafe layer.planes.cropped(
      x: left - x, y: top - y, to: PictureSize(width: width & ~1, height: height & ~1))
    unsafe blend(
      LayerPicture(
        planes, alpha: layer.alpha.map { unsafe $0 + (planes.y - layer.planes.y) },
        chromaAlpha: layer.chromaAlpha.map { unsafe $0 + (planes.cb - layer.planes.cb) }),
      on: out, x: left, y: top, opacity: opacity)
  }

  /// Draws a layer that lies completely within the picture.
  /// - Parameters:
  ///   - x: the layer's left edge in the picture; even.
  ///   - y: the layer's upper edge in the picture; even.
  ///   - opacity: 0 to 255, by which the layer's alpha is multiplied.
  @unsafe static func blend(
    _ layer: LayerPicture, on out: MutablePlanes, x: Int, y: Int, opacity: UInt8
  ) {
    let planes = unsafe layer.planes
    let (width, height) = unsafe (planes.size.width, planes.size.height)
    let (row, chromaRow) = unsafe (Int(out.yStride), Int(out.chromaStride))
    let chroma = y / 2 * chromaRow + x / 2
    unsafe onair_blend(
      out.y + y * row + x, row, planes.y, layer.alpha, planes.yStride, width, height, opacity)
    unsafe onair_blend(
      out.cb + chroma, chromaRow, planes.cb, layer.chromaAlpha, planes.chromaStride, width / 2,
      height / 2, opacity)
    unsafe onair_blend(
      out.cr + chroma, chromaRow, planes.cr, layer.chromaAlpha, planes.chromaStride, width / 2,
      height / 2, opacity)
  }
}
