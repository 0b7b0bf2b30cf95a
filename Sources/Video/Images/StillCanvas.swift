// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CYUV
internal import Media

/// Receives the rows of an image from top to bottom, and keeps the image in the format that a still needs: 4:2:0, 8
/// bits.
@safe final class StillCanvas: ImageRows {
  /// The format of the shrunk image in `i420`.
  let format: FrameFormat
  /// The bytes of the shrunk image, in I420.
  let i420: UnsafeMutableRawBufferPointer
  /// Shrinks the image while its rows are added.
  private let shrinker: RowShrinker
  /// The memory for two rows of the shrunk image, as blue, green, red and alpha. Two rows are converted together,
  /// because they share their chroma samples.
  private let pair: UnsafeMutableBufferPointer<UInt8>
  /// The number of rows of the shrunk image that have been added.
  private var doneRows = 0

  init(_ size: PictureSize, shrink: Int) {
    shrinker = RowShrinker(size, shrink: shrink)
    format = FrameFormat(
      pixelFormat: .i420, size: StillCanvas.size(of: size, shrink: shrink), colour: .webcam)
    unsafe i420 = .allocate(byteCount: format.byteCount, alignment: 64)
    unsafe pair = .allocate(capacity: format.size.width * 8)
    unsafe pair.initialize(repeating: 0)
  }

  deinit {
    unsafe i420.deallocate()
    unsafe pair.deallocate()
  }

  /// The size of an image of the size `size` after it was shrunk by the factor `shrink`. Each side has at least two
  /// pixels, since 4:2:0 needs two.
  static func size(of size: PictureSize, shrink: Int) -> PictureSize {
    func side(_ pixels: Int) -> Int { max(2, (pixels + shrink - 1) / shrink) }
    return PictureSize(width: side(size.width), height: side(size.height))
  }

  /// Receives the next row. Transparent pixels become black.
  func add(_ row: UnsafeMutablePointer<UInt8>) {
    unsafe shrinker.add(row) { line in unsafe keep(line) }
  }

  /// Adds a row of the shrunk image to the image that is kept.
  private func keep(_ row: UnsafeMutablePointer<UInt8>) {
    guard doneRows < format.size.height, let line = unsafe nextLine else { return }
    let width = shrinker.size.width
    unsafe line.update(from: row, count: width * 4)
    if width == 1 { unsafe (line + 4).update(from: line, count: 4) }
    doneRows += 1
    if shrinker.size.height == 1, let second = unsafe nextLine {
      unsafe second.update(from: line, count: format.size.width * 4)
      doneRows += 1
    }
    if doneRows % 2 == 0 || doneRows == format.size.height { convert() }
  }

  /// The place in `pair` for the next row.
  private var nextLine: UnsafeMutablePointer<UInt8>? {
    unsafe pair.baseAddress.map { unsafe $0 + doneRows % 2 * format.size.width * 4 }
  }

  /// Converts the two rows in `pair` to I420. The last row of an odd number of rows is converted alone. libyuv uses the
  /// matrix of BT.601, in limited range.
  private func convert() {
    let count = doneRows % 2 == 0 ? 2 : 1
    let top = doneRows - count
    let size = format.size
    let row = format.bytesPerRow
    let chromaRow = (row + 1) / 2
    guard let y = unsafe i420.baseAddress?.assumingMemoryBound(to: UInt8.self),
      let pair = unsafe pair.baseAddress
    else { return }
    let cb = unsafe y + row * size.height + top / 2 * chromaRow
    let cr = unsafe cb + chromaRow * ((size.height + 1) / 2)
    unsafe ARGBToI420(
      pair, Int32(size.width * 4), y + top * row, Int32(row), cb, Int32(chromaRow), cr,
      Int32(chromaRow), Int32(size.width), Int32(count))
  }
}
