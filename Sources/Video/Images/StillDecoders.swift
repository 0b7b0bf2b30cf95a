// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CPNG
internal import CYUV

/// A kind of image file that is intact, but that OnAir cannot decode.
public enum UnfitKind: Equatable, Sendable {
  /// A lossy JPEG whose samples have `bits` bits instead of 8.
  case deepJPEG(bits: Int)
  /// A JPEG that is compressed without loss.
  case losslessJPEG
  /// A JPEG of another kind that libjpeg cannot decode.
  case otherJPEG
  /// A PNG with a chunk that a reader must know (PNG, 5.4), such as Apple's CgBI.
  case otherPNG(chunk: String)

  /// The kind of the image and the remedy, for people: the rest of a sentence that begins with the file's name.
  var sentence: String {
    switch self {
    case .deepJPEG(let bits):
      "is a JPEG with \(bits) bits per channel: save it as an ordinary JPEG, with 8"
    case .losslessJPEG: "is a JPEG compressed without loss: save it as an ordinary JPEG, or as PNG"
    case .otherJPEG: "is a JPEG of an unusual kind: save it as an ordinary JPEG in RGB, or as PNG"
    case .otherPNG(let chunk):
      "is a PNG of an unusual kind (\(chunk)): open it and save it as an ordinary PNG"
    }
  }
}

