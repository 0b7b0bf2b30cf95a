// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media

/// A synthetic scene for measuring the speed of an encoder: a soft texture with grain that moves diagonally. The scene
/// is as hard to encode as the picture of a moving camera.
@safe final class TrialScene {
  /// How many quarters of a pixel the texture moves per frame, both horizontally and vertically.
  private static let quartersPerFrame = 9
  /// The distance, in pixels, between the random points from which the texture is interpolated.
  private static let gridPixels = 8
  /// How many pixels the texture is wider and higher than the frames, so that it can move.
  private static let marginPixels = 256

  /// The size of the frames, in pixels.
  let size: PictureSize
  /// The luma samples of the texture, which is `marginPixels` wider and higher than the frames.
  private let texture: [UInt8]
  /// The width of the texture in pixels.
  private let textureWidth: Int
  /// The present frame as I420. All frames use the same memory.
  private var frame: [UInt8]
  /// The number of frames drawn so far.
  private var number = 0
  /// The state of the pseudo-random generator for the grain.
  private var random: UInt32 = 1

  init(_ size: PictureSize) {
    self.size = size
    textureWidth = size.width + TrialScene.marginPixels
    let height = size.height + TrialScene.marginPixels
    var random: UInt32 = 7
    func next() -> UInt8 {
      random = random &* 1_664_525 &+ 1_013_904_223
      return UInt8(random >> 24)
    }
    let grid = TrialScene.gridPixels
    let columns = textureWidth / grid + 2
    let points = (0..<columns * (height / grid + 2)).map { _ in Int(next()) }
    var texture = [UInt8](repeating: 0, count: textureWidth * height)
    for row in 0..<height {
      let (y, fy) = row.quotientAndRemainder(dividingBy: grid)
      for column in 0..<textureWidth {
        let (x, fx) = column.quotientAndRemainder(dividingBy: grid)
        let at = y * columns + x
        let upper = points[at] * (grid - fx) + points[at + 1] * fx
        let lower = points[at + columns] * (grid - fx) + points[at + columns + 1] * fx
        let value = upper * (grid - fy) + lower * fy
        texture[row * textureWidth + column] = UInt8(value / (grid * grid))
      }
    }
    self.texture = texture
    frame = [UInt8](repeating: 128, count: size.width * size.height * 3 / 2)
  }

  /// Draws the next frame and passes it to `body`. The frame is valid during the call of `body`.
  @unsafe func next<Failure: Error>(
    _ body: (PlanarPicture) throws(Failure) -> Void
  ) throws(Failure) {
    // The texture moves to the end of its margin and back again.
    let span = TrialScene.marginPixels * 4
    let distance = number * TrialScene.quartersPerFrame % (2 * span)
    let shift = (distance < span ? distance : 2 * span - 1 - distance) / 4
    number += 1
    for row in 0..<size.height {
      let from = (row + shift) * textureWidth + shift
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
