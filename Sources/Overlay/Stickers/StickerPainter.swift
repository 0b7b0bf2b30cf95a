// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media
internal import Posix
internal import Synchronization
internal import Video

/// A reservation of memory for a moving layer. The reservations of all layers together are limited.
final class LayerMemory: Sendable {
  /// The maximum number of bytes of one layer.
  static let maxBytes = 64 << 20
  /// The maximum number of bytes of all layers together. It is twice that of one layer, because a layer may be
  /// repainted while its old planes are still shown.
  private static let maxTotalBytes = 2 * maxBytes
  /// The number of bytes that all layers together have reserved.
  private static let reservedBytes = Mutex(0)

  /// The number of bytes that this object has reserved.
  private let bytes: Int

  /// Reserves `bytes` bytes until this object is released; `nil` if too few bytes are free.
  init?(_ bytes: Int) {
    let isFree = Self.reservedBytes.withLock { reservedBytes in
      guard Self.isFree(bytes, reservedBytes) else { return false }
      reservedBytes += bytes
      return true
    }
    guard isFree else { return nil }
    self.bytes = bytes
  }

  /// Whether a layer can reserve this number of bytes now.
  static func hasRoom(_ bytes: Int) -> Bool { reservedBytes.withLock { isFree(bytes, $0) } }

  /// Whether a layer can reserve `bytes` bytes while `reservedBytes` bytes are reserved.
  private static func isFree(_ bytes: Int, _ reservedBytes: Int) -> Bool {
    bytes <= maxBytes && reservedBytes + bytes <= maxTotalBytes
  }

  deinit { Self.reservedBytes.withLock { $0 -= bytes } }
}

/// The images of a sticker as planes, ready to be blended onto frames.
final class StickerPlanes: PaintedLayer {
  /// The images; `timing` names them by their index in this array.
  private let planes: [BlendPlanes]
  /// The times at which the images are shown.
  private let timing: StickerTiming
  /// The reservation of memory for `planes`, which ends with this object.
  private let memory: LayerMemory

  init(_ planes: [BlendPlanes], _ timing: StickerTiming, _ memory: LayerMemory) {
    (self.planes, self.timing, self.memory) = (planes, timing, memory)
  }

  /// The image to show.
  /// - Parameter age: nanoseconds since the layer came into view.
  @unsafe func picture(at age: Int64) -> LayerPicture {
    unsafe planes[timing.image(at: age)].picture
  }
}

/// Paints the images of an animated PNG, of a zip or of a folder.
struct StickerPainter: LayerPainter {
  /// The path of the animated PNG, zip or folder.
  let path: String
  /// Called after each attempt to paint: with the reason why the sticker cannot be shown, or with `nil` if it can be
  /// shown.
  let report: @Sendable (OverlayTrouble?) -> Void

  /// Decodes all images of the sticker, and scales them to the size that the layer needs.
  func paint(_ target: LayerTarget) throws -> StickerPlanes {
    try reporting { () throws(StickerError) in
      let images = try StickerPainter.open(path)
      let size = ImagePainter.size(of: images.size, in: target)
      let bytes = BlendPlanes.byteCount(size).multipliedReportingOverflow(by: images.imageCount)
      guard !bytes.overflow, bytes.partialValue <= LayerMemory.maxBytes else {
        throw .tooLarge(bytes.overflow ? .max >> 1 : bytes.partialValue)
      }
      guard let memory = LayerMemory(bytes.partialValue) else { throw .noRoom(bytes.partialValue) }
      let planes = try StickerPainter.draw(images, nil, size, for: target)
      return StickerPlanes(planes, images.timing, memory)
    }
  }

  /// Paints the image that is shown on stills. Does not call `report`, because another image of the sticker may still
  /// fail.
  func paintStill(_ target: LayerTarget) throws -> BlendPlanes {
    let images = try StickerPainter.open(path)
    let size = ImagePainter.size(of: images.size, in: target)
    let drawn = try StickerPainter.draw(images, images.timing.imageOnStills, size, for: target)
    guard let image = drawn.first else { throw StickerError.broken }
    return image
  }

  /// Runs `body`, and passes its error to `report`, or `nil` if `body` succeeds.
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

  /// Decodes images of a sticker, and scales them to `size`.
  /// - Parameter onlyIndex: the index of the only image to draw; `nil` for all images.
  private static func draw(
    _ images: any StickerImages, _ onlyIndex: Int?, _ size: PictureSize, for target: LayerTarget
  ) throws(StickerError) -> [BlendPlanes] {
    let drawing = try newDrawing(size)
    var planes: [BlendPlanes] = []
    try unsafe images.decode(onlyIndex, longest: max(size.width, size.height)) {
      _, imageSize, pixels in
      unsafe drawing.draw(pixels, imageSize)
      planes.append(drawing.planes(target.colour, target.alignment))
    }
    guard planes.count == (onlyIndex == nil ? images.imageCount : 1) else { throw .broken }
    return planes
  }

  /// Makes a drawing; throws `.tooLarge` if there is not enough memory.
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
    do throws(FileError) { start = try File.firstBytes(path, count: 8) } catch {
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
