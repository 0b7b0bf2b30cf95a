// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// The pixel layouts of frames.
public enum PixelFormat: String, Sendable, CaseIterable {
  /// Three planes: Y, then Cb, then Cr at half width and half height (V4L2's YU12).
  case i420 = "yu12"
  /// Two planes: Y, then interleaved Cb and Cr at half width and half height.
  case nv12
  /// As `nv12` with Cr before Cb.
  case nv21
  /// One plane: Y Cb Y Cr.
  case yuyv
  /// One plane: Cb Y Cr Y.
  case uyvy
  /// One JPEG image per frame.
  case mjpeg
}

/// The layout, size and colour of a frame.
public struct FrameFormat: Hashable, Sendable {
  public var pixelFormat: PixelFormat
  public var size: PictureSize
  /// Bytes from one row of the first plane to the next. The stride of the chroma planes follows from it as V4L2
  /// defines it (half for `i420`, the same for `nv12`). 0 for `mjpeg`.
  public var bytesPerRow: Int
  public var colour: Colour

  /// - Parameter bytesPerRow: `nil` for rows without padding.
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

  /// Bytes of a whole frame; 0 for `mjpeg`, whose frames vary in length.
  public var byteCount: Int {
    switch pixelFormat {
    case .i420: bytesPerRow * size.height + (bytesPerRow + 1) / 2 * ((size.height + 1) / 2) * 2
    case .nv12, .nv21: bytesPerRow * (size.height + (size.height + 1) / 2)
    case .yuyv, .uyvy: bytesPerRow * size.height
    case .mjpeg: 0
    }
  }
}

/// Owns the memory of frames: a pool, or the mapped buffers of a camera. It outlives each of its frames.
open class FrameOwner: @unchecked Sendable {
  public init() {}

  /// Called once per frame, on the thread that releases it: the memory of `slot` may be written again.
  open func recycle(slot: Int) {}
}

/// A raw video frame in memory that its owner reuses: the end of the value recycles it.
@safe public struct Frame: ~Copyable, @unchecked Sendable {
  public let format: FrameFormat
  /// When the exposure began, by the driver's timestamp if it has one.
  public let capturedAt: MediaTime
  /// When it was put into a `FrameQueue`.
  public internal(set) var queuedAt = MediaTime.distantPast
  /// The frame's bytes. Valid while the frame lives.
  @unsafe public let bytes: UnsafeRawBufferPointer
  private let owner: FrameOwner
  private let slot: Int

  /// - Parameters:
  ///   - bytes: at least `format.byteCount` bytes, which `owner` does not write to until `recycle(slot:)`.
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

  deinit { owner.recycle(slot: slot) }
}
