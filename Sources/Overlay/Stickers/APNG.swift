// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Video

/// An animated PNG (PNG, third edition, 11.3.6). Each frame is rewritten as a PNG file of its own in memory, which
/// libpng decodes: so libavformat is not needed, and colours are converted as in still images. A PNG without animation
/// has one frame.
struct APNG: StickerImages {
  /// The first bytes of each PNG file.
  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  /// The minimum time for which a frame is shown, in nanoseconds. Shorter times are taken for errors of the program
  /// that wrote the file.
  private static let minDelayNanos = Int64.milliseconds(20)

  /// A frame of the animation, as the chunks fcTL and fdAT describe it.
  private struct Frame {
    var x, y: Int
    var size: PictureSize
    /// The time for which the frame is shown, in nanoseconds.
    var delay: Int64
    /// What happens to the frame's area before the next frame is drawn: 0 for nothing; 1 to clear the area; 2 to
    /// restore what the area contained before this frame.
    var disposal: UInt8
    /// Whether the frame is blended over the canvas by its alpha, instead of replacing the canvas's pixels.
    var isBlended: Bool
    /// The byte ranges of the frame's compressed pixels in the file.
    var data: [Range<Int>] = []
  }

  /// The times at which the frames are shown.
  let timing: StickerTiming
  /// The size of the animation in pixels; a frame may be smaller.
  let size: PictureSize
  /// The content of the file.
  private let bytes: [UInt8]
  /// The frames in the order in which they are shown.
  private let frames: [Frame]
  /// The content of the file's IHDR chunk.
  private let header: ArraySlice<UInt8>
  /// The chunks that all frames need, such as the palette, as they are in the file.
  private let common: [UInt8]

  /// The number of frames, each of which is an image.
  var imageCount: Int { frames.count }

  init(_ bytes: [UInt8]) throws(StickerError) {
    guard let size = APNG.size(bytes) else { throw .broken }
    guard size.width * size.height <= StickerTiming.maxPixels else {
      throw .tooManyPixels(size.width, size.height)
    }
    (self.bytes, self.size) = (bytes, size)
    header = bytes[16..<29]
    (frames, common) = try APNG.read(bytes, size)
    let pixels = frames.reduce(0) { $0 + $1.size.width * $1.size.height }
    guard pixels <= StickerTiming.maxTotalPixels else { throw .tooMuchWork }
    var (starts, length) = ([Int64](), Int64(0))
    for frame in frames {
      starts.append(length)
      length += frame.delay
    }
    timing = StickerTiming(
      starts: starts, images: Array(frames.indices), length: length, imageOnStills: 0)
  }

  /// The size in the header of a PNG; `nil` if there is no header, or if its size is not valid.
  static func size(_ bytes: [UInt8]) -> PictureSize? {
    guard bytes.count >= 33, bytes.starts(with: signature),
      bytes[12..<16].elementsEqual("IHDR".utf8)
    else { return nil }
    let (width, height) = (number(bytes, 16, 4), number(bytes, 20, 4))
    // With these limits, the product of width and height cannot overflow.
    guard (1...32_768).contains(width), (1...32_768).contains(height) else { return nil }
    return PictureSize(width: width, height: height)
  }

  /// The big-endian number in the `count` bytes from `offset` on.
  private static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int {
    bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Reads the chunks of a file: the frames, and the chunks that all frames need.
  private static func read(
    _ bytes: [UInt8], _ size: PictureSize
  ) throws(StickerError) -> ([Frame], [UInt8]) {
    var frames: [Frame] = []
    var common: [UInt8] = []
    /// The byte ranges of the image that decoders without APNG support show. This image may or may not be the first
    /// frame.
    var defaultImage: [Range<Int>] = []
    var offset = 33
    while offset + 12 <= bytes.count {
      let length = number(bytes, offset, 4)
      guard length <= bytes.count - offset - 12 else { break }
      let body = offset + 8..<offset + 8 + length
      switch String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self) {
      case "fcTL":
        guard frames.count < StickerTiming.maxFrames else {
          throw .tooManyFrames(frames.count + 1)
        }
        frames.append(try frame(bytes, body, size))
      case "IDAT":
        defaultImage.append(body)
        if frames.count == 1 { frames[0].data.append(body) }
      case "fdAT" where length > 4 && !frames.isEmpty:
        frames[frames.count - 1].data.append(body.lowerBound + 4..<body.upperBound)
      case "PLTE", "tRNS", "gAMA", "sRGB":
        if defaultImage.isEmpty { common += bytes[offset..<body.upperBound + 4] }
        // The size is limited, because the decoder gets these chunks with each frame. A palette has 768 bytes.
        guard common.count <= 4_096 else { throw .broken }
      default: break
      }
      offset = body.upperBound + 4
    }
    if frames.isEmpty, !defaultImage.isEmpty {
      frames = [
        Frame(
          x: 0, y: 0, size: size, delay: .seconds(1), disposal: 0, isBlended: false,
          data: defaultImage)
      ]
    }
    guard !frames.isEmpty, frames.allSatisfy({ !$0.data.isEmpty }) else { throw .broken }
    return (frames, common)
  }

