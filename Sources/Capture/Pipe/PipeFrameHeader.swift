// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// The header before each frame of a framed pipe: 24 bytes, all numbers little endian.
///
/// | Byte | Field |
/// |---|---|
/// | 0 | the characters "OAF1" |
/// | 4 | width in pixels, 16 bits |
/// | 6 | height in pixels, 16 bits |
/// | 8 | degrees by which the frame has to be turned clockwise for display: 0, 90, 180 or 270, 16 bits |
/// | 10 | 0, 16 bits |
/// | 12 | the number of bytes that follow the header, 32 bits |
/// | 16 | when the frame was captured: nanoseconds on CLOCK_MONOTONIC of this machine; 0 for "now", 64 bits |
struct PipeFrameHeader: Equatable {
  static let byteCount = 24
  static let magic: [UInt8] = Array("OAF1".utf8)
  static let maxSide = 1920

  var size: PictureSize
  /// The angle by which the frame is turned clockwise, in degrees: 0, 90, 180 or 270.
  var degrees: UInt32
  /// When the frame was captured; `nil` for when it has arrived.
  var captured: MediaTime?

  /// Reads a header.
  /// - Parameter bytes: 24 bytes that begin with `magic`.
  /// - Returns: the reason why the header is wrong, worded to follow "is wrong: ", or the header.
  static func read(
    _ bytes: [UInt8], _ pixels: PipePixels
  ) -> Result<PipeFrameHeader, PipeHeaderError> {
    func number(_ start: Int, _ count: Int) -> UInt64 {
      (0..<count).reduce(0) { $0 | UInt64(bytes[start + $1]) << UInt64(8 * $1) }
    }
    let size = PictureSize(width: Int(number(4, 2)), height: Int(number(6, 2)))
    let sides = [size.width, size.height]
    guard sides.allSatisfy({ (2...maxSide).contains($0) && $0.isMultiple(of: 2) }) else {
      return .failure("a header says \(size), but both sides have to be even, 2 to \(maxSide)")
    }
    let degrees = number(8, 2)
    guard degrees < 360, degrees.isMultiple(of: 90) else {
      return .failure("a header says \(degrees) degrees, not 0, 90, 180 or 270")
    }
    let length = number(12, 4)
    guard length == UInt64(pixels.byteCount(size)) else {
      return .failure(
        "a header says \(length) bytes, but \(pixels.rawValue) of \(size) has \(pixels.byteCount(size))"
      )
    }
    let nanos = number(16, 8)
    return .success(
      PipeFrameHeader(
        size: size, degrees: UInt32(degrees),
        captured: nanos == 0 ? nil : MediaTime(nanos: Int64(clamping: nanos))))
  }
}

/// Why a header is wrong, worded to follow "is wrong: ".
struct PipeHeaderError: Error, Equatable, ExpressibleByStringInterpolation {
  var reason: String

  init(stringLiteral reason: String) { self.reason = reason }
}

extension PipePixels {
  /// The bytes of a frame without row padding. Both sides of `size` are even.
  func byteCount(_ size: PictureSize) -> Int {
    let pixels = size.width * size.height
    switch self {
    case .i420, .nv12, .nv21: return pixels * 3 / 2
    case .yuyv, .uyvy: return pixels * 2
    case .rgb24: return pixels * 3
    case .bgra: return pixels * 4
    }
  }
}
