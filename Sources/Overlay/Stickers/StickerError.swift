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
  /// The zip has an entry that it must not have: its name, and why.
  case entry(String, EntryFault)
  /// The zip or the folder has more entries than `ZipArchive.mostEntries`.
  case tooManyEntries
  /// Unpacked, the zip has more bytes than `ZipArchive.mostBytes`.
  case tooManyBytes
  /// There is no config.json.
  case noConfig
  /// A field of config.json is missing or makes no sense: the name of the field.
  case config(String)
  /// An image of a frame: its file name, and why it cannot be shown.
  case image(String, StillError)
  /// The sticker has more frames than `StickerTiming.mostFrames`: how many.
  case tooManyFrames(Int)
  /// An image has more pixels than `StickerTiming.mostPixels`: its width and height.
  case tooManyPixels(Int, Int)
  /// The images together have more pixels than `StickerTiming.mostPixelsTogether`.
  case tooMuchWork
  /// The images take too much memory at the size in which they are shown: the number of bytes.
  case tooLarge(Int)
  /// The images take this number of bytes, for which other moving overlays leave no room now.
  case noRoom(Int)

  public enum EntryFault: String, Equatable, Sendable {
    case leadsOut = "leads out of the archive"
    case link = "is a link or a device"
    case duplicate = "is there twice"
    case unreadable = "is encrypted, or packed in an unusual way"
  }

  /// The cause and the remedy, for people: the rest of a sentence that begins with the setting's name.
  var sentence: String {
    switch self {
    case .file(let error): error.sentence
    case .notASticker:
      "is neither an animated PNG nor a zip of images with a config.json: save it as one of them"
    case .broken: "is damaged or incomplete: copy it again"
    case .entry(let name, let fault):
      "is a zip in which \"\(name)\" \(fault.rawValue): pack the images and config.json anew"
    case .tooManyEntries:
      "has more than \(ZipArchive.mostEntries) files: leave out what is no image of it"
    case .tooManyBytes:
      "has more than \(ZipArchive.mostBytes >> 20) MiB when it is unpacked: save its images smaller"
    case .noConfig: "has no config.json: put the one in that came with the images"
    case .config(let field):
      "has a config.json whose \"\(field)\" is missing or makes no sense: correct it there"
    case .image(let name, let error): "has the image \"\(name)\", which \(error.sentence)"
    case .tooManyFrames(let count):
      "has \(count) frames, but at most \(StickerTiming.mostFrames) are allowed: leave some out"
    case .tooManyPixels(let width, let height):
      "has images of \(width)x\(height) pixels: save them smaller, 512x512 is enough"
    case .tooMuchWork: "has too many large images: save them smaller, 512x512 is enough"
    case .tooLarge(let bytes):
      "needs \(bytes >> 20) MiB at this size, but at most \(LayerMemory.mostBytes >> 20) MiB are "
        + "allowed: make it smaller, or leave out frames"
    case .noRoom(let bytes):
      "needs \(bytes >> 20) MiB, for which other stickers and moving texts leave no room: make one of them smaller, or "
        + "switch one off"
    }
  }
}

/// When which image of a sticker is shown.
struct StickerTiming: Equatable {
  static let mostFrames = 1_000
  /// The most pixels of one image.
  static let mostPixels = 1_920 * 1_088
  /// The most pixels of all images together: decoding so many takes about ten seconds on a slow board.
  static let mostPixelsTogether = 256 << 20

  /// When each frame begins, in nanoseconds from the start of a round, in rising order; the first at 0.
  var starts: [Int64]
  /// The index of the image that each frame shows.
  var images: [Int]
  /// The duration of a round in nanoseconds.
  var length: Int64
  /// The index of the image that is shown while a still is on air, where nothing moves.
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
  var timing: StickerTiming { get }
  /// The size of the sticker in pixels. An image of another size is scaled to it.
  var size: PictureSize { get }
  var imageCount: Int { get }

  /// Decodes images in their order.
  /// - Parameters:
  ///   - wanted: the index of the only image to decode; `nil` for all images.
  ///   - longest: the number of pixels that is enough for the longer side: larger images may be shrunk.
  ///   - take: receives an image: its index, its size, and its pixels as rows of blue, green, red and alpha, premultiplied,
  ///     which are valid during the call.
  func decode(
    _ wanted: Int?, longest: Int,
    take: (Int, PictureSize, UnsafePointer<UInt8>) -> Void
  ) throws(StickerError)
}
