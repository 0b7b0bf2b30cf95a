// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
import CEmbedded
internal import Glibc
public import Media
public import Posix

/// Why an image file cannot be shown.
public enum StillError: Error, Equatable, Sendable {
  /// There is no file at the path.
  case missing
  /// This user may not read the file.
  case forbidden
  /// The path is that of a folder, a pipe or a device.
  case notAFile
  /// The file has more bytes than `StillImage.maxBytes`.
  case tooManyBytes(Int)
  /// The image has more pixels than `StillImage.maxPixels`, or than fit into memory.
  case tooManyPixels(PictureSize)
  /// The file is neither PNG nor JPEG.
  case notAnImage
  /// The file is truncated or damaged.
  case broken
  /// The file is intact, but of a kind that cannot be decoded.
  case unsupported(UnfitKind)
  /// The file could not be read, for this reason.
  case failed(SystemError)

  /// The cause and the remedy, for people: the rest of a sentence that begins with the file's name.
  public var sentence: String {
    switch self {
    case .missing: "is not there: check the path"
    case .forbidden: "may not be read by this user: change the file's permissions"
    case .notAFile: "is not a file: give the path of a PNG or JPEG image"
    case .tooManyBytes(let count):
      "has \(count >> 20) MiB, but at most \(StillImage.maxBytes >> 20) MiB are allowed: save it smaller"
    case .tooManyPixels(let size):
      "has \(size) pixels: save it smaller, 1920x1080 is enough"
    case .notAnImage: "is neither PNG nor JPEG: save it as one of them"
    case .broken: "is damaged or incomplete: copy it again"
    case .unsupported(let kind): kind.sentence
    case .failed(let error): "cannot be read (\(error)): check the disk"
    }
  }
}

/// An image that is shown instead of the camera: a PNG or JPEG of any shape. Transparent parts become black. The object
/// owns the image's pixels, and its frames refer to them.
@safe public final class StillImage: FrameOwner, @unchecked Sendable {
  /// The maximum size of an image file in bytes: 32 MiB.
  public static let maxBytes = 32 << 20
  /// The maximum number of pixels that an image's header may state: decoding so many takes about a second on a slow
  /// board.
  public static let maxPixels = 24_000_000
  /// The number of pixels that the longer side of an image needs, since no broadcast is larger. An image is shrunk by
  /// powers of two as long as its longer side keeps this many.
  static let longestSide = 1_920
  /// The most bytes that an image may take while it is decoded, its file included: a board may have only 512 MB of
  /// memory.
  static let mostMemory = 60 << 20

  /// The rotation with which `VideoComposer` shows the image upright.
  public let rotation: Rotation
  /// Whether `VideoComposer` has to mirror the image after the rotation.
  public let mirror: Bool

  /// Owns the pixels of the decoded image.
  private let canvas: StillCanvas

  /// Reads and decodes an image file. Too slow for a thread of the media path.
  public convenience init(path: String) throws(StillError) {
    try self.init(bytes: StillImage.read(path))
  }

  /// The still images that are built into the program.
  public enum BuiltIn: Sendable, CaseIterable {
    case pause, noCamera, poorNetwork

    /// The content of the image's PNG file.
    public var bytes: [UInt8] {
      let file =
        switch self {
        case .pause: unsafe onair_still_pause
        case .noCamera: unsafe onair_still_no_camera
        case .poorNetwork: unsafe onair_still_poor_network
        }
      return unsafe [UInt8](UnsafeBufferPointer(start: file.bytes, count: file.count))
    }
  }

  public convenience init(_ image: BuiltIn) throws(StillError) {
    try self.init(bytes: image.bytes)
  }

  /// Decodes the content of an image file.
  public init(bytes: [UInt8]) throws(StillError) {
    let orientation: Int
    (canvas, orientation) = try StillImage.decode(bytes, longest: StillImage.longestSide)
    (rotation, mirror) = StillImage.turn(orientation)
  }

  /// Decodes the bytes of an image file. Returns the image's rows and its EXIF orientation, 1 to 8.
  static func decode<Rows: ImageRows>(
    _ bytes: [UInt8], longest: Int
  ) throws(StillError) -> (Rows, orientation: Int) {
    if PNGStill.recognises(bytes) {
      return (try PNGStill.decode(bytes, longest: longest), PNGStill.orientation(bytes))
    }
    if JPEGStill.recognises(bytes) {
      return (try JPEGStill.decode(bytes, longest: longest), JPEGStill.orientation(bytes))
    }
    throw .notAnImage
  }

  /// The size in pixels, before `rotation`.
  public var size: PictureSize { canvas.format.size }

  /// The image as a frame with the given capture time.
  public func frame(at time: MediaTime) -> Frame {
    unsafe Frame(
      format: canvas.format, capturedAt: time, bytes: UnsafeRawBufferPointer(canvas.i420),
      owner: self, slot: 0)
  }

  /// The rotation that shows an image upright, and whether the image has to be mirrored after the rotation.
  /// - Parameter orientation: the EXIF orientation, 1 to 8 (CIPA DC-008).
  static func turn(_ orientation: Int) -> (Rotation, mirror: Bool) {
    switch orientation {
    case 2: (.none, true)
    case 3: (.half, false)
    case 4: (.half, true)
    case 5: (.quarter, true)
    case 6: (.quarter, false)
    case 7: (.threeQuarters, true)
    case 8: (.threeQuarters, false)
    default: (.none, false)
    }
  }

  /// Throws if an image of this size must not be decoded: it has no pixels, or too many.
  static func check(_ size: PictureSize) throws(StillError) {
    guard size.width >= 1, size.height >= 1 else { throw .broken }
    let (pixels, overflow) = size.width.multipliedReportingOverflow(by: size.height)
    // No real picture has such a long side.
    let isLong = max(size.width, size.height) > 32_768
    guard !overflow, pixels <= maxPixels, !isLong else { throw .tooManyPixels(size) }
  }

  /// Reads an image file of at most `maxBytes` bytes.
  static func read(_ path: String) throws(StillError) -> [UInt8] {
    do throws(FileError) {
      return try File.read(path, limit: maxBytes).bytes
    } catch {
      throw StillError(error)
    }
  }
}

extension StillError {
  public init(_ error: FileError) {
    self =
      switch error {
      case .missing: .missing
      case .forbidden: .forbidden
      case .isDirectory, .isNotRegular: .notAFile
      case .tooLong(let count): .tooManyBytes(count)
      case .linkLoop, .isSymbolicLink: .failed(SystemError(ELOOP))
      case .system(let error): .failed(error)
      }
  }
}
