// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import CYUV
public import Media

/// A copy of a composed picture, which can be shown as a still. Written by one thread, then only read.
@safe public final class FrozenFrame: FrameOwner, Equatable, @unchecked Sendable {
  /// The format of the copy: 4:2:0 planes in the colour of the picture.
  public let format: FrameFormat
  /// The planes of Y, Cb and Cr, one after another.
  private let bytes: UnsafeMutableRawBufferPointer

  /// Allocates the memory, whose content is undefined until `copy`.
  /// - Parameter size: in pixels.
  public init(size: PictureSize, colour: Colour) {
    format = FrameFormat(pixelFormat: .i420, size: size, colour: colour)
    unsafe bytes = .allocate(byteCount: format.byteCount, alignment: 64)
  }

  deinit { unsafe bytes.deallocate() }

  /// Copies a picture of the same size.
  @unsafe public func copy(_ picture: PlanarPicture) {
    guard let y = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    let (size, row) = (format.size, Int32(format.bytesPerRow))
    let chromaRow = (row + 1) / 2
    let cb = unsafe y + format.bytesPerRow * size.height
    let cr = unsafe cb + Int(chromaRow) * ((size.height + 1) / 2)
    unsafe I420Copy(
      picture.y, Int32(picture.yStride), picture.cb, Int32(picture.chromaStride), picture.cr,
      Int32(picture.chromaStride), y, row, cb, chromaRow, cr, chromaRow, Int32(size.width),
      Int32(size.height))
  }

  public static func == (one: FrozenFrame, other: FrozenFrame) -> Bool { one === other }

  /// The copy as a frame.
  public var frame: Frame {
    unsafe Frame(
      format: format, capturedAt: .distantPast, bytes: UnsafeRawBufferPointer(bytes), owner: self,
      slot: 0)
  }
}
