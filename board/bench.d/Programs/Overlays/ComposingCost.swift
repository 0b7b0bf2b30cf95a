// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media
internal import Overlay
internal import Video

/// What composing costs each program: processor time of all its threads at thirty frames a second, without an encoder, whose own
/// cost changes with the picture by more than an overlay costs.
struct ComposingCost {
  var scene: Scene
  var tools: Tools
  var work: String
  var seconds: Int

  /// Microseconds of a frame, more than without an overlay.
  func measure(_ contender: Contender, _ overlays: OverlayWork) throws -> Double {
    try whole(contender, overlays) - whole(contender, .none)
  }

  private func whole(_ contender: Contender, _ overlays: OverlayWork) throws -> Double {
    contender == .onair ? try own(overlays) : try peer(contender, overlays)
  }

  private func peer(_ contender: Contender, _ overlays: OverlayWork) throws -> Double {
    let child = try Child(
      contender.composing(overlays, tools: tools, work: work),
      log: "\(work)/\(contender.rawValue).log")
    let feeder = Feeder(scene: scene, descriptor: child.input)
    feeder.start()
    defer {
      child.end()
      _ = feeder.stop(by: .now() + .seconds(1))
    }
    (MediaTime.now() + .seconds(2)).sleepUntil()
    let (frames, nanos) = (feeder.count, child.processorNanos)
    (MediaTime.now() + .seconds(Int64(seconds))).sleepUntil()
    let taken = feeder.count - frames
    guard taken > seconds * Scene.framesPerSecond / 2, child.isRunning else {
      throw Child.FailedError(
        description: "\(contender.rawValue) does not compose: \(work)/\(contender.rawValue).log")
    }
    return Double(child.processorNanos - nanos) / Double(taken) / 1_000
  }

  /// In this process, with the painters that OnAir has.
  private func own(_ overlays: OverlayWork) throws -> Double {
    let keeper = OverlayKeeper()
    defer { keeper.stop() }
    let composer = VideoComposer(
      Layout(size: Scene.size, colour: .bt709),
      try OverlayKernels.composition(overlays, keeper, folder: work, plays: true))
    let pool = FramePool(count: 3, capacity: Scene.frameBytes)
    let interval = Int64.seconds(1) / Int64(Scene.framesPerSecond)
    var (time, number) = (MediaTime.now(), 0)
    func compose(_ count: Int) throws {
      for _ in 0..<count {
        time = time + interval
        time.sleepUntil()
        guard let blank = pool.borrow() else { continue }
        if number < 3 { unsafe blank.bytes.copyMemory(from: scene.frame(number)) }
        number += 1
        try composer.take(
          blank.finish(
            format: FrameFormat(pixelFormat: .i420, size: Scene.size, colour: .bt709),
            capturedAt: time))
        _ = unsafe composer.compose(at: time)
      }
    }
    try compose(2 * Scene.framesPerSecond)
    let before = Processors.usedNanos
    let count = seconds * Scene.framesPerSecond
    try compose(count)
    return Double(Processors.usedNanos - before) / Double(count) / 1_000
  }
}
