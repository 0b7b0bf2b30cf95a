// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Width and height in pixels.
public struct PictureSize: Hashable, Sendable, CustomStringConvertible {
  public var width: Int
  public var height: Int

  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  public var description: String { "\(width)x\(height)" }
}

/// The layouts that pass through the program as they come from a device.
public enum PixelFormat: String, Sendable, CaseIterable {
  /// Three planes: Y, then Cb, then Cr at half width and half height (V4L2's YU12).
  case i420 = "yu12"
  /// Two planes: Y, then Cb and Cr in turn at half width and half height.
  case nv12
  /// As `nv12` with Cr before Cb.
  case nv21
  /// One plane: Y Cb Y Cr.
  case yuyv
  /// One plane: Cb Y Cr Y.
  case uyvy
  /// One JPEG picture a frame.
  case mjpeg
}

/// How the bytes of a frame are to be read.
public struct FrameFormat: Hashable, Sendable {
  public var pixelFormat: PixelFormat
  public var size: PictureSize
  /// Bytes from one row of the first plane to the next; a planar format's chroma rows follow from
  /// it as V4L2 defines them (half for `i420`, the same for `nv12`). 0 for `mjpeg`.
  public var bytesPerRow: Int
  public var colour: Colour

  /// - Parameter bytesPerRow: the tight value when `nil`.
  public init(
    pixelFormat: PixelFormat, size: PictureSize, bytesPerRow: Int? = nil, colour: Colour
  ) {
    self.pixelFormat = pixelFormat
    self.size = size
    self.colour = colour
    self.bytesPerRow =
      switch pixelFormat {
      case .i420, .nv12, .nv21: bytesPerRow ?? size.width
      case .yuyv, .uyvy: bytesPerRow ?? size.width * 2
      case .mjpeg: 0
      }
  }

  /// Bytes of a whole frame; 0 for `mjpeg`, whose frames differ in length.
  public var byteCount: Int {
    switch pixelFormat {
    case .i420: bytesPerRow * size.height + (bytesPerRow + 1) / 2 * ((size.height + 1) / 2) * 2
    case .nv12, .nv21: bytesPerRow * (size.height + (size.height + 1) / 2)
    case .yuyv, .uyvy: bytesPerRow * size.height
    case .mjpeg: 0
    }
  }
}

/// Where frames' memory comes from, and where it goes back to.
///
/// A subclass is a camera's mapped buffers or a pool. It outlives each of its frames.
open class FrameOwner: @unchecked Sendable {
  public init() {}

  /// The frame in `slot` is no longer read: its memory may be written again. Called once a frame,
  /// from whichever thread lets go of it.
  open func giveBack(slot: Int) {}
}

/// One picture in memory that its owner wants back: letting go of the value gives it back.
@safe public struct Frame: ~Copyable, @unchecked Sendable {
  public let format: FrameFormat
  /// When the first light of the picture was caught, by the driver's word where there is one.
  public let capturedAt: MediaTime
  /// The picture's bytes. Valid while the frame lives.
  @unsafe public let bytes: UnsafeRawBufferPointer
  private let owner: FrameOwner
  private let slot: Int

  /// - Parameters:
  ///   - bytes: at least `format.byteCount` bytes, owned by `owner` and left alone until
  ///     `giveBack(slot:)`.
  @unsafe public init(
    format: FrameFormat, capturedAt: MediaTime, bytes: UnsafeRawBufferPointer, owner: FrameOwner,
    slot: Int
  ) {
    self.format = format
    self.capturedAt = capturedAt
    unsafe self.bytes = unsafe bytes
    self.owner = owner
    self.slot = slot
  }

  deinit { owner.giveBack(slot: slot) }
}
