// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Raw I420 frames, each of which shows its number.
protocol FrameSource: Sendable {
  /// The frame with this number. Valid until the next call; not thread-safe.
  @unsafe func frame(_ number: Int) -> UnsafeRawBufferPointer
}

/// A frame's number as black and white blocks in its upper left corner, so that it can be identified in the decoded
/// stream.
enum FrameNumber {
  private static let bits = 16
  /// Width and height of the block that shows a bit: a macroblock.
  private static let cell = 16

  /// - Parameter frame: of `Scene.size`.
  @unsafe static func paint(_ number: Int, into frame: UnsafeMutableRawBufferPointer) {
    // The number and its complement, so that a frame without a number is recognised.
    for place in 0..<2 * bits {
      let bit = number >> (place % bits) & 1
      let level: UInt8 = (bit == 1) == (place < bits) ? 235 : 16
      for row in 0..<cell {
        let start = row * Scene.size.width + place * cell
        for column in start..<start + cell { unsafe frame[column] = level }
      }
    }
  }

  /// The number that a decoded frame shows; `nil` if it shows none.
  /// - Parameter width: of the frame, which may be smaller than `Scene.size`.
  @unsafe static func read(luma: UnsafePointer<UInt8>, stride: Int, width: Int) -> Int? {
    let cell = Double(FrameNumber.cell * width) / Double(Scene.size.width)
    // The middle of a block, which its neighbours do not blur.
    let middle =
      Int((cell / 4).rounded(.up))..<max(Int(cell * 3 / 4), Int((cell / 4).rounded(.up)) + 1)
    var number = 0
    var complement = 0
    for place in 0..<2 * bits {
      let left = Int(Double(place) * cell)
      var sum = 0
      for row in middle {
        for column in middle { sum += unsafe Int(luma[row * stride + left + column]) }
      }
      let lit = sum / (middle.count * middle.count) > 125 ? 1 : 0
      if place < bits { number |= lit << place } else { complement |= lit << (place - bits) }
    }
    return number ^ complement == (1 << bits) - 1 ? number : nil
  }
}
