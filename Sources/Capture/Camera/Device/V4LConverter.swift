// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CV4L2

/// Converts frames of one device and format with libv4lconvert.
@safe final class V4LConverter: VideoConverter {
  /// The device, which is kept open because libv4lconvert may query it.
  private let device: V4L2Device
  /// The context of libv4lconvert.
  private let converter: OpaquePointer
  /// The format of the frames to convert.
  private var format: onair_v4l2_format

  /// Makes a converter from `format` to YU12.
  /// - Returns: `nil` if memory has run out.
  init?(device: V4L2Device, format: DeviceFormat) {
    guard let made = unsafe v4lconvert_create(device.descriptor) else { return nil }
    self.device = device
    unsafe converter = made
    self.format = onair_v4l2_format()
    self.format.fourcc = format.fourcc.code
    self.format.width = UInt32(format.size.width)
    self.format.height = UInt32(format.size.height)
    self.format.bytes_per_line = UInt32(format.bytesPerLine)
    self.format.size_image = UInt32(format.byteCount)
  }

  deinit { unsafe v4lconvert_destroy(converter) }

  /// Converts one frame to YU12. Returns whether that succeeded.
  @unsafe func convert(
    _ source: UnsafeMutableRawBufferPointer, into destination: UnsafeMutableRawBufferPointer
  ) -> Bool {
    unsafe onair_v4l2_convert(
      converter, &format, source.baseAddress, Int32(source.count), destination.baseAddress,
      Int32(destination.count)) > 0
  }
}
