// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Posix

/// The identity of a device (VIDIOC_QUERYCAP).
struct VideoIdentity: Hashable, Sendable {
  var driver: String
  var card: String
  var bus: String
  /// V4L2_CAP_*.
  var capabilities: UInt32
}

/// A format to set, and the driver's answer (VIDIOC_S_FMT).
struct DeviceFormat: Hashable, Sendable {
  var fourcc: FourCC
  var size: PictureSize
  var bytesPerLine = 0
  var byteCount = 0
  var colour = DeviceColour()
  /// Whether each buffer holds a single field, at half height, instead of a frame.
  var isFieldwise = false
  /// How each buffer holds two fields of different times; `nil` for whole frames.
  var fields: FieldOrder?
  /// The number of memory planes.
  var planes = 1
}

/// A buffer that the driver has filled, perhaps with damaged data.
struct FilledBuffer: Sendable {
  var index: Int
  /// Where the frame starts in the buffer, and its length in bytes.
  var offset = 0
  var byteCount: Int
  /// Whether the driver marks the frame as damaged (V4L2_BUF_FLAG_ERROR).
  var isDamaged = false
  /// The frame number, which also counts the frames that the driver dropped.
  var sequence: UInt32 = 0
  /// The timestamp on CLOCK_MONOTONIC; `nil` if the driver uses another clock or has none.
  var stamp: MediaTime?
}

/// The operations of a V4L2 device. Tests implement them, too.
///
/// Called only on the camera's thread. Memory stays mapped while the object lives.
protocol VideoDevice: AnyObject, Sendable {
  /// For poll(2): readable when `dequeue` returns a buffer or an error.
  var descriptor: Int32 { get }

  func identity() throws(SystemError) -> VideoIdentity
  /// Whether the selected input reports that it has no signal.
  func hasNoSignal() -> Bool
  func pixelFormats() -> [(format: FourCC, description: String)]
  func sizes(of format: FourCC) -> [SizeOffer]
  func intervals(of format: FourCC, at size: PictureSize) -> [IntervalOffer]

  func setFormat(_ format: DeviceFormat) throws(SystemError) -> DeviceFormat
  /// - Returns: the interval that the driver set; `nil` if it does not report one.
  func setInterval(_ interval: FrameInterval) throws(SystemError) -> FrameInterval?
  /// Allocates and maps buffers.
  /// - Parameter count: includes two that are always with the driver. One that needs more gets them in addition.
  /// - Returns: how many.
  func allocateBuffers(_ count: Int) throws(SystemError) -> Int
  /// The memory of a buffer. Valid while the object lives.
  @unsafe func memory(of index: Int) -> UnsafeMutableRawBufferPointer
  func queue(_ index: Int) throws(SystemError)
  /// - Returns: `nil` if no buffer is filled yet.
  func dequeue() throws(SystemError) -> FilledBuffer?
  func start() throws(SystemError)
  /// Ends streaming and returns the buffers to the driver. Mapped memory stays readable.
  /// - Returns: whether the device can be opened for streaming again.
  func stop() -> Bool
  /// A converter from a format that OnAir does not use directly.
  func makeConverter(from format: DeviceFormat) -> (any VideoConverter)?
}

/// Converts a device's own format to YU12 without row padding.
protocol VideoConverter: AnyObject {
  /// - Returns: whether the conversion succeeded.
  @unsafe func convert(
    _ source: UnsafeMutableRawBufferPointer, into destination: UnsafeMutableRawBufferPointer
  ) -> Bool
}
