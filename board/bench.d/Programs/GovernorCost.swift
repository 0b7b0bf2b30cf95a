// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media
internal import RateControl
internal import Video

/// What `video.speed` "auto" itself costs: processor time for each frame, measured in this process.
struct GovernorCost {
  /// Of choosing an effort and learning from the frame, with the two readings of the processor time that it needs.
  var governor: Double
  /// Of looking for a cut.
  var cutDetection: Double

  var nanos: Double { governor + cutDetection }
  /// Of the time from frame to frame.
  var intervalShare: Double { nanos / GovernorCost.intervalNanos }

  private static let size = PictureSize(width: 1_280, height: 720)
  private static let framesPerSecond = 30
  private static let intervalNanos = 1e9 / Double(framesPerSecond)
  private static let frames = 20_000
  /// A scene of ten seconds.
  private static let cutEvery = 300

  static func measure() -> GovernorCost {
    var random: UInt64 = 1
    func next() -> UInt64 {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return random >> 33
    }
    let scene = (0..<frames).map { _ in 0.9 + Double(next() % 200) / 1_000 }
    return GovernorCost(
      governor: timed { govern(scene) },
      cutDetection: timed { detectCuts((0..<16).map { _ in UInt8(next() & 0xFF) }) })
  }

  /// - Returns: nanoseconds of this thread for each frame.
  private static func timed(_ body: () -> Void) -> Double {
    let before = Processors.usedByThreadNanos
    body()
    return Double(Processors.usedByThreadNanos - before) / Double(frames)
  }

  /// - Parameter scene: how demanding each frame is.
  private static func govern(_ scene: [Double]) {
    var governor = SpeedGovernor(
      limits: SpeedGovernor.Limits(
        framesPerSecond: framesPerSecond, size: size, allowsResize: false, processors: 2,
        processorShare: 0.75),
      costs: SpeedCosts(nanosPerPixel: 6))
    let ladder = SpeedLadder()
    let interval = Duration.nanoseconds(Int64(intervalNanos))
    for (number, demand) in scene.enumerated() {
      let now = interval * number
      let isCut = number % cutEvery == 0
      let isKeyframe = number % (2 * framesPerSecond) == 0
      governor.expect(clockShare: 1)
      let used = Processors.usedNanos
      let rung = governor.next(
        SpeedGovernor.FrameStart(
          interval: interval, waiting: .zero, preparing: .milliseconds(1), isKeyframe: isKeyframe,
          isCut: isCut), at: now)
      // 5 ms on the first rung. What the readings give is not what is learnt here.
      let spent = Processors.usedNanos - used
      let processor: Duration = .milliseconds(5) * demand * ladder.costs[rung] + .nanoseconds(spent)
      _ = governor.note(
        SpeedGovernor.FrameWork(
          encoding: processor * 0.7, processorTime: processor, isKeyframe: isKeyframe), at: now)
    }
  }

  /// - Parameter lumas: of the frames, in turn: together they are larger than the caches of a small board.
  private static func detectCuts(_ lumas: [UInt8]) {
    let pictures = lumas.map { [UInt8](repeating: $0, count: size.width * size.height * 3 / 2) }
    var detector = CutDetector()
    var cuts = 0
    for number in 0..<frames {
      unsafe pictures[number % pictures.count].withUnsafeBufferPointer { bytes in
        guard let base = bytes.baseAddress else { return }
        let picture = unsafe PlanarPicture(i420: base, bytesPerRow: size.width, size: size)
        if unsafe detector.isCut(picture) { cuts += 1 }
      }
    }
    precondition(cuts > 0)
  }
}
