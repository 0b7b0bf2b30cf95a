// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CYUV
internal import Glibc
public import Media

/// Why an image file cannot be shown.
public enum StillError: Error, Equatable, Sendable {
  case missing
  case forbidden
  /// A folder, a device, or something else without an end.
  case notAFile
  /// More bytes than `StillImage.mostBytes`.
  case tooManyBytes(Int)
  /// More pixels than `StillImage.mostPixels`.
  case tooManyPixels(PictureSize)
  /// Neither PNG nor JPEG.
  case notAnImage
  /// Cut short, or damaged.
  case broken
  /// It could not be read; errno.
  case failed(Int32)

  /// The cause and what to do about it, to be read after the file's name.
  public var sentence: String {
    switch self {
    case .missing: "is not there: check the path"
    case .forbidden: "may not be read by this user: change the file's permissions"
    case .notAFile: "is not a file: give the path of a PNG or JPEG image"
    case .tooManyBytes(let count):
      "has \(count >> 20) MiB: save it smaller, \(StillImage.mostBytes >> 20) MiB are allowed"
    case .tooManyPixels(let size):
      "has \(size) pixels: save it smaller, 1920x1080 is enough"
    case .notAnImage: "is neither PNG nor JPEG: save it as one of them"
    case .broken: "is damaged or cut short: copy it here again"
    case .failed(let code): "cannot be read (error \(code)): check the disk"
    }
  }
}

/// An image that stands in for the camera: PNG or JPEG of any shape, over black where it is transparent. It owns
/// its pixels, and lends them as frames.
@safe public final class StillImage: FrameOwner, @unchecked Sendable {
  /// Bytes of a file at most: 32 MiB.
  public static let mostBytes = 32 << 20
  /// Pixels of an image at most, as its header tells them: 24 megapixels take 132 MB while it is read.
  public static let mostPixels = 24_000_000
  /// A photograph is shrunk while its longer side stays at least so long: no broadcast is larger.
  static let longestSide = 1_920

  /// What a `PictureStage` does to have it upright.
  public let rotation: Rotation
  public let mirror: Bool

  private let format: FrameFormat
  private let memory: UnsafeMutableRawBufferPointer

  /// Reads and decodes a file: takes a while, and is nothing for a thread of the media path.
  public convenience init(path: String) throws(StillError) {
    try self.init(bytes: StillImage.read(path))
  }

  /// The images that come with the program.
  public enum BuiltIn: Sendable, CaseIterable {
    case pause, noCamera, poorNetwork
  }

  public convenience init(_ image: BuiltIn) throws(StillError) {
    let bytes =
      switch image {
      case .pause: PackageResources.pause_png
      case .noCamera: PackageResources.no_camera_png
      case .poorNetwork: PackageResources.poor_network_png
      }
    try self.init(bytes: bytes)
  }

  /// Decodes the bytes of a file.
  public init(bytes: [UInt8]) throws(StillError) {
    let pixels: StillPixels
    var orientation = 1
    if PNGDecoder.recognises(bytes) {
      pixels = try PNGDecoder.decode(bytes)
    } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
      pixels = try JPEGStill.decode(bytes)
      orientation = JPEGStill.orientation(bytes)
    } else {
      throw .notAnImage
    }
    (rotation, mirror) = StillImage.turn(orientation)
    // libyuv's own matrix for RGB: that of a webcam.
    format = FrameFormat(pixelFormat: .i420, size: pixels.size, colour: .webcam)
    unsafe memory = .allocate(byteCount: format.byteCount, alignment: 64)
    super.init()
    unsafe pixels.writeI420(to: memory, format)
  }

  deinit { unsafe memory.deallocate() }

  /// Pixels of a frame, which may have to be turned.
  public var size: PictureSize { format.size }

  /// The image as if it had been caught at `time`.
  public func frame(at time: MediaTime) -> Frame {
    unsafe Frame(
      format: format, capturedAt: time, bytes: UnsafeRawBufferPointer(memory), owner: self, slot: 0)
  }

  /// - Parameter orientation: as EXIF tells it, 1 to 8 (CIPA DC-008).
  private static func turn(_ orientation: Int) -> (Rotation, mirror: Bool) {
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

  static func check(_ size: PictureSize) throws(StillError) {
    guard size.width >= 2, size.height >= 2 else { throw .broken }
    let (pixels, overflow) = size.width.multipliedReportingOverflow(by: size.height)
    // libyuv scales nothing that is wider or higher.
    let isLong = max(size.width, size.height) > 32_768
    guard !overflow, pixels <= mostPixels, !isLong else { throw .tooManyPixels(size) }
  }

  private static func read(_ path: String) throws(StillError) -> [UInt8] {
    // A FIFO would have it wait for a writer.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw error(errno) }
    defer { close(descriptor) }
    var information = stat()
    guard unsafe fstat(descriptor, &information) == 0 else { throw error(errno) }
    guard information.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
    let count = Int(information.st_size)
    guard count <= mostBytes else { throw .tooManyBytes(count) }
    var code: Int32 = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
      done = 0
      while done < count {
        guard let start = buffer.baseAddress else { return }
        let got = unsafe Glibc.read(descriptor, start + done, count - done)
        if got < 0, errno == EINTR { continue }
        if got < 0 { code = errno }
        guard got > 0 else { return }
        done += got
      }
    }
    guard code == 0 else { throw .failed(code) }
    return bytes
  }

  private static func error(_ code: Int32) -> StillError {
    switch code {
    case ENOENT, ENOTDIR: .missing
    case EACCES, EPERM: .forbidden
    case EISDIR, ENXIO: .notAFile
    default: .failed(code)
    }
  }
}