  /// Reads the content of a chunk fcTL, which begins a frame.
  /// - Parameters:
  ///   - body: the range of the content in `bytes`.
  ///   - canvas: the size of the animation in pixels.
  private static func frame(
    _ bytes: [UInt8], _ body: Range<Int>, _ canvas: PictureSize
  ) throws(StickerError) -> Frame {
    let start = body.lowerBound
    guard body.count == 26 else { throw .broken }
    let size = PictureSize(
      width: number(bytes, start + 4, 4), height: number(bytes, start + 8, 4))
    let (x, y) = (number(bytes, start + 12, 4), number(bytes, start + 16, 4))
    guard size.width >= 1, size.height >= 1, x + size.width <= canvas.width,
      y + size.height <= canvas.height
    else { throw .broken }
    let parts = number(bytes, start + 22, 2)
    let seconds = Double(number(bytes, start + 20, 2)) / Double(parts == 0 ? 100 : parts)
    // A delay of 0 means as fast as possible: it counts as a hundredth of a second.
    let delay = seconds == 0 ? .milliseconds(10) : Int64(seconds * 1e9)
    return Frame(
      x: x, y: y, size: size, delay: max(minDelayNanos, delay), disposal: bytes[start + 24],
      isBlended: bytes[start + 25] == 1)
  }

  /// Decodes the frames one after another. The image for a frame is the whole canvas after the frame was drawn on it.
  func decode(
    _ onlyIndex: Int?, longest: Int, take: (Int, PictureSize, UnsafePointer<UInt8>) -> Void
  ) throws(StickerError) {
    var canvas = [UInt8](repeating: 0, count: size.width * size.height * 4)
    for (index, frame) in frames.enumerated() {
      let image: ImagePixels
      do throws(StillError) {
        image = try ImagePixels(bytes: file(of: frame), longest: .max)
      } catch {
        throw .broken
      }
      guard image.size == frame.size else { throw .broken }
      let before = frame.disposal == 2 ? canvas : []
      unsafe image.withPixels { unsafe draw(frame, $0, on: &canvas) }
      if onlyIndex == nil || onlyIndex == index {
        unsafe canvas.withUnsafeBufferPointer { pixels in
          if let start = pixels.baseAddress { unsafe take(index, size, start) }
        }
      }
      if onlyIndex == index { return }
      if frame.disposal == 2 { canvas = before }
      if frame.disposal == 1 { clear(frame, on: &canvas) }
    }
  }

  /// Makes the area of a frame transparent.
  private func clear(_ frame: Frame, on canvas: inout [UInt8]) {
    for row in frame.y..<frame.y + frame.size.height {
      let start = (row * size.width + frame.x) * 4
      for index in start..<start + frame.size.width * 4 { canvas[index] = 0 }
    }
  }

  /// Draws the pixels of a frame on the canvas; both are premultiplied.
  private func draw(
    _ frame: Frame, _ pixels: UnsafePointer<UInt8>, on canvas: inout [UInt8]
  ) {
    let width = frame.size.width * 4
    for row in 0..<frame.size.height {
      let start = ((frame.y + row) * size.width + frame.x) * 4
      let line = unsafe pixels + row * width
      for index in stride(from: 0, to: width, by: 4) {
        let alpha = unsafe Int(line[index + 3])
        for channel in index..<index + 4 {
          let (new, old) = unsafe (Int(line[channel]), Int(canvas[start + channel]))
          canvas[start + channel] = UInt8(
            frame.isBlended ? min(255, new + (old * (255 - alpha) + 127) / 255) : new)
        }
      }
    }
  }

  /// A PNG file that contains this frame alone.
  private func file(of frame: Frame) -> [UInt8] {
    var file = APNG.signature
    var head = APNG.bytes(frame.size.width) + APNG.bytes(frame.size.height)
    head += header.dropFirst(8)
    APNG.add("IHDR", head[...], to: &file)
    file += common
    for part in frame.data { APNG.add("IDAT", bytes[part], to: &file) }
    APNG.add("IEND", [], to: &file)
    return file
  }

  /// A number as four bytes, the highest first.
  private static func bytes(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  /// Appends a chunk, with its length and checksum, to `file`.
  private static func add(_ name: String, _ body: ArraySlice<UInt8>, to file: inout [UInt8]) {
    file += bytes(body.count)
    let start = file.count
    file += name.utf8
    file += body
    file += bytes(Int(CRC32.of(file[start...])))
  }
}

/// The CRC-32 checksum of PNG chunks (Annex D of the PNG specification).
enum CRC32 {
  /// The CRC-32 remainder of each value of a byte, from which the checksums of longer data are computed.
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in
      value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1
    }
  }

  /// The checksum of these bytes.
  static func of(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    ~bytes.reduce(~0) { table[Int(($0 ^ UInt32($1)) & 255)] ^ $0 >> 8 }
  }
}