/// Decodes still images that are PNG files.
enum PNGStill {
  /// The first bytes of each PNG file.
  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  /// The critical chunks that every reader of PNG knows.
  private static let known: Set<String> = ["IHDR", "PLTE", "IDAT", "IEND"]
  /// The passes of an interlaced image (PNG, 8.2): the first column, the first row, the distance from column to column,
  /// and the distance from row to row.
  private static let passes = [
    (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
    (0, 1, 1, 2),
  ]
  /// The most pixels that an interlaced image may have in memory, where each takes 8 bytes. Larger images are shrunk.
  private static let mostInterlaced = 3_000_000

  /// Whether the bytes of a file begin as a PNG does.
  static func recognises(_ bytes: [UInt8]) -> Bool { bytes.starts(with: signature) }

  /// - Parameter longest: the number of pixels that the longer side needs. A larger image may be shrunk.
  static func decode<Rows: ImageRows>(
    _ bytes: [UInt8], longest: Int
  ) throws(StillError) -> Rows {
    // libpng keeps a pointer into the bytes, so they must stay in place while the image is decoded.
    let result = unsafe bytes.withUnsafeBufferPointer { bytes in
      Result { () throws(StillError) -> Rows in try unsafe decode(bytes, longest) }
    }
    do throws(StillError) {
      return try result.get()
    } catch {
      guard error == .broken, let chunk = unknownChunk(bytes) else { throw error }
      throw .unsupported(.otherPNG(chunk: chunk))
    }
  }

  /// Decodes a PNG. The bytes must stay at the same address until the function returns.
  private static func decode<Rows: ImageRows>(
    _ bytes: UnsafeBufferPointer<UInt8>, _ longest: Int
  ) throws(StillError) -> Rows {
    guard let png = unsafe onair_png_new(bytes.baseAddress, bytes.count) else { throw .broken }
    defer { unsafe onair_png_free(png) }
    var (width, height, passCount) = (UInt32(0), UInt32(0), Int32(0))
    guard unsafe onair_png_begin(png, &width, &height, &passCount) != 0 else { throw .broken }
    let size = PictureSize(width: Int(width), height: Int(height))
    try StillImage.check(size)
    let row = UnsafeMutablePointer<UInt8>.allocate(capacity: size.width * 4)
    unsafe row.initialize(repeating: 0, count: size.width * 4)
    defer { unsafe row.deallocate() }
    guard passCount > 1 else {
      let rows = Rows(size, shrink: RowShrinker.shrink(size, longest: longest))
      for _ in 0..<size.height {
        guard unsafe onair_png_row(png, row) != 0 else { throw .broken }
        unsafe ARGBAttenuate(
          row, Int32(size.width * 4), row, Int32(size.width * 4), Int32(size.width), 1)
        unsafe rows.add(row)
      }
      return rows
    }
    return try unsafe interlaced(png, size, longest, row)
  }

  /// Decodes an interlaced image. Each pass contains pixels from all over the image, so no pixel of the shrunk image is
  /// complete before the last pass. Until that pass has been read, the sums for all pixels are kept in memory.
  private static func interlaced<Rows: ImageRows>(
    _ png: OpaquePointer, _ size: PictureSize, _ longest: Int, _ row: UnsafeMutablePointer<UInt8>
  ) throws(StillError) -> Rows {
    let shrink = RowShrinker.shrink(size, longest: longest, most: mostInterlaced)
    let shift = shrink.trailingZeroBitCount
    let small = PictureSize(
      width: (size.width + shrink - 1) >> shift, height: (size.height + shrink - 1) >> shift)
    let sums = UnsafeMutablePointer<UInt16>.allocate(capacity: small.width * small.height * 4)
    unsafe sums.initialize(repeating: 0, count: small.width * small.height * 4)
    defer { unsafe sums.deallocate() }
    for (firstColumn, firstRow, columns, rows) in passes {
      for y in 0..<size.height {
        guard unsafe onair_png_row(png, row) != 0 else { throw .broken }
        guard y >= firstRow, (y - firstRow) % rows == 0 else { continue }
        let line = unsafe sums + (y >> shift) * small.width * 4
        for x in stride(from: firstColumn, to: size.width, by: columns) {
          let (sum, pixel) = unsafe (line + (x >> shift) * 4, row + x * 4)
          // Multiply by alpha: the hidden colour of a transparent pixel must not show in the mean of several pixels.
          let alpha = unsafe UInt16(pixel[3])
          for channel in 0..<3 {
            unsafe sum[channel] += (UInt16(pixel[channel]) * alpha + 127) / 255
          }
          unsafe sum[3] += alpha
        }
      }
    }
    let rows = Rows(small, shrink: 1)
    for y in 0..<small.height {
      let high = min(shrink, size.height - y * shrink)
      for x in 0..<small.width {
        let count = high * min(shrink, size.width - x * shrink)
        let sum = unsafe sums + (y * small.width + x) * 4
        for channel in 0..<4 {
          unsafe row[x * 4 + channel] = UInt8((Int(sum[channel]) + count / 2) / count)
        }
      }
      unsafe rows.add(row)
    }
    return rows
  }

  /// The EXIF orientation in the chunk eXIf, which may be anywhere in the file, as 1 to 8; 1, which is upright, if
  /// there is none.
  static func orientation(_ bytes: [UInt8]) -> Int {
    var orientation = 1
    forEachChunk(bytes) { name, body in
      if name == "eXIf" { orientation = EXIF.orientation(body) }
    }
    return orientation
  }

  /// The name of the first critical chunk that is not `known`; `nil` if there is none.
  private static func unknownChunk(_ bytes: [UInt8]) -> String? {
    var found: String?
    forEachChunk(bytes) { name, _ in
      let isName = name.utf8.allSatisfy { (0x41...0x5A) ~= $0 || (0x61...0x7A) ~= $0 }
      let isCritical = name.utf8.first.map { $0 & 0x20 == 0 } ?? false
      if isName, isCritical, !known.contains(name), found == nil { found = name }
    }
    return found
  }

  /// Calls `body` with the name and the content of each chunk. A chunk consists of length, name, body and checksum
  /// (PNG, 5.3).
  private static func forEachChunk(_ bytes: [UInt8], _ body: (String, ArraySlice<UInt8>) -> Void) {
    var offset = signature.count
    while offset + 12 <= bytes.count {
      let length = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      guard offset + 12 + length <= bytes.count else { return }
      body(
        String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self),
        bytes[offset + 8..<offset + 8 + length])
      offset += 12 + length
    }
  }
}

