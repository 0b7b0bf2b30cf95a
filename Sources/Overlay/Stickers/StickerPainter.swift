// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media
internal import Posix
internal import Synchronization
internal import Video

/// The memory that moving layers take together.
final class LayerMemory: Sendable {
  /// The most bytes of one layer.
  static let mostBytes = 64 << 20
  /// The most bytes of all layers together: a layer may be painted anew while its last painting is still shown.
  private static let mostTogether = 2 * mostBytes
  private static let taken = Mutex(0)

  private let bytes: Int

  /// Counts the bytes as taken until this object is released; `nil` if too few bytes are free.
  init?(_ bytes: Int) {
    let isFree = Self.taken.withLock { taken in
      guard Self.isFree(bytes, taken) else { return false }
      taken += bytes
      return true
    }
    guard isFree else { return nil }
    self.bytes = bytes
  }

  /// Whether this number of bytes is free.
  static func hasRoom(_ bytes: Int) -> Bool { taken.withLock { isFree(bytes, $0) } }

  private static func isFree(_ bytes: Int, _ taken: Int) -> Bool {
    bytes <= mostBytes && taken + bytes <= mostTogether
  }

  deinit { Self.taken.withLock { $0 -= bytes } }
}

/// The images of a sticker, ready to be drawn.
final class StickerPlanes: PaintedLayer {
  private let planes: [BlendPlanes]
  private let timing: StickerTiming
  private let memory: LayerMemory

  init(_ planes: [BlendPlanes], _ timing: StickerTiming, _ memory: LayerMemory) {
    (self.planes, self.timing, self.memory) = (planes, timing, memory)
  }

  @unsafe func picture(at age: Int64) -> LayerPicture {
    unsafe planes[timing.image(at: age)].picture
  }
}

/// Paints the images of an animated PNG, of a zip or of a folder.
struct StickerPainter: LayerPainter {
  let path: String
  /// Told after each attempt why the sticker cannot be shown; `nil` if it can.
  let report: @Sendable (OverlayTrouble?) -> Void

  func paint(_ target: LayerTarget) throws -> StickerPlanes {
    try reporting { () throws(StickerError) in
      let images = try StickerPainter.open(path)
      let size = ImagePainter.size(of: images.size, in: target)
      let bytes = BlendPlanes.byteCount(size).multipliedReportingOverflow(by: images.imageCount)
      guard !bytes.overflow, bytes.partialValue <= LayerMemory.mostBytes else {
        throw .tooLarge(bytes.overflow ? .max >> 1 : bytes.partialValue)
      }
      guard let memory = LayerMemory(bytes.partialValue) else { throw .noRoom(bytes.partialValue) }
      let planes = try StickerPainter.draw(images, nil, size, for: target)
      return StickerPlanes(planes, images.timing, memory)
    }
  }

  /// Paints the image that stills show. Reports nothing: that this image can be drawn says nothing of the others.
  func paintStill(_ target: LayerTarget) throws -> BlendPlanes {
    let images = try StickerPainter.open(path)
    let size = ImagePainter.size(of: images.size, in: target)
    let drawn = try StickerPainter.draw(images, images.timing.imageOnStills, size, for: target)
    guard let image = drawn.first else { throw StickerError.broken }
    return image
  }

  private func reporting<Result>(
    _ body: () throws(StickerError) -> Result
  ) throws(StickerError) -> Result {
    do throws(StickerError) {
      let result = try body()
      report(nil)
      return result
    } catch {
      report(.sticker(error))
      throw error
    }
  }

  private static func draw(
    _ images: any StickerImages, _ wanted: Int?, _ size: PictureSize, for target: LayerTarget
  ) throws(StickerError) -> [BlendPlanes] {
    let drawing = try newDrawing(size)
    var planes: [BlendPlanes] = []
    try unsafe images.decode(wanted, longest: max(size.width, size.height)) {
      _, imageSize, pixels in
      unsafe drawing.draw(pixels, imageSize)
      planes.append(drawing.planes(target.colour, target.alignment))
    }
    guard planes.count == (wanted == nil ? images.imageCount : 1) else { throw .broken }
    return planes
  }

  private static func newDrawing(_ size: PictureSize) throws(StickerError) -> Drawing {
    do throws(DrawingError) { return try Drawing(size) } catch {
      throw .tooLarge(BlendPlanes.byteCount(size))
    }
  }

  /// Opens the sticker at a path: a folder, a zip, or a PNG.
  static func open(_ path: String) throws(StickerError) -> any StickerImages {
    if FileStamp(path: "\(path)/config.json") != nil {
      return try StickerFolder(FolderArchive(path: path))
    }
    let start: [UInt8]
    do throws(FileError) { start = try File.start(path, count: 8) } catch {
      throw error == .isDirectory ? .noConfig : .file(StillError(error))
    }
    if start.starts(with: "PK".utf8) { return try StickerFolder(ZipArchive(path: path)) }
    guard start == APNG.signature else { throw .notASticker }
    let bytes: [UInt8]
    do throws(FileError) { bytes = try File.read(path, limit: StillImage.maxBytes).bytes } catch {
      throw .file(StillError(error))
    }
    return try APNG(bytes)
  }
}
