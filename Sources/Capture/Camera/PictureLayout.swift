// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// Where the rows of a device's picture lie, and how the frame that comes of it is to be read.
struct PictureLayout: Equatable {
  /// Of the frame that leaves the camera.
  let format: FrameFormat
  /// Bytes that the device's buffer has at least when its picture is whole.
  let leastBytes: Int

  /// - Returns: `nil` when the format is not taken, or when what the driver says of it cannot be.
  init?(_ device: DeviceFormat) {
    guard device.size.width > 0, device.size.height > 0 else { return nil }
    let colour = Colour(device.colour, use: device.fourcc.use)
    switch device.fourcc.use {
    case .straight(.mjpeg):
      format = FrameFormat(pixelFormat: .mjpeg, size: device.size, colour: colour)
      // SOI and the first marker.
      leastBytes = 4
    case .straight(let pixelFormat):
      let tight = FrameFormat(pixelFormat: pixelFormat, size: device.size, colour: colour)
      let padded = FrameFormat(
        pixelFormat: pixelFormat, size: device.size,
        bytesPerRow: max(device.bytesPerLine, tight.bytesPerRow), colour: colour)
      // Some drivers count all planes of a planar format in a row: then nothing fits.
      format = padded.byteCount <= device.byteCount ? padded : tight
      leastBytes = format.byteCount
      guard leastBytes <= device.byteCount else { return nil }
    case .converted(let kind):
      format = FrameFormat(pixelFormat: .i420, size: device.size, colour: colour)
      // libv4lconvert says when a picture is short, but reads all of it nevertheless.
      leastBytes =
        kind == .compressed
        ? 1 : device.bytesPerLine * device.size.height * device.fourcc.rowParts / 2
      guard leastBytes <= device.byteCount else { return nil }
    case .none:
      return nil
    }
  }
}
