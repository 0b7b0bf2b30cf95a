// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import RateControl
internal import Settings

/// The picture sizes to choose from, and for each whether this box can encode it and its line is fast enough. The names
/// of the fields are a contract.
public struct Quality: Codable, Sendable, Equatable {
  /// A picture size and frame rate to choose.
  public struct Choice: Codable, Sendable, Equatable {
    /// The value for `video.size`: "1280x720".
    public var size: String
    /// The value for `video.fps`.
    public var fps: Int
    /// The video bit rate that suits this size and frame rate, in kbit/s.
    public var kbps: Int
    /// The frame rate at which this box encodes a demanding scene of this size; `nil` if it was not measured.
    public var encodesFps: Int?
    /// Whether the line is fast enough for `kbps`; `nil` while it has not been tested.
    public var fitsLine: Bool?
    public var recommended: Bool
  }

  /// The choices, from the smallest to the largest size.
  public var choices: [Choice]
  /// The measured throughput of the line in kbit/s; `nil` while it has not been tested.
  public var lineKbps: Int?

  /// The picture sizes of the choices.
  private static let sizes = [(640, 360), (960, 540), (1_280, 720), (1_920, 1_080)].map {
    PictureSize(width: $0, height: $1)
  }
  /// The frame rate of all choices, in frames per second.
  private static let fps = 30
  /// The largest size that is recommended while the line has not been tested.
  private static let largestUntested = PictureSize(width: 1_280, height: 720)

  /// - Parameters:
  ///   - lineKbps: the measured throughput of the line in kbit/s; `nil` if it was not tested.
  ///   - audioKbps: the bit rate of the sound, which is sent besides the picture.
  ///   - speed: returns the frame rate at which this box encodes a size; `nil` if it was not measured.
  init(lineKbps: Int?, audioKbps: Int, speed: (PictureSize) -> Double?) {
    self.lineKbps = lineKbps
    let usable = lineKbps.map { Int(Double($0) * UplinkVerdict.usableShare) - audioKbps }
    choices = Self.sizes.map { size in
      let kbps = VideoSettings.defaultKbps(size, framesPerSecond: Self.fps)
      return Choice(
        size: "\(size)", fps: Self.fps, kbps: kbps, encodesFps: speed(size).map { Int($0) },
        fitsLine: usable.map { $0 >= kbps }, recommended: false)
    }
    let best = choices.indices.last { index in
      let choice = choices[index]
      return choice.encodesFps.map { $0 >= choice.fps } != false
        && (choice.fitsLine ?? (Self.sizes[index].height <= Self.largestUntested.height))
    }
    // If no size fits, none is recommended: the choices then show whether the box or the line is too slow.
    if let best { choices[best].recommended = true }
  }
}

extension Station {
  /// The picture sizes to choose from, judged by the speed of this box and of its line.
  package var quality: Quality {
    let (directory, processors) = (directory, Processors.available)
    let share = settings.video.processorShare
    let measured = SpeedCalibration.measurement(in: directory)
    let costs = SpeedCalibration.kept(in: directory)
    return Quality(
      lineKbps: uplink.throughputKbps, audioKbps: settings.audio.bitrateKbps
    ) { size in
      measured?.framesPerSecond(size, processors: processors, processorShare: share)
        ?? costs?.framesPerSecond(size, processors: processors)
    }
  }
}
