// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import FoundationEssentials
internal import Video

/// A sticker that consists of a config.json and PNG images.
struct StickerFolder: StickerImages {
  /// The fields of config.json.
  private struct Config: Decodable {
    struct Frame: Decodable {
      /// When the frame begins, in seconds from the start of the animation.
      var time: Double
      var pic: Picture
    }

    /// The image of a frame: its number, which follows the prefix `n` in the file's name, or the file's name itself.
    enum Picture: Decodable, Hashable {
      case number(Int)
      case name(String)

      init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let number = try? value.decode(Double.self) {
          guard let whole = Int(exactly: number), (0..<1_000_000).contains(whole) else {
            throw DecodingError.dataCorruptedError(
              in: value, debugDescription: "no number of an image")
          }
          self = .number(whole)
        } else {
          self = .name(try value.decode(String.self))
        }
      }
    }

    /// The duration of the animation in seconds.
    var du: Double?
    /// The prefix of the file names of numbered images; `nil` for none.
    var n: String?
    /// The number of the image that is shown on stills, where the sticker does not move.
    var kerneframe: Double?
    var frameArry: [Frame]?
  }

  /// The maximum size of config.json in bytes.
  private static let maxConfigBytes = 256 << 10
  /// The maximum duration of the animation in seconds.
  private static let maxDurationSeconds = 3_600.0

  /// The times at which the images are shown, from config.json.
  let timing: StickerTiming
  /// The size of the first image in pixels, to which the other images are scaled.
  let size: PictureSize
  /// The folder or zip with the files of the sticker.
  private let archive: any StickerArchive
  /// The file names of the images, without duplicates.
  private let names: [String]

  /// The number of image files that the frames name.
  var imageCount: Int { names.count }

  init(_ archive: any StickerArchive) throws(StickerError) {
    self.archive = archive
    guard let bytes = try archive.read("config.json", limit: Self.maxConfigBytes) else {
      throw .noConfig
    }
    (timing, names) = try Self.read(bytes)
    guard let first = names.first else { throw .config("frameArry") }
    size = try Self.image(first, archive).size
  }

  /// Reads the content of config.json: the timing, and the file names of the images without duplicates.
  private static func read(_ bytes: [UInt8]) throws(StickerError) -> (StickerTiming, [String]) {
    let config: Config
    do { config = try JSONDecoder().decode(Config.self, from: Data(bytes)) } catch {
      throw .config((error as? DecodingError)?.field ?? "frameArry")
    }
    guard let round = config.du, round > 0, round <= maxDurationSeconds else {
      throw .config("du")
    }
    guard let frames = config.frameArry, !frames.isEmpty else { throw .config("frameArry") }
    guard frames.count <= StickerTiming.maxFrames else { throw .tooManyFrames(frames.count) }
    guard frames.allSatisfy({ (0...maxDurationSeconds).contains($0.time) }) else {
      throw .config("time")
    }
    let sorted = frames.sorted { $0.time < $1.time }
    var names: [String] = []
    var indices: [String: Int] = [:]
    var images: [Int] = []
    for frame in sorted {
      let name = try fileName(frame.pic, prefix: config.n)
      if indices[name] == nil {
        indices[name] = names.count
        names.append(name)
      }
      images.append(indices[name] ?? 0)
    }
    // "kerneframe" is the number of an image. If no image has that number, it is the index of a frame.
    var still = images[0]
    if let number = config.kerneframe {
      guard let whole = Int(exactly: number) else { throw .config("kerneframe") }
      if let index = sorted.firstIndex(where: { $0.pic == .number(whole) }) {
        still = images[index]
      } else if images.indices.contains(whole) {
        still = images[whole]
      } else {
        throw .config("kerneframe")
      }
    }
    var starts = sorted.map { Int64(($0.time * 1e9).rounded()) }
    starts[0] = 0
    let timing = StickerTiming(
      starts: starts, images: images, length: max(1_000_000, Int64((round * 1e9).rounded())),
      imageOnStills: still)
    return (timing, names)
  }

  /// The file name of an image, without a path, because the image is in the same folder as config.json.
  /// - Parameter prefix: the prefix of the file names of numbered images; `nil` for none.
  private static func fileName(
    _ picture: Config.Picture, prefix: String?
  ) throws(StickerError) -> String {
    let name =
      switch picture {
      case .number(let number): "\(prefix ?? "")\(number).png"
      case .name(let name): name.contains(".") ? name : "\(name).png"
      }
    guard name.utf8.count <= 200, name.first != ".", !name.contains("/"), !name.contains("\\"),
      !name.utf8.contains(0)
    else { throw .config("pic") }
    return name
  }

  /// Reads an image file. Returns its bytes, and the size that its header states.
  private static func image(
    _ name: String, _ archive: any StickerArchive
  ) throws(StickerError) -> (bytes: [UInt8], size: PictureSize) {
    guard let bytes = try archive.read(name, limit: StillImage.maxBytes) else {
      throw .image(name, .missing)
    }
    guard let size = APNG.size(bytes) else { throw .image(name, .notAnImage) }
    guard size.width * size.height <= StickerTiming.maxPixels else {
      throw .tooManyPixels(size.width, size.height)
    }
    return (bytes, size)
  }

  /// Decodes the image files one after another.
  func decode(
    _ onlyIndex: Int?, longest: Int, take: (Int, PictureSize, UnsafePointer<UInt8>) -> Void
  ) throws(StickerError) {
    var pixels = 0
    for (index, name) in names.enumerated() where onlyIndex == nil || onlyIndex == index {
      let (bytes, size) = try Self.image(name, archive)
      pixels += size.width * size.height
      guard pixels <= StickerTiming.maxTotalPixels else { throw .tooMuchWork }
      do throws(StillError) {
        let image = try ImagePixels(bytes: bytes, longest: longest)
        unsafe image.withPixels { unsafe take(index, image.size, $0) }
      } catch {
        throw .image(name, error)
      }
    }
  }
}

extension DecodingError {
  /// The name of the JSON field that cannot be decoded; `nil` if it is not known.
  fileprivate var field: String? {
    let path: [any CodingKey] =
      switch self {
      case .typeMismatch(_, let context), .valueNotFound(_, let context),
        .dataCorrupted(let context):
        context.codingPath
      case .keyNotFound(let key, let context): context.codingPath + [key]
      @unknown default: []
      }
    return path.last { $0.intValue == nil }?.stringValue
  }
}
