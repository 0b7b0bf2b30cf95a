// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Foundation
import Media
import TestSupport
import Testing
import Video

@testable import Overlay

/// Files that are damaged in a way that a seed decides, and texts that nobody would write: each gives a picture or an error. With
/// ONAIR_HOSTILE=N there are N of each kind instead of 35 (Tests/Nightly/32-hostile-files.sh).
@Suite struct HostileInputTests {
  private static let count =
    ProcessInfo.processInfo.environment["ONAIR_HOSTILE"].flatMap { Int($0) } ?? 35

  private static let target = PainterTests.target(16)

  /// Bytes that are changed, moved, repeated, left out and cut.
  private static func damaged(_ bytes: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &random) where bytes.count > 8 {
      let place = Int.random(in: 0..<bytes.count - 4, using: &random)
      let length = min(Int.random(in: 1...64, using: &random), bytes.count - place)
      switch Int.random(in: 0..<8, using: &random) {
      case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 1: bytes[place] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
      case 2:
        for index in place..<place + 4 { bytes[index] = Bool.random(using: &random) ? 0xFF : 0x7F }
      case 3: bytes.removeSubrange(place..<place + length)
      case 4: bytes.insert(contentsOf: bytes[place..<place + length], at: place)
      case 5:
        for index in place..<place + length { bytes[index] = .random(in: 0...255, using: &random) }
      case 6: bytes.replaceSubrange(place..<place + 4, with: PNGFile.number(place))
      default: bytes.removeLast(Int.random(in: 1..<bytes.count / 2 + 2, using: &random))
      }
    }
    return bytes
  }

  /// With the checksums of a PNG made right, so that what is inside is read.
  private static func mended(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    var offset = 8
    while offset + 12 <= bytes.count {
      let length = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      guard length <= bytes.count - offset - 12 else { break }
      let end = offset + 8 + length
      bytes.replaceSubrange(end..<end + 4, with: PNGFile.crc(bytes[offset + 4..<end]))
      offset = end + 4
    }
    return bytes
  }

  /// - Returns: how many were drawn.
  private static func run(
    _ seed: UInt64, _ files: [[UInt8]], mends: Bool = false, _ paint: (String) throws -> Void
  ) throws -> Int {
    var random = SplitMix64(seed: seed)
    let path = "\(stateDirectory())/file"
    var drawn = 0
    for index in 0..<count {
      // One in ten is whole: the rest is not refused for another reason.
      let isWhole = index % 10 == 9
      let file = files[index % files.count]
      var bytes = isWhole ? file : damaged(file, &random)
      if mends, index % 4 > 0 { bytes = mended(bytes) }
      try Data(bytes).write(to: URL(filePath: path))
      if (try? paint(path)) != nil { drawn += 1 }
    }
    try FileManager.default.removeItem(atPath: path)
    return drawn
  }

  private static func paintImage(_ path: String) throws {
    let planes = try ImagePainter(path: path, report: { _ in }).paint(target)
    #expect(planes.size.width <= 16 && planes.size.height <= 1_440)
  }

  private static func paintSticker(_ path: String) throws {
    let painter = StickerPainter(path: path, report: { _ in })
    let still = try? painter.paintStill(target)
    let planes = try painter.paint(target)
    #expect(still != nil)
    for time: Int64 in [0, .milliseconds(70), .seconds(5), .seconds(100_000)] {
      _ = unsafe planes.picture(at: time)
    }
  }

  @Test func damagedImages() throws {
    let images: [[UInt8]] = [
      PNGFile(width: 20, height: 20, colour: .rgba).bytes { x, y in (UInt8(x), UInt8(y), 9, 99) },
      PNGFile(
        width: 16, height: 12, colour: .greyAlpha, depth: 16, isInterlaced: true,
        chunks: [PNGFile.gamma(45_455), PNGFile.profile, PNGFile.exif(6)]
      ).bytes(PNGFile.grey(80)),
    ]
    #expect(try Self.run(11, images, mends: true, Self.paintImage) > 0)
    #expect(try Self.run(12, [jpeg], Self.paintImage) > 0)
  }

  @Test func damagedStickers() throws {
    var file = APNGFile(
      width: 16, height: 16,
      frames: (0..<5).map { index in
        APNGFile.Frame(
          x: index, y: 2, width: 9, height: 10, delay: (index, 20), disposal: UInt8(index % 3),
          isBlended: index % 2 == 0, pixel: (50, 100, UInt8(index * 40), UInt8(200 + index)))
      })
    let one = file.bytes
    file.beginsWithImage = false
    #expect(try Self.run(21, [one, file.bytes], mends: true, Self.paintSticker) > 0)
    let zip = ZipFile.sticker([9, 90, 200], folder: "a/")
    #expect(try Self.run(22, [zip.bytes], Self.paintSticker) > 0)
    // The archive is whole, and config.json is not.
    var random = SplitMix64(seed: 23)
    let path = "\(stateDirectory())/a.zip"
    for _ in 0..<Self.count {
      var bad = zip
      bad.entries[0].bytes = Self.damaged(zip.entries[0].bytes, &random)
      try Data(bad.bytes).write(to: URL(filePath: path))
      try? Self.paintSticker(path)
    }
    for text in [
      String(repeating: "[", count: 100_000), String(repeating: #"{"frameArry":"#, count: 9_000),
      #"{"du":1e999,"frameArry":[{"time":0,"pic":0}]}"#, "null", "\u{FEFF}{}",
      #"{"du":1,"frameArry":[{"time":1e308,"pic":0}]}"#,
      #"{"du":1,"n":"","kerneframe":1e300,"frameArry":[{"time":0,"pic":0}]}"#,
      #"{"du":1e-300,"n":"n","frameArry":[{"time":0,"pic":0}]}"#,
      #"{"du":1,"n":"\u0000","frameArry":[{"time":0,"pic":1e300}]}"#,
    ] {
      var bad = zip
      bad.entries[0].bytes = Array(text.utf8)
      try Data(bad.bytes).write(to: URL(filePath: path))
      try? Self.paintSticker(path)
    }
  }

  @Test func damagedFonts() throws {
    let font = Array(
      try Data(
        contentsOf: URL(filePath: "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf")))
    let folder = stateDirectory()
    let fonts = FontFiles(folder: folder)
    let words = CurrentText()
    _ = words.set("Añ Ж α مرحبا fi 漢 \u{1F600}")
    var random = SplitMix64(seed: 31)
    for index in 0..<Self.count {
      // The tables' directory, or what is in them: a table is damaged in many places.
      var bytes = font
      for _ in 0..<(index % 2 == 0 ? 2 : 200) {
        let end = index % 2 == 0 ? 300 : bytes.count
        bytes[Int.random(in: 0..<end, using: &random)] = .random(in: 0...255, using: &random)
      }
      if index % 5 == 4 { bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random)) }
      let path = "\(folder)/\(index).ttf"
      try Data(bytes).write(to: URL(filePath: path))
      if let family = try? FontFile.family(path) {
        #expect(fonts.refresh())
        let style = TextStyle(
          font: family, size: 0.05, colour: OverlayColour(red: 255, green: 255, blue: 255))
        _ = try? TextPainter(words: words, style: style) { _ in }.paint(PainterTests.target(400))
      }
      try FileManager.default.removeItem(atPath: path)
    }
    _ = fonts.refresh()
  }

  /// Of 10,000 characters, of all planes, with control characters and changes of direction in between.
  @Test func hostileTexts() throws {
    var random = SplitMix64(seed: 41)
    let special: [UInt32] = [
      0, 7, 0x1B, 0x85, 0x202A, 0x202B, 0x202D, 0x202E, 0x202C, 0x2066, 0x2067, 0x2069, 0x200D,
      0xFE0F, 0x0301, 0x20DD, 0xFDFD, 0x0E33, 0x1F468, 0x2028, 0x2029, 0xFFFE, 0xFEFF, 0x10_FFFF,
      10, 13, 32,
    ]
    for index in 0..<max(4, Self.count / 5) {
      var scalars = String.UnicodeScalarView()
      while scalars.count < 10_000 {
        let value =
          Bool.random(using: &random)
          ? special.randomElement(using: &random) ?? 0
          : UInt32.random(in: 0...(index % 2 == 0 ? 0x10_FFFF : 0x3000), using: &random)
        if let scalar = Unicode.Scalar(value) { scalars.append(scalar) }
      }
      let text = TextTemplate(String(scalars)).text(
        TextVariables(), wallClock: 0, now: MediaTime(nanos: 0), content: { _ in "" })
      let words = CurrentText()
      _ = words.set(text)
      var style = TextStyle(
        font: String(text.prefix(90)), size: index % 3 == 0 ? 0.5 : 0.03,
        colour: OverlayColour(red: 255, green: 255, blue: 255))
      style.wraps = index % 2 == 0
      style.secondSize = 0.5
      if index % 3 == 1 { style.outline = OverlayColour(red: 1, green: 1, blue: 1) }
      let painter = TextPainter(words: words, style: style) { _ in }
      if let planes = try? painter.paint(PainterTests.target(400)) {
        #expect(planes.size.width <= 1_280 && planes.size.height <= 720)
      }
      style.size = 0.03
      let moving = ScrollPainter(words, style, TextScroll(speed: 0.1, framesPerSecond: 30)) { _ in }
      let line = try? moving.paint(PainterTests.target(400))
      for frame: Int64 in 0..<3 { _ = unsafe line?.picture(at: frame * .seconds(40)) }
    }
  }

  /// Marks of direction beside brackets, of which some ended FriBidi 1.0.8; on several threads, as layers and stills have them.
  @Test func textsChangeTheirDirection() {
    let style = TextStyle(
      font: "DejaVu Sans", size: 0.03, colour: OverlayColour(red: 255, green: 255, blue: 255))
    let marks: [UInt32] = [
      0x202A, 0x202B, 0x202E, 0x202C, 0x2066, 0x2067, 0x2069, 0x28, 0x29, 0x5B, 0x5D, 0x5D0, 0x627,
      0x31, 0x61, 0x20,
    ]
    DispatchQueue.concurrentPerform(iterations: 64) { index in
      var random = SplitMix64(seed: UInt64(index))
      var scalars = String.UnicodeScalarView()
      for _ in 0..<1_000 {
        let value = marks.randomElement(using: &random) ?? 32
        if let scalar = Unicode.Scalar(value) { scalars.append(scalar) }
      }
      _ = try? TextLayout(String(scalars), style, in: PainterTests.target(1_280))
    }
  }

  /// Run alone, with a count of its own: what all of them have taken is given back.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["ONAIR_HOSTILE"] != nil))
  func memoryIsBounded() throws {
    func once() throws {
      try damagedImages()
      try damagedStickers()
      try damagedFonts()
      try hostileTexts()
    }
    try once()
    let before = ProcessFootprint.residentKiB
    for _ in 0..<3 { try once() }
    let grown = ProcessFootprint.residentKiB - before
    #expect(grown < 64 << 10, "\(grown) KiB more after three further rounds")
  }

  /// 32x24 pixels, by libavcodec.
  private let jpeg = Array(
    Data(
      base64Encoded:
        "/9j/4AAQSkZJRgABAgAAAQABAAD//gAQTGF2YzU5LjM3LjEwMAD/2wBDAAgoKC8oLzc3Nzc3N0E8QUNDQ0FBQUFDQ0"
        + "NISEhVVVVISEhDQ0hIUFBVVVxfXFdXVVdfX2RkZHh4c3OMjJGsrM//xAB6AAEBAQEBAAAAAAAAAAAAAAAFBwYCAwEB"
        + "AQEBAAAAAAAAAAAAAAAABQIHBhAAAAMGAggHAQAAAAAAAAAAAAEDgUIRwQQCMRJRgrFBE7IyIXEUkWGDIjM0EQACAQ"
        + "MDBQEBAAAAAAAAAAABAhEhAAMEEiKRURPhMaGx/8AAEQgAGAAgAwEiAAIRAAMRAP/aAAwDAQACEQMRAD8Aw1GlnzGf"
        + "T2aeiO0cLutG1ofw+S7lsGJXdbId1pQAZ7+7tHZlzqTRPHtHaSSet3ld1sgTRrxu4d2JlEj0w3ePf0Cy7rZCU039SO"
        + "vyGMI0p/fdwiqTqCRVfFB7SCP5atKqjbbljDvF7E/dg8VPLxLMzqkJgg8yYdXdbIaXpse5zzyCIoGp8tTLiDYy4JQm"
        + "J20B5RW6TUceJQw1QUkiqZ2qWW/a3A4lvKGBmKKu62QQpehluwAYcu9TwxrA+qsH7YOJziZlENJUHdUnixr0pf8A/9k="
    ) ?? Data())
}
