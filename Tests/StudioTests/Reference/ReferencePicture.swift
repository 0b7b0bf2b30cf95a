// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Foundation
import Media
import Testing

/// A picture of 4:2:0 planes without padding, in quarters of a level: ffmpeg composes in ten bits, so that what it rounds does
/// not count.
struct ReferencePicture {
  enum Plane: Int, CaseIterable { case y, cb, cr }

  let size: PictureSize
  private(set) var quarters: [UInt16]

  /// - Parameter bytes: of ffmpeg's "yuv420p10le".
  init(size: PictureSize, bytes: [UInt8]) throws {
    try #require(bytes.count == size.width * size.height * 3)
    self.size = size
    quarters = stride(from: 0, to: bytes.count, by: 2).map {
      UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8
    }
  }

  init(_ picture: PlanarPicture) {
    size = unsafe picture.size
    let (width, height) = (size.width, size.height)
    quarters = []
    quarters.reserveCapacity(width * height * 3 / 2)
    unsafe append(picture.y, picture.yStride, width, height)
    unsafe append(picture.cb, picture.chromaStride, width / 2, height / 2)
    unsafe append(picture.cr, picture.chromaStride, width / 2, height / 2)
  }

  private mutating func append(
    _ plane: UnsafePointer<UInt8>, _ stride: Int, _ width: Int, _ height: Int
  ) {
    for row in 0..<height {
      let line = unsafe UnsafeBufferPointer(start: plane + row * stride, count: width)
      unsafe quarters.append(contentsOf: line.map { UInt16($0) * 4 })
    }
  }

  func sample(_ plane: Plane, _ x: Int, _ y: Int) -> Double {
    let index =
      switch plane {
      case .y: y * size.width + x
      case .cb: size.width * size.height + y * (size.width / 2) + x
      case .cr: size.width * size.height * 5 / 4 + y * (size.width / 2) + x
      }
    return Double(quarters[index]) / 4
  }

  func luma(_ x: Int, _ y: Int) -> Double { sample(.y, x, y) }

  /// The first and the last position along a line at which a condition holds.
  static func ends(_ range: Range<Int>, where isInside: (Int) -> Bool) -> (first: Int, last: Int)? {
    guard let first = range.first(where: isInside), let last = range.last(where: isInside) else {
      return nil
    }
    return (first, last)
  }
}

/// Runs ffmpeg, the other program.
struct FFmpeg: ~Copyable {
  let folder: String

  init() throws {
    folder = NSTemporaryDirectory() + "onair-reference-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    let path = "\(folder)/\(name)"
    try Data(bytes).write(to: URL(filePath: path))
    return path
  }

  /// What a filter makes of a raw picture, and of an image file if there is one.
  func picture(
    of base: [UInt8], _ size: PictureSize, image: String? = nil, _ filter: String,
    is result: PictureSize
  ) throws -> ReferencePicture {
    let (input, output) = (try write("base.yuv", base), "\(folder)/out.yuv")
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      [
        "ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", "\(size)",
        "-i", input,
      ] + (image.map { ["-i", $0] } ?? [])
      + [
        "-filter_complex", filter, "-frames:v", "1", "-pix_fmt", "yuv420p10le", "-f", "rawvideo",
        output,
      ]
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "ffmpeg \(filter)")
    return try ReferencePicture(
      size: result, bytes: Array(Data(contentsOf: URL(filePath: output))))
  }
}
