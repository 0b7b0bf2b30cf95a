// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import CTurboJPEG
import Media
import Preview
import Testing

/// A raw frame as JPEG, as the page shows those of guests.
@Suite struct FrameJPEGTests {
  private struct NoMemoryError: Error {}

  /// A frame whose left half is red and whose right half is blue.
  private func frame(_ size: PictureSize) throws -> Frame {
    let format = FrameFormat(pixelFormat: .i420, size: size, colour: .jpeg)
    // `#require` takes no value that cannot be copied.
    guard let blank = FramePool(count: 1, capacity: format.byteCount).borrow() else {
      throw NoMemoryError()
    }
    let pixels = unsafe blank.bytes
    func fill(_ start: Int, _ width: Int, _ height: Int, _ left: UInt8, _ right: UInt8) {
      for row in 0..<height {
        for column in 0..<width {
          unsafe pixels[start + row * width + column] = column < width / 2 ? left : right
        }
      }
    }
    let (luma, chroma) = (size.width * size.height, size.width * size.height / 4)
    fill(0, size.width, size.height, 76, 29)
    fill(luma, size.width / 2, size.height / 2, 85, 255)
    fill(luma + chroma, size.width / 2, size.height / 2, 255, 107)
    return blank.finish(format: format, capturedAt: .now())
  }

  /// The size of a JPEG, and the colours at the middle of its left and its right half.
  private func read(
    _ jpeg: [UInt8]
  ) throws -> (size: PictureSize, left: [UInt8], right: [UInt8]) {
    let decoder = unsafe tjInitDecompress()
    defer { unsafe tjDestroy(decoder) }
    var (width, height, sampling) = (0 as Int32, 0 as Int32, 0 as Int32)
    let isRead = unsafe jpeg.withUnsafeBufferPointer { bytes in
      unsafe tjDecompressHeader2(
        decoder, UnsafeMutablePointer(mutating: bytes.baseAddress), UInt(bytes.count), &width,
        &height, &sampling) == 0
    }
    try #require(isRead)
    var pixels = [UInt8](repeating: 0, count: Int(width * height) * 3)
    try #require(
      unsafe tjDecompress2(
        decoder, jpeg, UInt(jpeg.count), &pixels, width, 0, height, Int32(TJPF_RGB.rawValue), 0)
        == 0)
    func colour(_ column: Int32) -> [UInt8] {
      let start = Int(height / 2 * width + column) * 3
      return Array(pixels[start..<start + 3])
    }
    return (
      PictureSize(width: Int(width), height: Int(height)), colour(width / 4), colour(width * 3 / 4)
    )
  }

  @Test(arguments: [
    (PictureSize(width: 1280, height: 720), PictureSize(width: 320, height: 180)),
    (PictureSize(width: 406, height: 720), PictureSize(width: 180, height: 320)),
    (PictureSize(width: 320, height: 180), PictureSize(width: 320, height: 180)),
    (PictureSize(width: 2, height: 2), PictureSize(width: 2, height: 2)),
  ])
  func isScaledDownAndKeepsItsColours(_ size: PictureSize, _ expected: PictureSize) throws {
    let jpeg = try #require(try frame(size).jpeg(longestSide: 320))
    let (found, left, right) = try read(jpeg)
    #expect(found == expected)
    guard size.width > 2 else { return }
    #expect(left[0] > 220 && left[1] < 40 && left[2] < 40)
    #expect(right[0] < 40 && right[1] < 40 && right[2] > 220)
  }
}
