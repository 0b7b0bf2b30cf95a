// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Receives the rows of an image while the image is decoded.
protocol ImageRows: AnyObject {
  /// - Parameters:
  ///   - size: the size of the image whose rows are added, in pixels.
  ///   - shrink: the factor by which width and height are made smaller: a power of two, 1 to
  ///     `RowShrinker.largestFactor`.
  init(_ size: PictureSize, shrink: Int)

  /// Receives the next row.
  /// - Parameter row: the pixels of the row, each as blue, green, red and alpha, premultiplied.
  func add(_ row: UnsafeMutablePointer<UInt8>)
}

/// Shrinks an image by a whole factor while its rows are added, so that the image never takes memory at its full size.
/// Each pixel of the smaller image is the mean of the pixels that it replaces.
@safe final class RowShrinker {
  /// The largest factor by which width and height are made smaller. With it, the sum of the 16 × 16 pixels that become
  /// one pixel fits into 16 bits.
  static let largestFactor = 16

  /// The size of the smaller image in pixels.
  let size: PictureSize
  /// The width of the image before it is shrunk, in pixels.
  private let width: Int
  /// The height of the image before it is shrunk, in pixels.
  private let height: Int
  /// The factor by which width and height are made smaller; a power of two.
  private let shrink: Int
  /// For each pixel of the smaller image's next row, the sums of the larger image's pixels that become this pixel: four
  /// sums for blue, green, red and alpha.
  private let sums: UnsafeMutableBufferPointer<UInt16>
  /// The finished row of the smaller image that `add` passes to `emit`.
  private let line: UnsafeMutableBufferPointer<UInt8>
  /// The number of rows of the image that were added.
  private var rows = 0

  /// - Parameters:
  ///   - size: the size of the image before it is shrunk, in pixels.
  ///   - shrink: the factor by which width and height are made smaller: a power of two, 1 to `largestFactor`.
  init(_ size: PictureSize, shrink: Int) {
    (width, height) = (size.width, size.height)
    self.shrink = shrink
    self.size = PictureSize(
      width: (size.width + shrink - 1) / shrink, height: (size.height + shrink - 1) / shrink)
    unsafe sums = .allocate(capacity: self.size.width * 4)
    unsafe sums.initialize(repeating: 0)
    unsafe line = .allocate(capacity: self.size.width * 4)
    unsafe line.initialize(repeating: 0)
  }

  deinit {
    unsafe sums.deallocate()
    unsafe line.deallocate()
  }

  /// The factor by which to shrink the width and height of an image: the largest power of two with which the longer
  /// side keeps at least `longest` pixels. If the shrunk image would still have more than `most` pixels in all, the
  /// factor is larger. It never exceeds `largestFactor`.
  static func shrink(_ size: PictureSize, longest: Int, most: Int = .max) -> Int {
    var shrink = 1
    while shrink < RowShrinker.largestFactor {
      let isLong = max(size.width, size.height) / (shrink * 2) >= longest
      let (width, height) = (
        (size.width + shrink - 1) / shrink, (size.height + shrink - 1) / shrink
      )
      guard isLong || width * height > most else { break }
      shrink *= 2
    }
    return shrink
  }

  /// Adds the next row of the image.
  /// - Parameter emit: called with a row of the smaller image, valid during the call, when such a row is complete.
  func add(_ row: UnsafeMutablePointer<UInt8>, emit: (UnsafeMutablePointer<UInt8>) -> Void) {
    guard rows < height, let sums = unsafe sums.baseAddress, let line = unsafe line.baseAddress
    else { return }
    rows += 1
    guard shrink > 1 else { return unsafe emit(row) }
    let shift = shrink.trailingZeroBitCount
    for x in 0..<width {
      let (sum, pixel) = unsafe (sums + (x >> shift) * 4, row + x * 4)
      unsafe sum[0] += UInt16(pixel[0])
      unsafe sum[1] += UInt16(pixel[1])
      unsafe sum[2] += UInt16(pixel[2])
      unsafe sum[3] += UInt16(pixel[3])
    }
    guard rows % shrink == 0 || rows == height else { return }
    let below = (rows - 1) % shrink + 1
    for x in 0..<size.width {
      let count = below * min(shrink, width - x * shrink)
      for index in x * 4..<x * 4 + 4 {
        unsafe line[index] = UInt8((Int(sums[index]) + count / 2) / count)
        unsafe sums[index] = 0
      }
    }
    unsafe emit(line)
  }
}
