// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import TestSupport

@testable import Overlay

/// Makes animated PNG files.
struct APNGFile {
  struct Frame {
    var x = 0
    var y = 0
    var width = 8
    var height = 8
    /// Numerator and denominator of a second.
    var delay = (1, 10)
    var disposal: UInt8 = 0
    var isBlended = false
    var pixel: (UInt8, UInt8, UInt8, UInt8)
  }

  var width = 8
  var height = 8
  /// Whether the first frame is also the image for readers that know no animation.
  var beginsWithImage = true
  var frames: [Frame]

  var bytes: [UInt8] {
    var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    file += PNGFile.chunk(
      "IHDR", PNGFile.number(width) + PNGFile.number(height) + [8, 6, 0, 0, 0])
    file += PNGFile.chunk("acTL", PNGFile.number(frames.count) + PNGFile.number(1))
    if !beginsWithImage {
      file += PNGFile.chunk("IDAT", APNGFile.pixels(width, height, (9, 9, 9, 255)))
    }
    var sequence = 0
    func next() -> [UInt8] {
      defer { sequence += 1 }
      return PNGFile.number(sequence)
    }
    for (index, frame) in frames.enumerated() {
      var control = next() + PNGFile.number(frame.width) + PNGFile.number(frame.height)
      control += PNGFile.number(frame.x) + PNGFile.number(frame.y)
      control += [frame.delay.0, frame.delay.1].flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
      file += PNGFile.chunk("fcTL", control + [frame.disposal, frame.isBlended ? 1 : 0])
      let data = APNGFile.pixels(frame.width, frame.height, frame.pixel)
      file +=
        index == 0 && beginsWithImage
        ? PNGFile.chunk("IDAT", data) : PNGFile.chunk("fdAT", next() + data)
    }
    return file + PNGFile.chunk("IEND", [])
  }

  /// The compressed rows of one colour.
  private static func pixels(
    _ width: Int, _ height: Int, _ pixel: (UInt8, UInt8, UInt8, UInt8)
  ) -> [UInt8] {
    let file = PNGFile(width: width, height: height, colour: .rgba).bytes { _, _ in pixel }
    // After the signature and IHDR: length, name, body and checksum of IDAT; then IEND.
    return Array(file[41..<file.count - 16])
  }
}

/// Makes zip files without compression (APPNOTE.TXT, 4.3).
struct ZipFile {
  struct Entry {
    var name: String
    var bytes: [UInt8]
    /// The mode of Unix.
    var mode: UInt32 = 0o100644
    /// The size that the directory states; `nil` for the real one.
    var statedSize: UInt32?
  }

  var entries: [Entry]

  var bytes: [UInt8] {
    func two(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8 & 255)] }
    func four(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(value >> ($0 * 8) & 255) } }
    var (file, directory) = ([UInt8](), [UInt8]())
    for entry in entries {
      let name = Array(entry.name.utf8)
      let size = entry.statedSize ?? UInt32(entry.bytes.count)
      let common =
        two(20) + two(0) + two(0) + two(0) + two(0x21) + four(CRC32.of(entry.bytes[...]))
        + four(UInt32(entry.bytes.count)) + four(size) + two(name.count) + two(0)
      directory += four(0x0201_4B50) + two(0x031E) + common + two(0) + two(0) + two(0)
      directory += four(entry.mode << 16) + four(UInt32(file.count)) + name
      file += four(0x0403_4B50) + common + name + entry.bytes
    }
    let count = two(entries.count)
    return file + directory + four(0x0605_4B50) + two(0) + two(0) + count + count
      + four(UInt32(directory.count)) + four(UInt32(file.count)) + two(0)
  }

  /// A sticker of images of one level each.
  static func sticker(
    _ levels: [UInt8], config: String? = nil, folder: String = "", size: Int = 8
  ) -> ZipFile {
    let frames = levels.indices.map { #"{"time":\#(Double($0) / 10),"pic":\#($0)}"# }
    let json =
      config
      ?? #"{"du":\#(Double(levels.count) / 10),"n":"n","c":\#(levels.count).0,"kerneframe":1,"#
      + #""frameArry":[\#(frames.joined(separator: ","))]}"#
    return ZipFile(
      entries: [Entry(name: "\(folder)config.json", bytes: Array(json.utf8))]
        + levels.enumerated().map { index, level in
          Entry(
            name: "\(folder)n\(index).png",
            bytes: PNGFile(width: size, height: size).bytes(PNGFile.grey(level)))
        })
  }
}
