// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import CPNG
import CTurboJPEG
import Glibc
import Posix
import TestSupport
import Testing

@testable import Video

/// Makes the bytes of image files.
private enum ImageFile {
  typealias Pixel = (red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8)

  static func pixels(_ width: Int, _ height: Int, _ pixel: (Int, Int) -> Pixel) -> [UInt8] {
    (0..<height).flatMap { y in
      (0..<width).flatMap { x in
        let pixel = pixel(x, y)
        return [pixel.red, pixel.green, pixel.blue, pixel.alpha]
      }
    }
  }

  static func png(_ width: Int, _ height: Int, _ pixel: (Int, Int) -> Pixel) -> [UInt8] {
    var image = unsafe png_image()
    unsafe image.version = UInt32(PNG_IMAGE_VERSION)
    unsafe image.width = UInt32(width)
    unsafe image.height = UInt32(height)
    unsafe image.format = UInt32(PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA)
    var count = width * height * 4 + 4_096
    var bytes = [UInt8](repeating: 0, count: count)
    let written = unsafe png_image_write_to_memory(
      &image, &bytes, &count, 0, pixels(width, height, pixel), 0, nil)
    precondition(written != 0)
    return Array(bytes.prefix(count))
  }

  /// With a palette.
  static func png(
    width: Int, height: Int, colours: [Pixel], _ number: (Int, Int) -> UInt8
  ) -> [UInt8] {
    var image = unsafe png_image()
    unsafe image.version = UInt32(PNG_IMAGE_VERSION)
    unsafe image.width = UInt32(width)
    unsafe image.height = UInt32(height)
    unsafe image.format = UInt32(
      PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA | PNG_FORMAT_FLAG_COLORMAP)
    unsafe image.colormap_entries = UInt32(colours.count)
    var count = 4_096
    var bytes = [UInt8](repeating: 0, count: count)
    let written = unsafe png_image_write_to_memory(
      &image, &bytes, &count, 0, (0..<height).flatMap { y in (0..<width).map { number($0, y) } }, 0,
      colours.flatMap { [$0.red, $0.green, $0.blue, $0.alpha] })
    precondition(written != 0)
    return Array(bytes.prefix(count))
  }

  static func jpeg(_ width: Int, _ height: Int, _ pixel: (Int, Int) -> Pixel) -> [UInt8] {
    let encoder = unsafe tjInitCompress()
    defer { unsafe tjDestroy(encoder) }
    var start: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
    let status = unsafe tjCompress2(
      encoder, pixels(width, height, pixel), Int32(width), 0, Int32(height),
      Int32(TJPF_RGBA.rawValue), &start, &count, Int32(TJSAMP_444.rawValue), 95, 0)
    precondition(status == 0)
    defer { unsafe tjFree(start) }
    return unsafe Array(UnsafeBufferPointer(start: start, count: Int(count)))
  }

  /// Adds EXIF data with an orientation.
  static func oriented(_ jpeg: [UInt8], _ orientation: UInt8, isLittle: Bool) -> [UInt8] {
    let order: [UInt8] = isLittle ? [0x49, 0x49, 0x2A, 0] : [0x4D, 0x4D, 0, 0x2A]
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      let big = (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
      return isLittle ? big.reversed() : big
    }
    var tiff = order + number(8, 4) + number(2, 2)
    tiff += number(0x0100, 2) + number(3, 2) + number(1, 4) + number(5, 2) + [0, 0]
    tiff += number(0x0112, 2) + number(3, 2) + number(1, 4) + number(Int(orientation), 2) + [0, 0]
    tiff += number(0, 4)
    let body = Array("Exif\0\0".utf8) + tiff
    let length = body.count + 2
    return Array(jpeg[0..<2]) + [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + body
      + Array(jpeg[2...])
  }
}

struct StillImageTests {
  private static func luma(_ still: StillImage, _ x: Int, _ y: Int) -> Int {
    let frame = still.frame(at: .distantPast)
    return Int(unsafe frame.bytes[y * frame.format.bytesPerRow + x])
  }

