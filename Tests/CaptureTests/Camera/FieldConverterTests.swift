// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CV4L2
internal import Media
internal import Testing

@testable import Capture

@Suite struct FieldConverterTests {
  private static let size = PictureSize(width: 16, height: 8)

  /// A frame whose earlier field has Y = 10 × row, Cb 90 and Cr 160, and whose later one is white.
  private func frame(_ format: FrameFormat, _ order: FieldOrder) -> [UInt8] {
    let (width, height, row) = (format.size.width, format.size.height, format.bytesPerRow)
    /// The row of the frame that the row of the buffer holds.
    func shown(_ line: Int, of height: Int) -> Int {
      guard case .sequential(let topFirst) = order else { return line }
      let first = topFirst ? 0 : 1
      return line < height / 2 ? 2 * line + first : 2 * (line - height / 2) + 1 - first
    }
    let keepsOdd =
      switch order {
      case .topFirst: false
      case .bottomFirst: true
      case .sequential(let topFirst): !topFirst
      }
    func isEarlier(_ line: Int) -> Bool { line % 2 == (keepsOdd ? 1 : 0) }
    var bytes = [UInt8](repeating: 0, count: format.byteCount)
    for line in 0..<height {
      let at = shown(line, of: height)
      let (y, cb, cr): (UInt8, UInt8, UInt8) =
        isEarlier(at) ? (UInt8(10 * at), 90, 160) : (235, 128, 128)
      for column in 0..<width {
        switch format.pixelFormat {
        case .yuyv:
          bytes[line * row + 2 * column] = y
          bytes[line * row + 2 * column + 1] = column % 2 == 0 ? cb : cr
        case .uyvy:
          bytes[line * row + 2 * column + 1] = y
          bytes[line * row + 2 * column] = column % 2 == 0 ? cb : cr
        default: bytes[line * row + column] = y
        }
      }
    }
    for line in 0..<height / 2 {
      let (cb, cr): (UInt8, UInt8) = isEarlier(line) ? (90, 160) : (128, 128)
      for column in 0..<width / 2 {
        switch format.pixelFormat {
        case .nv12:
          bytes[(height + line) * row + 2 * column] = cb
          bytes[(height + line) * row + 2 * column + 1] = cr
        case .nv21:
          bytes[(height + line) * row + 2 * column] = cr
          bytes[(height + line) * row + 2 * column + 1] = cb
        case .i420:
          bytes[height * row + line * row / 2 + column] = cb
          bytes[height * row + (height / 2 + line) * row / 2 + column] = cr
        default: break
        }
      }
    }
    return bytes
  }

  @Test(
    arguments: [PixelFormat.yuyv, .uyvy, .nv12, .nv21, .i420],
    [FieldOrder.topFirst, .bottomFirst, .sequential(topFirst: true), .sequential(topFirst: false)])
  func theEarlierFieldIsShown(pixels: PixelFormat, order: FieldOrder) throws {
    let padded = FrameFormat(
      pixelFormat: pixels, size: FieldConverterTests.size,
      bytesPerRow: pixels == .yuyv || pixels == .uyvy ? 48 : 32, colour: .webcam)
    let converter = FieldConverter(padded, order)
    if case .sequential = order, pixels != .yuyv, pixels != .uyvy {
      #expect(converter == nil)
      return
    }
    let made = try #require(converter)
    var source = frame(padded, order)
    var target = [UInt8](repeating: 0, count: 16 * 8 * 3 / 2)
    let isGood = unsafe source.withUnsafeMutableBytes { source in
      unsafe target.withUnsafeMutableBytes { target in
        unsafe made.convert(source, into: target)
      }
    }
    #expect(isGood)
    let isTop = order == .topFirst || order == .sequential(topFirst: true)
    let rows: [UInt8] =
      isTop ? [0, 10, 20, 30, 40, 50, 60, 60] : [10, 10, 20, 30, 40, 50, 60, 70]
    for line in 0..<8 {
      #expect(target[line * 16..<line * 16 + 16].allSatisfy { $0 == rows[line] })
    }
    #expect(target[128..<160].allSatisfy { $0 == 90 })
    #expect(target[160..<192].allSatisfy { $0 == 160 })
  }

  @Test func driversSayHowFieldsLie() {
    func order(_ field: v4l2_field, height: Int = 576) -> FieldOrder? {
      FieldOrder(v4l2: field.rawValue, height: height)
    }
    #expect(order(V4L2_FIELD_NONE) == nil && order(V4L2_FIELD_ANY) == nil)
    #expect(order(V4L2_FIELD_INTERLACED) == .topFirst)
    #expect(order(V4L2_FIELD_INTERLACED, height: 480) == .bottomFirst)
    #expect(order(V4L2_FIELD_INTERLACED_TB, height: 480) == .topFirst)
    #expect(order(V4L2_FIELD_INTERLACED_BT) == .bottomFirst)
    #expect(order(V4L2_FIELD_SEQ_TB) == .sequential(topFirst: true))
    #expect(order(V4L2_FIELD_SEQ_BT) == .sequential(topFirst: false))
  }
}