/// Decodes still images that are JPEG files.
enum JPEGStill {
  /// Whether the bytes of a file begin as a JPEG does.
  static func recognises(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0xFF, 0xD8, 0xFF]) }

  /// - Parameter longest: the number of pixels that the longer side needs. A larger image may be shrunk.
  static func decode<Rows: ImageRows>(
    _ bytes: [UInt8], longest: Int
  ) throws(StillError) -> Rows {
    // libjpeg keeps a pointer into the bytes, so they must stay in place while the image is decoded.
    let result = unsafe bytes.withUnsafeBufferPointer { bytes in
      Result { () throws(StillError) -> Rows in try unsafe decode(bytes, longest) }
    }
    return try result.get()
  }

  /// Decodes a JPEG. The bytes must stay at the same address until the function returns.
  private static func decode<Rows: ImageRows>(
    _ bytes: UnsafeBufferPointer<UInt8>, _ longest: Int
  ) throws(StillError) -> Rows {
    guard let start = bytes.baseAddress else { throw .broken }
    var size = PictureSize(width: 0, height: 0)
    do throws(JPEGReader.Fault) {
      let reader = try JPEGReader()
      unsafe try reader.begin(start, count: bytes.count)
      size = reader.size
      let whole = size
      let check = Result { () throws(StillError) in try StillImage.check(whole) }
      if case .failure(let error) = check { throw error == .broken ? .broken : .tooLarge }
      // libjpeg can shrink an image by a factor of up to 8 while it decodes the image, which saves memory and time.
      let wanted = RowShrinker.shrink(size, longest: longest)
      let first = min(8, wanted)
      let small = StillCanvas.size(of: size, shrink: wanted)
      // Limit the bytes that libjpeg may allocate: it keeps all of a progressive image in memory.
      let memory = StillImage.mostMemory - bytes.count - small.width * small.height * 3 / 2
      let decoded = try reader.beginRows(shrink: first, memory: memory)
      let rows = Rows(decoded, shrink: wanted / first)
      let row = UnsafeMutablePointer<UInt8>.allocate(capacity: decoded.width * 4)
      defer { unsafe row.deallocate() }
      for _ in 0..<decoded.height {
        unsafe try reader.readRow(into: row)
        unsafe rows.add(row)
      }
      return rows
    } catch {
      switch error {
      case .broken: throw .broken
      case .unsupported(let kind): throw .unsupported(kind)
      case .tooLarge: throw .tooManyPixels(size)
      }
    }
  }

  /// The EXIF orientation of the image, as 1 to 8; 1, which is upright, if there is none.
  static func orientation(_ bytes: [UInt8]) -> Int {
    var offset = 2
    // JPEG's segments (ITU-T T.81, B.1.1.4) up to the start of scan (SOS).
    while offset + 4 <= bytes.count, bytes[offset] == 0xFF, bytes[offset + 1] != 0xDA {
      // Any number of bytes with the value 255 may stand before a marker.
      if bytes[offset + 1] == 0xFF {
        offset += 1
        continue
      }
      let length = Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3])
      let segment = bytes[offset + 4..<max(offset + 4, min(bytes.count, offset + 2 + length))]
      if bytes[offset + 1] == 0xE1, segment.starts(with: Array("Exif\0\0".utf8)) {
        return EXIF.orientation(segment.dropFirst(6))
      }
      offset += 2 + length
    }
    return 1
  }
}

/// Reads EXIF data (CIPA DC-008), which have the form of a TIFF file.
enum EXIF {
  /// The value of the field Orientation (tag 0x0112), 1 to 8; 1, which is upright, if there is none.
  static func orientation(_ tiff: ArraySlice<UInt8>) -> Int {
    guard tiff.count >= 8 else { return 1 }
    let isLittle = tiff.first == UInt8(ascii: "I")
    func number(_ offset: Int, _ count: Int) -> Int? {
      guard offset >= 0, offset + count <= tiff.count else { return nil }
      let field = tiff.dropFirst(offset).prefix(count)
      return (isLittle ? Array(field.reversed()) : Array(field)).reduce(0) { $0 << 8 | Int($1) }
    }
    guard let directory = number(4, 4), let entries = number(directory, 2) else { return 1 }
    for entry in 0..<entries {
      let offset = directory + 2 + entry * 12
      guard let tag = number(offset, 2) else { return 1 }
      if tag == 0x0112, let value = number(offset + 8, 2), (1...8).contains(value) { return value }
    }
    return 1
  }
}