  @Test(arguments: [false, true])
  func anImageKeepsItsColours(isPNG: Bool) throws {
    let make = isPNG ? ImageFile.png : ImageFile.jpeg
    let still = try StillImage(bytes: make(64, 32) { x, _ in (x < 32 ? 255 : 0, 0, 0, 255) })
    #expect(still.size == PictureSize(width: 64, height: 32))
    let frame = still.frame(at: MediaTime(nanos: 5))
    #expect(frame.format.colour == .webcam)
    #expect(frame.capturedAt == MediaTime(nanos: 5))
    // BT.601, limited range: red is 81, 90, 240 and black 16, 128, 128.
    #expect(abs(Self.luma(still, 8, 8) - 81) <= 2)
    #expect(abs(Self.luma(still, 56, 8) - 16) <= 2)
    let chroma = 64 * 32
    #expect(abs(Int(unsafe frame.bytes[chroma + 4 * 32 + 4]) - 90) <= 2)
    #expect(abs(Int(unsafe frame.bytes[chroma + 32 * 16 + 4 * 32 + 4]) - 240) <= 2)
  }

  @Test func transparentPartsBecomeBlack() throws {
    let still = try StillImage(
      bytes: ImageFile.png(4, 2) { x, _ in (255, 255, 255, [255, 128, 0, 0][x]) })
    let row = (0..<4).map { Self.luma(still, $0, 0) }
    #expect(abs(row[0] - 235) <= 2 && abs(row[1] - 126) <= 3 && row[2] == 16, "\(row)")
  }

  /// A palette with a transparent colour, and an odd size.
  @Test func aPaletteIsApplied() throws {
    let bytes = ImageFile.png(
      width: 5, height: 3, colours: [(255, 255, 255, 255), (255, 0, 0, 255), (255, 255, 255, 0)]
    ) { x, y in y == 2 ? 2 : UInt8(x / 2 % 2) }
    let still = try StillImage(bytes: bytes)
    #expect(still.size == PictureSize(width: 5, height: 3))
    for (y, row) in [[235, 235, 81, 81, 235], [235, 235, 81, 81, 235], [16, 16, 16, 16, 16]]
      .enumerated()
    {
      for (x, value) in row.enumerated() { #expect(abs(Self.luma(still, x, y) - value) <= 2) }
    }
    // Each chroma plane has three columns and two rows; the second column is red.
    let frame = still.frame(at: .distantPast)
    #expect(abs(Int(unsafe frame.bytes[15 + 1]) - 90) <= 2)
    #expect(abs(Int(unsafe frame.bytes[15 + 6 + 1]) - 240) <= 2)
    #expect(unsafe frame.bytes[15 + 6 + 4] == 128)
  }

  @Test(arguments: 1...8 as ClosedRange<UInt8>, [false, true])
  func aPhotographIsShownUpright(_ orientation: UInt8, isLittle: Bool) throws {
    // Where the bright corner of the stored image belongs.
    let corners: [(Int, Int)] = [(0, 0), (1, 0), (1, 1), (0, 1), (0, 0), (1, 0), (1, 1), (0, 1)]
    let jpeg = ImageFile.jpeg(64, 32) { x, y in
      let level: UInt8 = x < 32 && y < 16 ? 255 : 0
      return (level, level, level, 255)
    }
    let still = try StillImage(
      bytes: ImageFile.oriented(jpeg, orientation, isLittle: isLittle))
    let isTall = orientation >= 5
    let upright = PictureSize(width: isTall ? 32 : 64, height: isTall ? 64 : 32)
    let composer = VideoComposer(
      Layout(
        size: upright, VideoLook(rotation: still.rotation, mirror: still.mirror), colour: .webcam))
    try composer.take(still.frame(at: .distantPast))
    let picture = unsafe composer.compose(at: .distantPast)
    for right in 0...1 {
      for low in 0...1 {
        let x = upright.width / 4 * (1 + 2 * right)
        let y = upright.height / 4 * (1 + 2 * low)
        let value = Int(unsafe picture.y[y * picture.yStride + x])
        let isBright = corners[Int(orientation) - 1] == (right, low)
        #expect(abs(value - (isBright ? 235 : 16)) <= 3, "\(right) \(low)")
      }
    }
    withExtendedLifetime(composer) {}
  }

  @Test func aLargePhotographIsScaledDown() throws {
    let tall = try StillImage(bytes: ImageFile.jpeg(100, 8_000) { _, _ in (255, 255, 255, 255) })
    #expect(tall.size == PictureSize(width: 25, height: 2_000))
    #expect(abs(Self.luma(tall, 12, 1_000) - 235) <= 2)
  }

  @Test func anImageThatIsTooWideIsRefused() {
    #expect(throws: StillError.tooManyPixels(PictureSize(width: 32_769, height: 2))) {
      try StillImage(bytes: ImageFile.png(32_769, 2) { _, _ in (255, 255, 255, 255) })
    }
  }

