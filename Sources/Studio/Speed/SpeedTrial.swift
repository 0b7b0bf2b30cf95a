// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Encode
public import RateControl

/// Measures the speed ladder on this machine.
public enum SpeedTrial {
  /// It was stopped, or the encoder cannot be opened.
  public struct FailedError: Error {}

  private static let size = PictureSize(width: 640, height: 360)
  /// At each rung: those before the measurement fill caches and references.
  private static let frames = (before: 3, measured: 8)
  private static let kbps = 800

  /// Measures what each rung costs, with a thread of its own: the processor time of this thread, so that it may give way
  /// to others meanwhile. It takes about a second on a fast machine, and ten on a slow one.
  /// - Parameter isStopped: asked between frames.
  public static func costs(isStopped: () -> Bool = { false }) throws(FailedError) -> SpeedCosts {
    let scene = TrialScene(size)
    let encoder: any VideoEncoder
    do throws(EncoderError) {
      encoder = try EncoderFactory.libraries.video(
        VideoFormat(
          size: size, framesPerSecond: 30, bitrateKbps: kbps, speed: nil, colour: .bt709,
          threads: 1))
    } catch {
      throw FailedError()
    }
    var nanos: [Double] = []
    for effort in SpeedLadder.efforts {
      var measured: [Int64] = []
      do throws(EncoderError) {
        try encoder.change(VideoRate(bitrateKbps: kbps, effort: effort))
        for _ in 0..<(frames.before + frames.measured) {
          if isStopped() { throw .failed }
          measured.append(try encode(scene, encoder))
        }
      } catch {
        throw FailedError()
      }
      // The median: whatever interrupted a frame does not count.
      let sorted = measured.dropFirst(frames.before).sorted()
      nanos.append(Double(sorted[sorted.count / 2]))
    }
    return SpeedCosts(
      rungs: nanos.map { $0 / nanos[0] },
      nanosPerPixel: nanos[0] / Double(size.width * size.height))
  }

  /// - Returns: the nanoseconds of processor time of this thread.
  private static func encode(
    _ scene: TrialScene, _ encoder: any VideoEncoder
  ) throws(EncoderError) -> Int64 {
    var nanos: Int64 = 0
    try unsafe scene.next { (picture) throws(EncoderError) in
      let before = Processors.usedByThreadNanos
      try unsafe encoder.encode(
        picture, FrameTag(time: MediaTime(nanos: 0)), key: false, introduced: false
      ) { _ in }
      nanos = Processors.usedByThreadNanos - before
    }
    return nanos
  }
}
