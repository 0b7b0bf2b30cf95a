// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// The pixel layouts of frames.
public enum PixelFormat: String, Sendable, CaseIterable {
  /// Three planes: Y, then Cb, then Cr at half width and half height (V4L2's YU12).
  case i420 = "yu12"
  /// Two planes: Y, then interleaved Cb and Cr at half width and half height.
  case nv12
  /// As `nv12`, but with Cr before Cb.
  case nv21
  /// One plane: Y Cb Y Cr for every two pixels.
  case yuyv
  /// One plane: Cb Y Cr Y for every two pixels.
  case uyvy
  /// One JPEG image per frame.
  case mjpeg
}

/// The layout, size and colour of a frame.
public struct FrameFormat: Hashable, Sendable {
  /// The layout of the pixels in memory.
  public var pixelFormat: PixelFormat
  /// The picture size in pixels.
  public var size: PictureSize
  /// Bytes from one row of the first plane to the next; 0 for `mjpeg`. A chroma plane has half this stride in `i420`,
  /// and the same stride in `nv12` and `nv21`, as V4L2 defines.
  public var bytesPerRow: Int
  /// The colour description of the samples.
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

  /// Makes the memory of a frame writable again. Called once for each frame, on the thread that destroys the frame.
  /// - Parameter slot: identifies the memory, as passed to the frame's initialiser.
  open func recycle(slot: Int) {}
}

/// A raw video frame, in memory that its owner reuses. When the value is destroyed, the owner recycles the memory.
@safe public struct Frame: ~Copyable, @unchecked Sendable {
  /// The layout, size and colour of `bytes`.
  public let format: FrameFormat
  /// When the exposure began, by the driver's timestamp if it has one.
  public let capturedAt: MediaTime
  /// When the frame was put into a `FrameQueue`; `.distantPast` until then.
  public internal(set) var queuedAt = MediaTime.distantPast
  /// The frame's bytes. Valid until the frame is destroyed.
  @unsafe public let bytes: UnsafeRawBufferPointer
  /// The owner of the memory, which reuses it after this frame.
  private let owner: FrameOwner
  /// The number by which `owner` identifies the memory of this frame.
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
