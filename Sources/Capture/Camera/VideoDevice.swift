// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Media

/// What the kernel answered to a call: an `errno`.
struct DriverError: Error, Equatable, Sendable, CustomStringConvertible {
  let code: Int32

  var description: String {
    guard let text = unsafe strerror(code) else { return "error \(code)" }
    return unsafe String(cString: text)
  }
}

/// Who a device is (VIDIOC_QUERYCAP).
struct VideoIdentity: Hashable, Sendable {
  var driver: String
  var card: String
  var bus: String
  /// V4L2_CAP_*.
  var capabilities: UInt32
}

/// A format as it is set, and as the driver then has it (VIDIOC_S_FMT).
struct DeviceFormat: Hashable, Sendable {
  var fourcc: FourCC
  var size: PictureSize
  var bytesPerLine = 0
  var byteCount = 0
  var colour = DeviceColour()
  /// Fields come one by one, each at half height, instead of whole pictures.
  var isFieldwise = false
  /// Memory planes.
  var planes = 1
}

/// A buffer that the driver has filled, or tried to.
struct FilledBuffer: Sendable {
  var index: Int
  /// Where the picture starts in the buffer, and its length in bytes.
  var offset = 0
  var byteCount: Int
  /// The driver's own word that the picture is damaged (V4L2_BUF_FLAG_ERROR).
  var isDamaged = false
  /// Counts every frame, those that the driver dropped too.
  var sequence: UInt32 = 0
  /// On CLOCK_MONOTONIC; `nil` when the driver stamps by another clock or not at all.
  var stamp: MediaTime?
}

/// What a camera asks of a V4L2 device: the seam where tests put a driver of their own.
///
/// Called from the camera's thread alone. Memory stays mapped until the object is gone.
protocol VideoDevice: AnyObject, Sendable {
  /// To be polled: readable while `dequeue` has something to say.
  var descriptor: Int32 { get }

  func identity() throws(DriverError) -> VideoIdentity
  /// Whether the input in use says that nothing comes in.
  func hasNoSignal() -> Bool
  func pixelFormats() -> [(format: FourCC, description: String)]
  func sizes(of format: FourCC) -> [SizeOffer]
  func intervals(of format: FourCC, at size: PictureSize) -> [IntervalOffer]

  func setFormat(_ format: DeviceFormat) throws(DriverError) -> DeviceFormat
  /// - Returns: what the driver made of it; `nil` when it does not tell.
  func setInterval(_ interval: FrameInterval) throws(DriverError) -> FrameInterval?
  /// Has buffers made and maps them.
  /// - Returns: how many.
  func allocateBuffers(_ count: Int) throws(DriverError) -> Int
  /// The memory of a buffer. Valid while the object lives.
  @unsafe func memory(of index: Int) -> UnsafeMutableRawBufferPointer
  func queue(_ index: Int) throws(DriverError)
  /// - Returns: `nil` when none is filled yet.
  func dequeue() throws(DriverError) -> FilledBuffer?
  func start() throws(DriverError)
  /// Ends streaming and gives the buffers back to the driver; mapped memory stays readable.
  /// - Returns: whether the device is free for another to use from now on.
  func stop() -> Bool
  /// Makes YU12 of a format that is not taken straight.
  func makeConverter(from format: DeviceFormat) -> (any VideoConverter)?
}

/// Makes tightly packed YU12 of a device's own format.
protocol VideoConverter: AnyObject {
  /// - Returns: whether `destination` now holds a picture.
  @unsafe func convert(
    _ source: UnsafeMutableRawBufferPointer, into destination: UnsafeMutableRawBufferPointer
  ) -> Bool
}
