// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Posix

/// The identity of a V4L2 device, as VIDIOC_QUERYCAP reports it.
struct VideoIdentity: Hashable, Sendable {
  /// The name of the device's driver in the kernel: "uvcvideo".
  var driver: String
  /// The name of the device, as its driver states it.
  var card: String
  /// The bus and the port that the device is connected to: "usb-0000:01:00.0-1.3".
  var bus: String
  /// The capabilities of the node, as a set of the bits V4L2_CAP_*.
  var capabilities: UInt32
}

/// The format of a device's buffers: a request, or the driver's answer to one (VIDIOC_S_FMT).
struct DeviceFormat: Hashable, Sendable {
  /// The pixel format.
  var fourcc: FourCC
  /// The picture size in pixels.
  var size: PictureSize
  /// Bytes from one row of the first plane to the next; 0 in a request.
  var bytesPerLine = 0
  /// The maximum number of bytes that a frame takes in a buffer (sizeimage); 0 in a request.
  var byteCount = 0
  /// The driver's description of the frames' colours.
  var colour = DeviceColour()
  /// Whether each buffer contains a single field, at half height, instead of a frame.
  var isFieldwise = false
  /// How each buffer arranges the two fields of an interlaced frame; `nil` for progressive frames.
  var fields: FieldOrder?
  /// The number of separate memory planes that a frame consists of. OnAir supports only 1.
  var planes = 1
}

/// A buffer that the driver has filled, perhaps with damaged data.
struct FilledBuffer: Sendable {
  /// The index of the buffer on its device.
  var index: Int
  /// Where the frame starts in the buffer, in bytes.
  var offset = 0
  /// The length of the frame in bytes.
  var byteCount: Int
  /// Whether the driver marks the frame as damaged (V4L2_BUF_FLAG_ERROR).
  var isDamaged = false
  /// The driver's sequence number of the frame. Frames that the driver dropped are counted, too.
  var sequence: UInt32 = 0
  /// The capture time of the frame on CLOCK_MONOTONIC; `nil` if the driver uses another clock or gives no time.
  var stamp: MediaTime?
}

/// An open V4L2 device with the operations that a camera needs. Tests implement it with a simulated device.
///
/// Its methods are called on one thread. The memory of the buffers stays mapped while the object lives.
protocol VideoDevice: AnyObject, Sendable {
  /// The file descriptor for poll(2), which is readable when `dequeue` would return a buffer or throw an error.
  var descriptor: Int32 { get }

  /// The device's answer to VIDIOC_QUERYCAP. Throws if the node is not a V4L2 device.
  func identity() throws(SystemError) -> VideoIdentity
  /// Whether the selected input reports that it has no signal.
  func hasNoSignal() -> Bool
  /// The pixel formats that the driver lists, each with the driver's description.
  func pixelFormats() -> [(format: FourCC, description: String)]
  /// The sizes that the driver lists for a pixel format; empty if it lists none.
  func sizes(of format: FourCC) -> [SizeOffer]
  /// The frame intervals that the driver lists for a pixel format and size; empty if it lists none.
  func intervals(of format: FourCC, at size: PictureSize) -> [IntervalOffer]

  /// Sets the format of the buffers.
  /// - Returns: the format that the driver has set, which may differ from `format`.
  func setFormat(_ format: DeviceFormat) throws(SystemError) -> DeviceFormat
  /// Asks the driver for a frame interval.
  /// - Returns: the interval that the driver has set; `nil` if the driver reports none.
  func setInterval(_ interval: FrameInterval) throws(SystemError) -> FrameInterval?
  /// Makes the driver allocate buffers, and maps them.
  /// - Parameter count: the number of buffers to allocate, of which two are for the driver. If the driver needs more
  ///   than two, correspondingly more are allocated.
  /// - Returns: how many buffers the driver has allocated.
  func allocateBuffers(_ count: Int) throws(SystemError) -> Int
  /// The memory of the buffer with this index. Valid while the object lives.
  @unsafe func memory(of index: Int) -> UnsafeMutableRawBufferPointer
  /// Gives the buffer with this index to the driver, to be filled.
  func queue(_ index: Int) throws(SystemError)
  /// Takes a filled buffer from the driver, without waiting.
  /// - Returns: `nil` if no buffer is filled yet.
  func dequeue() throws(SystemError) -> FilledBuffer?
  /// Starts streaming.
  func start() throws(SystemError)
  /// Ends streaming and takes all buffers back from the driver. Mapped memory stays readable.
  /// - Returns: whether the device can be opened for streaming again while its memory is still mapped.
  func stop() -> Bool
  /// Makes a converter to YU12 from a format that OnAir does not use directly; `nil` if that is impossible.
  func makeConverter(from format: DeviceFormat) -> (any VideoConverter)?
}

/// Converts frames from a device's format to YU12, which is I420, without row padding.
protocol VideoConverter: AnyObject {
  /// Converts one frame.
  /// - Returns: whether the conversion succeeded.
  @unsafe func convert(
    _ source: UnsafeMutableRawBufferPointer, into destination: UnsafeMutableRawBufferPointer
  ) -> Bool
}
