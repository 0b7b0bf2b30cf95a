// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Media

/// Small media files in a temporary folder, in formats that need no encoder: Y4M, WAV and PPM.
struct MadeFiles: ~Copyable {
  let folder: String

  init() throws {
    folder = NSTemporaryDirectory() + "onair-file-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    let path = folder + "/" + name
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }

  /// Frame n is uniform: Y = 16 + n, Cb 100, Cr 200.
  func y4m(
    _ name: String = "a:b c.y4m", size: PictureSize, frames: Int, fps: Int = 25
  ) throws -> String {
    var bytes = Array("YUV4MPEG2 W\(size.width) H\(size.height) F\(fps):1 Ip A1:1 C420jpeg\n".utf8)
    let chroma = ((size.width + 1) / 2) * ((size.height + 1) / 2)
    for frame in 0..<frames {
      bytes += Array("FRAME\n".utf8)
      bytes += [UInt8](repeating: UInt8(16 + frame), count: size.width * size.height)
      bytes += [UInt8](repeating: 100, count: chroma) + [UInt8](repeating: 200, count: chroma)
    }
    return try write(name, bytes)
  }

  /// 16-bit; `sample` returns the sample at an index.
  func wav(
    rate: Int, channels: Int, frames: Int, sample: (Int) -> Int16
  ) throws -> String {
    func number(_ value: Int, _ bytes: Int) -> [UInt8] {
      (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let data = (0..<frames).flatMap { index in
      (0..<channels).flatMap { _ in number(Int(sample(index)), 2) }
    }
    var bytes = Array("RIFF".utf8) + number(36 + data.count, 4) + Array("WAVEfmt ".utf8)
    bytes += number(16, 4) + number(1, 2) + number(channels, 2) + number(rate, 4)
    bytes += number(rate * channels * 2, 4) + number(channels * 2, 2) + number(16, 2)
    bytes += Array("data".utf8) + number(data.count, 4) + data
    return try write("sound.wav", bytes)
  }

  /// One image of a uniform colour.
  func ppm(size: PictureSize, rgb: [UInt8]) throws -> String {
    let pixels = (0..<(size.width * size.height)).flatMap { _ in rgb }
    return try write(
      "still.ppm", Array("P6\n\(size.width) \(size.height)\n255\n".utf8) + pixels)
  }
}
