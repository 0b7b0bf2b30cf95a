// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import TestSupport

/// The video input of all programs: frames that are generated in advance and repeat in a seamless loop.
///
/// They show a textured room from a hand-held camera, a person who moves in front of it, and sensor noise.
@safe final class Scene: FrameSource, @unchecked Sendable {
  static let size = PictureSize(width: 1280, height: 720)
  static let framesPerSecond = 30
  /// Frames of the loop.
  private static let cycle = 90
  static let frameBytes = size.width * size.height * 3 / 2
  private let memory: UnsafeMutableRawBufferPointer

  init() {
    unsafe memory = .allocate(byteCount: Scene.cycle * Scene.frameBytes, alignment: 4096)
    let room = Texture(width: 2048, height: 1024, octaves: [256, 64, 16, 4], seed: 1)
    let person = Texture(width: 512, height: 512, octaves: [128, 32, 8], seed: 2)
    let noise = Texture.noise(count: 1 << 16, seed: 3)
    for index in 0..<Scene.cycle {
      let whole = unsafe UnsafeMutableRawBufferPointer(
        rebasing: memory[index * Scene.frameBytes..<(index + 1) * Scene.frameBytes])
      unsafe Scene.paint(
        whole.bindMemory(to: UInt8.self), index: index, room: room, person: person, noise: noise)
    }
  }

  deinit { unsafe memory.deallocate() }

  @unsafe func frame(_ number: Int) -> UnsafeRawBufferPointer {
    let begin = number % Scene.cycle * Scene.frameBytes
    let bytes = unsafe UnsafeMutableRawBufferPointer(
      rebasing: memory[begin..<begin + Scene.frameBytes])
    unsafe FrameNumber.paint(number, into: bytes)
    return UnsafeRawBufferPointer(bytes)
  }

  private static func paint(
    _ bytes: UnsafeMutableBufferPointer<UInt8>, index: Int, room: Texture, person: Texture,
    noise: [Int8]
  ) {
    // A whole number of periods per loop, so that it is seamless. Parabolas approximate the sine.
    func swing(_ turns: Int, _ amount: Int) -> Int {
      let phase = Double(index * turns % cycle) / Double(cycle) * 2
      let half = phase < 1 ? phase : phase - 1
      return Int((phase < 1 ? 4 : -4) * half * (1 - half) * Double(amount))
    }
    let (left, top) = (300 + swing(1, 40) + swing(3, 6), 120 + swing(1, 12) + swing(4, 4))
    let (centreX, centreY) = (640 + swing(1, 160), 460 + swing(2, 24))
    var grain = index * 7_919
    for y in 0..<size.height {
      for x in 0..<size.width {
        var level = 40 + room[x + left, y + top] * 5 / 8
        let (dx, dy) = (x - centreX, y - centreY)
        if dx * dx * 3 + dy * dy < 90_000 { level = 60 + person[dx + 256, dy + 320] * 5 / 8 }
        grain &+= 1
        let value = level + Int(noise[grain & 0xFFFF])
        unsafe bytes[y * size.width + x] = UInt8(clamping: min(235, max(16, value)))
      }
    }
    let (width, height) = (size.width / 2, size.height / 2)
    for y in 0..<height {
      for x in 0..<width {
        let (dx, dy) = (2 * x - centreX, 2 * y - centreY)
        let inside = dx * dx * 3 + dy * dy < 90_000
        let shade = room[2 * x + left + 700, 2 * y + top] / 8
        let place = size.width * size.height + y * width + x
        unsafe bytes[place] = UInt8(inside ? 108 + shade / 2 : 116 + shade / 2)
        unsafe bytes[place + width * height] = UInt8(inside ? 140 + shade / 2 : 120 + shade / 3)
      }
    }
  }
}

/// Smooth noise of several sizes, 0 to 255, that repeats in both directions.
private struct Texture {
  private let width: Int
  private let height: Int
  private var levels: [UInt8]

  /// - Parameters:
  ///   - width, height: powers of two.
  ///   - octaves: pixels from one bump to the next, powers of two.
  init(width: Int, height: Int, octaves: [Int], seed: UInt64) {
    self.width = width
    self.height = height
    var sums = [Int](repeating: 0, count: width * height)
    var random = SplitMix64(seed: seed)
    for (rank, octave) in octaves.enumerated() {
      let (columns, rows) = (width / octave, height / octave)
      let knots = (0..<columns * rows).map { _ in Int(random.next() & 0xFF) }
      for y in 0..<height {
        let (row, down) = (y / octave, y % octave)
        let below = (row + 1) % rows
        for x in 0..<width {
          let (column, right) = (x / octave, x % octave)
          let beside = (column + 1) % columns
          let upper =
            knots[row * columns + column] * (octave - right) + knots[row * columns + beside] * right
          let lower =
            knots[below * columns + column] * (octave - right)
            + knots[below * columns + beside] * right
          sums[y * width + x] +=
            (upper * (octave - down) + lower * down) / (octave * octave) >> rank
        }
      }
    }
    let most = sums.max() ?? 1
    levels = sums.map { UInt8($0 * 255 / most) }
  }

  subscript(x: Int, y: Int) -> Int { Int(levels[(y & (height - 1)) * width + (x & (width - 1))]) }

  /// Sensor noise, mostly within two levels.
  static func noise(count: Int, seed: UInt64) -> [Int8] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in
      let value = random.next()
      return Int8(Int(value & 3) + Int(value >> 8 & 3) - 3)
    }
  }
}
