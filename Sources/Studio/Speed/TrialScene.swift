// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media

/// A synthetic scene to measure an encoder with: a soft texture with grain that moves diagonally. It is as demanding as
/// the picture of a moving camera.
@safe final class TrialScene {
  /// How far the texture moves from frame to frame, horizontally and vertically, in quarters of a pixel.
  private static let quartersPerFrame = 9
  /// The distance in pixels of the random points between which the texture is interpolated.
  private static let grid = 8
  private static let margin = 256

  let size: PictureSize
  /// The luma of the texture, which is `margin` pixels wider and higher than the frames.
  private let texture: [UInt8]
  private let stride: Int
  /// The present frame as I420. All frames use the same memory.
  private var frame: [UInt8]
  private var number = 0
  private var random: UInt32 = 1

  init(_ size: PictureSize) {
    self.size = size
    stride = size.width + TrialScene.margin
    let height = size.height + TrialScene.margin
    var random: UInt32 = 7
    func next() -> UInt8 {
      random = random &* 1_664_525 &+ 1_013_904_223
      return UInt8(random >> 24)
    }
    let columns = stride / TrialScene.grid + 2
    let points = (0..<columns * (height / TrialScene.grid + 2)).map { _ in Int(next()) }
    var texture = [UInt8](repeating: 0, count: stride * height)
    for row in 0..<height {
      let (y, fy) = row.quotientAndRemainder(dividingBy: TrialScene.grid)
      for column in 0..<stride {
        let (x, fx) = column.quotientAndRemainder(dividingBy: TrialScene.grid)
        let at = y * columns + x
        let upper = points[at] * (TrialScene.grid - fx) + points[at + 1] * fx
        let lower = points[at + columns] * (TrialScene.grid - fx) + points[at + columns + 1] * fx
        let value = upper * (TrialScene.grid - fy) + lower * fy
        texture[row * stride + column] = UInt8(value / (TrialScene.grid * TrialScene.grid))
      }
    }
    self.texture = texture
    frame = [UInt8](repeating: 128, count: size.width * size.height * 3 / 2)
  }

  /// Draws the next frame and passes it to `body`. The frame is valid during that call.
  @unsafe func next<Failure: Error>(
    _ body: (PlanarPicture) throws(Failure) -> Void
  ) throws(Failure) {
    // There and back.
    let room = TrialScene.margin * 4
    let way = number * TrialScene.quartersPerFrame % (2 * room)
    let shift = (way < room ? way : 2 * room - 1 - way) / 4
    number += 1
    for row in 0..<size.height {
      let from = (row + shift) * stride + shift
      for column in 0..<size.width {
        random = random &* 1_664_525 &+ 1_013_904_223
        frame[row * size.width + column] = texture[from + column] / 8 * 7 &+ UInt8(random >> 29)
      }
    }
    let result = unsafe frame.withUnsafeBufferPointer { buffer -> Result<Void, Failure> in
      guard let base = buffer.baseAddress else { return .success(()) }
      return Result { () throws(Failure) in
        try unsafe body(PlanarPicture(i420: base, bytesPerRow: size.width, size: size))
      }
    }
    try result.get()
  }
}
