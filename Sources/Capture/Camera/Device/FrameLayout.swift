// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// The layout of a device's buffers, and the format of the frames that are made from them.
struct FrameLayout: Equatable {
  /// The format of the frames: that of the buffers themselves, or that of the result of libv4lconvert.
  let format: FrameFormat
  /// The minimum number of bytes of a complete frame in a buffer of the device.
  let minimumBytes: Int

  /// Computes the layout from the driver's description of its format.
  /// - Returns: `nil` if the format is not supported, or if the driver's values are impossible.
  init?(_ device: DeviceFormat) {
    guard device.size.width > 0, device.size.height > 0 else { return nil }
    let colour = Colour(device.colour, use: device.fourcc.use)
    switch device.fourcc.use {
    case .straight(.mjpeg):
      format = FrameFormat(pixelFormat: .mjpeg, size: device.size, colour: colour)
      // A JPEG image has at least SOI and the first marker, of two bytes each.
      minimumBytes = 4
    case .straight(let pixelFormat):
      let tight = FrameFormat(pixelFormat: pixelFormat, size: device.size, colour: colour)
      let padded = FrameFormat(
        pixelFormat: pixelFormat, size: device.size,
        bytesPerRow: max(device.bytesPerLine, tight.bytesPerRow), colour: colour)
      // If the rows with the driver's padding do not fit into the buffer, assume rows without padding: some drivers
      // count all planes in `bytesPerLine`.
      format = padded.byteCount <= device.byteCount ? padded : tight
      minimumBytes = format.byteCount
      guard minimumBytes <= device.byteCount else { return nil }
    case .converted(let kind):
      format = FrameFormat(pixelFormat: .i420, size: device.size, colour: colour)
      // Require a full frame if the format is not compressed: libv4lconvert would read beyond the end of a shorter one.
      minimumBytes =
        kind == .compressed
        ? 1 : device.bytesPerLine * device.size.height * device.fourcc.sizeInHalfPlanes / 2
      guard minimumBytes <= device.byteCount else { return nil }
    case .none:
      return nil
    }
  }
}
