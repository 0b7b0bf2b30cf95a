// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
public import Video

/// Why a sticker cannot be shown.
public enum StickerError: Error, Equatable, Sendable {
  /// The file cannot be read.
  case file(StillError)
  /// The file is neither an animated PNG nor a zip.
  case notASticker
  /// The animated PNG or the zip is truncated or damaged.
  case broken
  /// The zip has an entry that is not allowed. The values are the entry's name and the reason.
  case entry(String, EntryFault)
  /// The zip or the folder has more entries than `ZipArchive.maxEntries`.
  case tooManyEntries
  /// Unpacked, the zip has more bytes than `ZipArchive.maxUnpackedBytes`.
  case tooManyBytes
  /// There is no config.json.
  case noConfig
  /// A field of config.json is missing or invalid. The value is the field's name.
  case config(String)
  /// An image cannot be shown. The values are its file name and the reason.
  case image(String, StillError)
  /// The sticker has more frames than `StickerTiming.maxFrames`. The value is their number.
  case tooManyFrames(Int)
  /// An image has more pixels than `StickerTiming.maxPixels`. The values are its width and height.
  case tooManyPixels(Int, Int)
  /// The images together have more pixels than `StickerTiming.maxTotalPixels`.
  case tooMuchWork
  /// The images take too much memory at the size in which they are shown. The value is the number of bytes.
  case tooLarge(Int)
  /// The images take this number of bytes, but other moving overlays have reserved too much of the memory for overlays.
  case noRoom(Int)

  /// Why an entry of a zip is not allowed. The raw value is the rest of a sentence that begins with the entry's name.
  public enum EntryFault: String, Equatable, Sendable {
    case leadsOut = "leads out of the archive"
    case link = "is a link or a device"
    case duplicate = "is there twice"
    case unreadable = "is encrypted, or packed in an unusual way"
  }

  /// The cause and the remedy, for people: the rest of a sentence that begins with the name of the setting.
  var sentence: String {
    switch self {
    case .file(let error): error.sentence
    case .notASticker:
      "is neither an animated PNG nor a zip of images with a config.json: save it as one of them"
    case .broken: "is damaged or incomplete: copy it again"
    case .entry(let name, let fault):
      "is a zip in which \"\(name)\" \(fault.rawValue): pack the images and config.json anew"
    case .tooManyEntries:
      "has more than \(ZipArchive.maxEntries) files: leave out what is no image of it"
    case .tooManyBytes:
      "has more than \(ZipArchive.maxUnpackedBytes >> 20) MiB when it is unpacked: save its images smaller"
    case .noConfig: "has no config.json: put the one in that came with the images"
    case .config(let field):
      "has a config.json whose \"\(field)\" is missing or makes no sense: correct it there"
    case .image(let name, let error): "has the image \"\(name)\", which \(error.sentence)"
    case .tooManyFrames(let count):
      "has \(count) frames, but at most \(StickerTiming.maxFrames) are allowed: leave some out"
    case .tooManyPixels(let width, let height):
      "has images of \(width)x\(height) pixels: save them smaller, 512x512 is enough"
    case .tooMuchWork: "has too many large images: save them smaller, 512x512 is enough"
    case .tooLarge(let bytes):
      "needs \(bytes >> 20) MiB at this size, but at most \(LayerMemory.maxBytes >> 20) MiB are "
        + "allowed: make it smaller, or leave out frames"
    case .noRoom(let bytes):
      "needs \(bytes >> 20) MiB, for which other stickers and moving texts leave no room: make one of them smaller, or "
        + "switch one off"
    }
  }
}

/// The times at which the images of a sticker are shown.
struct StickerTiming: Equatable {
  /// The maximum number of frames of a sticker.
  static let maxFrames = 1_000
  /// The maximum number of pixels of an image.
  static let maxPixels = 1_920 * 1_088
  /// The maximum number of pixels of all images together. Decoding that many takes about ten seconds on a slow board.
  static let maxTotalPixels = 256 << 20

  /// When each frame begins, in nanoseconds from the start of the animation, in ascending order; the first is 0.
  var starts: [Int64]
  /// The index of the image that each frame shows.
  var images: [Int]
  /// The duration of the animation in nanoseconds, after which it starts again.
  var length: Int64
  /// The index of the image that is shown on a still, where the sticker does not move.
  var imageOnStills: Int

  /// The index of the image to show.
  /// - Parameter age: nanoseconds since the sticker came into view.
  func image(at age: Int64) -> Int {
    let time = age % length
    var (low, high) = (0, starts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= time { low = middle } else { high = middle }
    }
    return images[low]
  }
}

/// The images of a sticker, which are decoded one after another.
protocol StickerImages {
  /// The times at which the images are shown.
  var timing: StickerTiming { get }
  /// The size of the sticker in pixels. An image of another size is scaled to it.
  var size: PictureSize { get }
  /// The number of images, each of which may be shown several times.
  var imageCount: Int { get }

  /// Decodes images in their order.
  /// - Parameters:
  ///   - onlyIndex: the index of the only image to decode; `nil` for all images.
  ///   - longest: the number of pixels that an image's longer side needs. A larger image may be shrunk.
  ///   - take: called with each image: its index, its size in pixels, and its pixels as rows of blue, green, red and
  ///     alpha, premultiplied, which are valid during the call.
  func decode(
    _ onlyIndex: Int?, longest: Int,
    take: (Int, PictureSize, UnsafePointer<UInt8>) -> Void
  ) throws(StickerError)
}