  /// The header states gigabytes; nothing is allocated for them.
  @Test func aDecompressionBombIsRefusedByItsHeader() {
    var png = ImageFile.png(8, 8) { _, _ in (0, 0, 0, 255) }
    // IHDR's width and height, and its CRC (ISO 3309).
    png.replaceSubrange(16..<24, with: [0, 0, 0xC3, 0x50, 0, 0, 0xC3, 0x50])
    png.replaceSubrange(29..<33, with: PNGFile.crc(png[12..<29]))
    #expect(throws: StillError.tooManyPixels(PictureSize(width: 50_000, height: 50_000))) {
      try StillImage(bytes: png)
    }
    var jpeg = ImageFile.jpeg(8, 8) { _, _ in (0, 0, 0, 255) }
    let frame = jpeg.indices.first { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xC0 } ?? 0
    jpeg.replaceSubrange(frame + 5..<frame + 9, with: [0xFF, 0xDC, 0xFF, 0xDC])
    #expect(throws: StillError.tooManyPixels(PictureSize(width: 65_500, height: 65_500))) {
      try StillImage(bytes: jpeg)
    }
  }

  @Test(arguments: [false, true])
  func aTruncatedFileIsRefused(isPNG: Bool) {
    let make = isPNG ? ImageFile.png : ImageFile.jpeg
    let whole = make(40, 40) { x, y in (UInt8(x * 6), UInt8(y * 6), UInt8(x ^ y), 255) }
    // Only the end marker may be missing: PNG's IEND, JPEG's EOI.
    for count in stride(from: 4, to: whole.count - 13, by: 5) {
      #expect(throws: (any Error).self) { try StillImage(bytes: Array(whole.prefix(count))) }
    }
  }

  @Test(arguments: [false, true])
  func damageNeverCrashes(isPNG: Bool) {
    let make = isPNG ? ImageFile.png : ImageFile.jpeg
    let whole = make(48, 24) { x, y in (UInt8(x * 5), UInt8(y * 10), UInt8(x ^ y), 255) }
    var random = SplitMix64(seed: 5)
    var refused = 0
    for _ in 0..<1_000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        bytes[Int.random(in: 4..<bytes.count, using: &random)] = .random(
          in: 0...255, using: &random)
      }
      if (try? StillImage(bytes: bytes)) == nil { refused += 1 }
    }
    #expect(refused > 50)
  }

  @Test func eachTroubleWithAFileHasItsCause() throws {
    func error(_ path: String) -> StillError? {
      do {
        _ = try StillImage(path: path)
        return nil
      } catch { return error }
    }
    let folder = "/tmp/onair-still-\(getpid())"
    let made = unsafe mkdir(folder, 0o700)
    #expect(made == 0)
    defer {
      for name in ["fifo", "empty", "large", "loop"] { _ = unsafe unlink("\(folder)/\(name)") }
      _ = unsafe rmdir(folder)
    }
    let fifo = unsafe mkfifo("\(folder)/fifo", 0o600)
    #expect(fifo == 0)
    close(unsafe open("\(folder)/empty", O_CREAT | O_WRONLY, 0o600))
    let large = unsafe open("\(folder)/large", O_CREAT | O_WRONLY, 0o600)
    #expect(ftruncate(large, 1 << 40) == 0)
    close(large)
    #expect(error("\(folder)/nothing") == .missing)
    #expect(error(folder) == .notAFile)
    #expect(error("\(folder)/fifo") == .notAFile)
    #expect(error("/dev/zero") == .notAFile)
    #expect(unsafe symlink("loop", "\(folder)/loop") == 0)
    #expect(error("\(folder)/loop") == .failed(SystemError(ELOOP)))
    #expect(error("\(folder)/empty") == .notAnImage)
    #expect(error("\(folder)/large") == .tooManyBytes(1 << 40))
  }
}
