// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
package import Video

/// Paints an image file.
struct ImagePainter: LayerPainter {
  /// The maximum length of a side of a painted image in pixels. An image that fills a narrow area may be much longer
  /// than the area.
  private static let maxSide = 8_192

  /// The path of the image file.
  let path: String
  /// Painted in place of a file that cannot be shown; `nil` for nothing.
  var spare: StillImage.BuiltIn?
  /// Called after each attempt to paint: with the reason why the image cannot be shown, or with `nil` if it can be
  /// shown.
  let report: @Sendable (OverlayTrouble?) -> Void

  /// Reads the image file, and draws the image in the size that the layer needs.
  func paint(_ target: LayerTarget) throws -> BlendPlanes {
    let image: ImagePixels
    do throws(StillError) {
      image = try pixels(target)
    } catch {
      report(.image(error))
      throw error
    }
    let isTurned = image.rotation.swapsSides
    let size = ImagePainter.size(
      of: PictureSize(
        width: isTurned ? image.size.height : image.size.width,
        height: isTurned ? image.size.width : image.size.height), in: target)
    do throws(DrawingError) {
      let drawing = try Drawing(size)
      drawing.draw(image)
      report(nil)
      return drawing.planes(target.colour, target.alignment)
    } catch {
      report(.notDrawn)
      throw error
    }
  }

  private func pixels(_ target: LayerTarget) throws(StillError) -> ImagePixels {
    let area = ImagePainter.decodingArea(target)
    let longest = max(area.width, area.height)
    do throws(StillError) {
      return try ImagePixels(path: path, longest: longest)
    } catch {
      guard let spare else { throw error }
      return try ImagePixels(bytes: spare.bytes, longest: longest)
    }
  }

  /// The size of the area for which an image is decoded: the layer's area, but no side longer than that of the
  /// programme's picture. (A longer side means that the layer does not limit the image in that direction.)
  private static func decodingArea(_ target: LayerTarget) -> PictureSize {
    PictureSize(
      width: min(target.size.width, target.picture.width),
      height: min(target.size.height, target.picture.height))
  }

  /// The size in pixels in which an image of the size `image` is drawn for a layer.
  static func size(of image: PictureSize, in target: LayerTarget) -> PictureSize {
    if target.fit == .stretch { return target.size }
    let across = Double(target.size.width) / Double(image.width)
    let down = Double(target.size.height) / Double(image.height)
    var scale = target.fit == .fill ? max(across, down) : min(across, down)
    scale = min(scale, Double(maxSide) / Double(max(image.width, image.height)))
    func side(_ pixels: Int) -> Int { max(1, Int((Double(pixels) * scale).rounded())) }
    return PictureSize(width: side(image.width), height: side(image.height))
  }
}

extension Layer {
  /// The size in pixels in which the layer shows an image of the size `image` on a programme of the size `picture`;
  /// `nil` if the layer's area is not valid.
  package func size(of image: PictureSize, on picture: PictureSize) -> PictureSize? {
    size(on: picture).map { area in
      ImagePainter.size(
        of: image, in: LayerTarget(size: area, fit: fit, picture: picture, colour: .bt709))
    }
  }
}
