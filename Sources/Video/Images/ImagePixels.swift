// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Posix

/// The pixels of a PNG or JPEG image, for drawing: rows of blue, green, red and alpha, premultiplied, without padding.
@safe public final class ImagePixels: @unchecked Sendable {
  /// The size in pixels, before `rotation`. Smaller than the image in the file if the image was shrunk.
  public let size: PictureSize
  /// The rotation that shows the image upright; the pixels are as they are in the file.
  public let rotation: Rotation
  /// Whether left and right have to be swapped after the rotation.
  public let mirror: Bool
  /// Owns the decoded rows of the image.
  private let rows: PixelRows

  /// Reads and decodes a file. Too slow for a thread of the media path.
  /// - Parameter longest: the number of pixels that the longer side needs. A larger image may be shrunk.
  public convenience init(path: String, longest: Int) throws(StillError) {
    try self.init(bytes: StillImage.read(path), longest: longest)
  }

  /// Decodes the bytes of a file.
  /// - Parameter longest: the number of pixels that the longer side needs. A larger image may be shrunk.
  public init(bytes: [UInt8], longest: Int) throws(StillError) {
    let orientation: Int
    (rows, orientation) = try StillImage.decode(bytes, longest: max(1, longest))
    (rotation, mirror) = StillImage.turn(orientation)
    size = rows.size
  }

  /// Calls `body` with the pixels, which are valid during the call.
  public func withPixels<Result>(
    _ body: (UnsafePointer<UInt8>) -> Result
  ) -> Result {
    unsafe body(UnsafePointer(rows.pixels))
  }
}

/// Receives the rows of an image, shrinks the image, and keeps its pixels without any other conversion.
@safe private final class PixelRows: ImageRows {
  /// The size of the shrunk image in pixels.
  var size: PictureSize { shrinker.size }
  /// All rows of the shrunk image: blue, green, red and alpha of each pixel, premultiplied.
  let pixels: UnsafeMutablePointer<UInt8>
  /// Shrinks the image while its rows are added.
  private let shrinker: RowShrinker
  /// The number of rows that have been written to `pixels`.
  private var doneRows = 0

  init(_ size: PictureSize, shrink: Int) {
    shrinker = RowShrinker(size, shrink: shrink)
    let count = shrinker.size.width * shrinker.size.height * 4
    unsafe pixels = .allocate(capacity: count)
    unsafe pixels.initialize(repeating: 0, count: count)
  }

  deinit { unsafe pixels.deallocate() }

  /// Shrinks the next row of the image, and appends the result to `pixels`.
  func add(_ row: UnsafeMutablePointer<UInt8>) {
    unsafe shrinker.add(row) { line in
      let bytes = size.width * 4
      unsafe (pixels + doneRows * bytes).update(from: line, count: bytes)
      doneRows += 1
    }
  }
}
