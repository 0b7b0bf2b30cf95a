// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Encode
public import RateControl

/// Measures how much processor time each rung of the speed ladder (each effort of the encoder) costs on this machine.
public enum SpeedTrial {
  /// The measurement was stopped, or the encoder could not be opened or failed.
  public struct FailedError: Error {}

  /// The frame size of the trial.
  private static let size = PictureSize(width: 640, height: 360)
  /// The numbers of frames that are encoded at each rung of the speed ladder: at first `before` frames that fill caches
  /// and reference frames and are not measured, then `measured` frames.
  private static let frames = (before: 3, measured: 8)
  /// The bit rate of the trial.
  private static let kbps = 800

  /// Measures the cost of each rung of the speed ladder: the processor time of the calling thread, with an encoder that
  /// uses no other thread. Other programs therefore do not affect the result. Takes about one second on a fast machine,
  /// and ten on a slow one.
  /// - Parameter isStopped: called before each frame; `true` ends the measurement with an error.
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
      // The median ignores frames that took longer because of an interruption.
      let sorted = measured.dropFirst(frames.before).sorted()
      nanos.append(Double(sorted[sorted.count / 2]))
    }
    return SpeedCosts(
      rungs: nanos.map { $0 / nanos[0] },
      nanosPerPixel: nanos[0] / Double(size.width * size.height))
  }

  /// Encodes the next frame of the scene.
  /// - Returns: the processor time that this thread used to encode the frame, in nanoseconds.
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
