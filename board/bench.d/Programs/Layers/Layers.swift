// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
internal import Base
internal import CYUV
internal import Media
internal import TestSupport
internal import Video

/// What the layers of the programme's picture cost, beside libyuv. Measured in this process, with what comes of no frame:
/// processor time of this thread, the best of many.
struct Layers: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "layers", abstract: "Measures what a further layer costs for each frame.")

  private static let size = PictureSize(width: 1_280, height: 720)
  private static let rounds = 200

  func run() throws {
    let whole = try Layers.source()
    let faded = try Layers.source()
    let one = try Layers.composer([(whole, 1)])
    let compose = Layers.microseconds { _ = unsafe one.compose(at: .distantPast) }
    let two = try Layers.composer([(whole, 1), (faded, 1)])
    let both = Layers.microseconds { _ = unsafe two.compose(at: .distantPast) }
    let half = try Layers.composer([(whole, 1), (faded, 0.5)])
    let fading = Layers.microseconds { _ = unsafe half.compose(at: .distantPast) }
    let foreign = VideoComposer(Layout(size: Layers.size, colour: .bt709))
    let pool = FramePool(count: 2, capacity: Layers.size.width * Layers.size.height * 3 / 2)
    let conversion = Layers.microseconds {
      guard let frame = Layers.frame(of: pool, .jpeg) else { return }
      try? foreign.take(frame)
    }
    let libyuv = Layers.blendByLibyuv()
    print("Microseconds of a frame of \(Layers.size):")
    func line(_ what: String, _ microseconds: Double) {
      print(what.padded(54), Int(microseconds.rounded()))
    }
    line("copy of the camera's frame, and a layer on all of it", compose)
    line("a further layer on all of it", both - compose)
    line("the same at half opacity", fading - compose)
    line("libyuv's I420Blend of the same size", libyuv)
    line("a frame of another matrix and range", conversion)
  }

  /// Processor time of a call, the best of many.
  private static func microseconds(_ body: () -> Void) -> Double {
    var best = Int64.max
    for _ in 0..<rounds {
      let before = Processors.usedByThreadNanos
      body()
      best = min(best, Processors.usedByThreadNanos - before)
    }
    return Double(best) / 1_000
  }

  private static func frame(of pool: FramePool, _ colour: Colour) -> Frame? {
    guard let blank = pool.borrow() else { return nil }
    return blank.finish(
      format: FrameFormat(pixelFormat: .i420, size: size, colour: colour), capturedAt: .now())
  }

  private static func composer(
    _ layers: [(source: any LayerSource, opacity: Double)]
  ) throws -> VideoComposer {
    var composition = Composition()
    for (index, layer) in layers.enumerated() {
      var one = Layer("\(index)")
      one.opacity = layer.opacity
      composition.add(one, layer.source)
    }
    let composer = VideoComposer(Layout(size: size, colour: .bt709), composition)
    let pool = FramePool(count: 1, capacity: size.width * size.height * 3 / 2)
    if let frame = frame(of: pool, .bt709) { try composer.take(frame) }
    return composer
  }

  /// A drawing on the whole picture, with every alpha.
  private static func source() throws -> any LayerSource {
    var dice = SplitMix64(seed: 5)
    var bytes: [UInt8] = []
    for _ in 0..<size.width * size.height {
      let random = dice.next()
      let alpha = UInt8(truncatingIfNeeded: random)
      let level = UInt8(truncatingIfNeeded: UInt64(alpha) * (random >> 8 & 0xFF) / 255)
      bytes += [level, level, level, alpha]
    }
    return Ready(
      unsafe bytes.withUnsafeBytes { unsafe BlendPlanes(bgra: $0, size: size, colour: .bt709) })
  }

  /// The same work by libyuv: planes, an alpha, and a picture in place.
  private static func blendByLibyuv() -> Double {
    let (width, height) = (size.width, size.height)
    var picture = [UInt8](repeating: 90, count: width * height * 3 / 2)
    let layer = [UInt8](repeating: 40, count: width * height * 3 / 2)
    var dice = SplitMix64(seed: 6)
    let alpha = (0..<width * height).map { _ in UInt8(truncatingIfNeeded: dice.next()) }
    let (row, half) = (Int32(width), Int32(width / 2))
    let (cb, cr) = (width * height, width * height * 5 / 4)
    return unsafe picture.withUnsafeMutableBufferPointer { picture in
      unsafe layer.withUnsafeBufferPointer { layer in
        unsafe alpha.withUnsafeBufferPointer { alpha in
          guard let out = picture.baseAddress, let layer = layer.baseAddress,
            let alpha = alpha.baseAddress
          else { return 0 }
          return microseconds {
            unsafe I420Blend(
              layer, row, layer + cb, half, layer + cr, half, out, row, out + cb, half, out + cr,
              half, alpha, row, out, row, out + cb, half, out + cr, half, row, Int32(height))
          }
        }
      }
    }
  }
}

/// Planes that are there.
private final class Ready: LayerSource {
  private let planes: BlendPlanes

  init(_ planes: BlendPlanes) { self.planes = planes }

  @unsafe func picture(
    _ target: LayerTarget, at time: MediaTime, since: MediaTime
  ) -> LayerPicture? { unsafe planes.picture }
}
