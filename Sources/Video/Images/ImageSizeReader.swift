// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base

/// Reads the width and height of the image in a file, and finds out whether the whole image can be read.
package enum ImageSizeReader {
  /// Reads an image to its end without keeping its pixels, so that damage is found.
  /// - Returns: the upright image's size in pixels.
  package static func size(path: String) throws(StillError) -> PictureSize {
    let (rows, orientation): (NoRows, Int) = try StillImage.decode(
      StillImage.read(path), longest: .max)
    let size = rows.size
    return StillImage.turn(orientation).0.swapsSides
      ? PictureSize(width: size.height, height: size.width) : size
  }
}

/// Receives the rows of an image and ignores them: only the size of the image is needed.
private final class NoRows: ImageRows {
  /// The size of the image as it is in the file, in pixels.
  let size: PictureSize

  init(_ size: PictureSize, shrink: Int) { self.size = size }

  /// Ignores a row.
  func add(_ row: UnsafeMutablePointer<UInt8>) {}
}
