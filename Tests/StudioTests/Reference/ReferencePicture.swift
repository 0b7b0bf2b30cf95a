// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Foundation
import Media
import Testing

/// A picture of 4:2:0 planes without padding, as ffmpeg's "rawvideo" has them.
struct ReferencePicture {
  enum Plane: Int, CaseIterable { case y, cb, cr }

  let size: PictureSize
  var bytes: [UInt8]

  init(size: PictureSize, bytes: [UInt8]) throws {
    try #require(bytes.count == size.width * size.height * 3 / 2)
    (self.size, self.bytes) = (size, bytes)
  }

  init(_ picture: PlanarPicture) {
    size = unsafe picture.size
    let (width, height) = (size.width, size.height)
    bytes = []
    bytes.reserveCapacity(width * height * 3 / 2)
    unsafe append(picture.y, picture.yStride, width, height)
    unsafe append(picture.cb, picture.chromaStride, width / 2, height / 2)
    unsafe append(picture.cr, picture.chromaStride, width / 2, height / 2)
  }

  private mutating func append(
    _ plane: UnsafePointer<UInt8>, _ stride: Int, _ width: Int, _ height: Int
  ) {
    for row in 0..<height {
      unsafe bytes.append(
        contentsOf: UnsafeBufferPointer(start: plane + row * stride, count: width))
    }
  }

  func sample(_ plane: Plane, _ x: Int, _ y: Int) -> Int {
    switch plane {
    case .y: Int(bytes[y * size.width + x])
    case .cb: Int(bytes[size.width * size.height + y * (size.width / 2) + x])
    case .cr: Int(bytes[size.width * size.height * 5 / 4 + y * (size.width / 2) + x])
    }
  }

  func luma(_ x: Int, _ y: Int) -> Int { sample(.y, x, y) }

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
        "-filter_complex", filter, "-frames:v", "1", "-pix_fmt", "yuv420p", "-f", "rawvideo",
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
