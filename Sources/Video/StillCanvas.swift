// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CYUV
internal import Media

/// Receives the rows of an image from top to bottom, shrinks the image by a whole factor, and stores it as 4:2:0. So an
/// image never takes the memory that its full size and depth would need.
@safe final class StillCanvas {
  /// The largest factor by which an image may be shrunk, a power of two: the sum of this many by this many samples fits
  /// into 16 bits.
  static let mostShrink = 16

  /// The format of the smaller image.
  let format: FrameFormat
  /// The smaller image in I420.
  let memory: UnsafeMutableRawBufferPointer
  private let width: Int
  private let height: Int
  private let shrink: Int
  /// For each pixel of the present row of the smaller image, the sums of the source pixels that become this pixel, by
  /// channel.
  private let sums: UnsafeMutableBufferPointer<UInt16>
  /// Two rows of the smaller image as blue, green, red and alpha: they share a row of chroma.
  private let pair: UnsafeMutableBufferPointer<UInt8>
  /// The number of rows that were received.
  private var rows = 0
  /// The number of rows of the smaller image that are complete.
  private var done = 0

  /// - Parameters:
  ///   - size: the size of the image that will be received.
  ///   - shrink: the factor by which the image is shrunk: a power of two from 1 to `mostShrink`.
  init(_ size: PictureSize, shrink: Int) {
    (width, height) = (size.width, size.height)
    self.shrink = shrink
    format = FrameFormat(
      pixelFormat: .i420, size: StillCanvas.size(of: size, shrink: shrink), colour: .webcam)
    unsafe memory = .allocate(byteCount: format.byteCount, alignment: 64)
    unsafe sums = .allocate(capacity: format.size.width * 4)
    unsafe sums.initialize(repeating: 0)
    unsafe pair = .allocate(capacity: format.size.width * 8)
    unsafe pair.initialize(repeating: 0)
  }

  deinit {
    unsafe memory.deallocate()
    unsafe sums.deallocate()
    unsafe pair.deallocate()
  }

  /// The size of an image after it was shrunk. Each side has at least two pixels, since 4:2:0 needs two.
  static func size(of size: PictureSize, shrink: Int) -> PictureSize {
    func side(_ pixels: Int) -> Int { max(2, (pixels + shrink - 1) / shrink) }
    return PictureSize(width: side(size.width), height: side(size.height))
  }

  /// The factor by which an image has to be shrunk, a power of two: the largest that leaves its longer side at least
  /// `longest` pixels, or a larger one, so that the image has at most `most` pixels.
  static func shrink(_ size: PictureSize, longest: Int, most: Int = .max) -> Int {
    var shrink = 1
    while shrink < mostShrink {
      let isLong = max(size.width, size.height) / (shrink * 2) >= longest
      let small = StillCanvas.size(of: size, shrink: shrink)
      guard isLong || small.width * small.height > most else { break }
      shrink *= 2
    }
    return shrink
  }

  /// Takes the next row of the image, and composites it over black.
  /// - Parameter row: blue, green, red and alpha of each pixel. The row is overwritten.
  func add(_ row: UnsafeMutablePointer<UInt8>) {
    guard done < format.size.height else { return }
    unsafe ARGBAttenuate(row, Int32(width * 4), row, Int32(width * 4), Int32(width), 1)
    rows += 1
    guard let line = unsafe nextLine, let sums = unsafe sums.baseAddress else { return }
    guard shrink > 1 else {
      unsafe line.update(from: row, count: width * 4)
      endRow()
      return
    }
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
    for x in 0..<smallWidth {
      let count = below * min(shrink, width - x * shrink)
      for index in x * 4..<x * 4 + 4 {
        unsafe line[index] = UInt8((Int(sums[index]) + count / 2) / count)
        unsafe sums[index] = 0
      }
    }
    endRow()
  }

  private var smallWidth: Int { (width + shrink - 1) / shrink }

  /// The part of `pair` that the next row of the smaller image is written to.
  private var nextLine: UnsafeMutablePointer<UInt8>? {
    unsafe pair.baseAddress.map { unsafe $0 + done % 2 * format.size.width * 4 }
  }

  /// Notes that the next row of the smaller image is complete, and converts the pair to 4:2:0 when both rows are.
  private func endRow() {
    guard let line = unsafe nextLine else { return }
    if smallWidth == 1 { unsafe (line + 4).update(from: line, count: 4) }
    done += 1
    if (height + shrink - 1) / shrink == 1, let second = unsafe nextLine {
      unsafe second.update(from: line, count: format.size.width * 4)
      done += 1
    }
    if done % 2 == 0 || done == format.size.height { convert() }
  }

  /// Converts the last two rows of the smaller image, or the very last one, to 4:2:0. libyuv's matrix for R'G'B' is the
  /// one of `Colour.webcam`.
  private func convert() {
    let count = done % 2 == 0 ? 2 : 1
    let top = done - count
    let size = format.size
    let row = format.bytesPerRow
    let chromaRow = (row + 1) / 2
    guard let y = unsafe memory.baseAddress?.assumingMemoryBound(to: UInt8.self),
      let pair = unsafe pair.baseAddress
    else { return }
    let cb = unsafe y + row * size.height + top / 2 * chromaRow
    let cr = unsafe cb + chromaRow * ((size.height + 1) / 2)
    unsafe ARGBToI420(
      pair, Int32(size.width * 4), y + top * row, Int32(row), cb, Int32(chromaRow), cr,
      Int32(chromaRow), Int32(size.width), Int32(count))
  }
}
