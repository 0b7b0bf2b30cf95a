// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import RateControl
internal import Settings

/// Sizes of the picture to choose from, and which of them this box and its line carry. The names of the fields are a
/// contract.
public struct Quality: Codable, Sendable, Equatable {
  public struct Choice: Codable, Sendable, Equatable {
    /// "1280x720": for video.size.
    public var size: String
    /// For video.fps.
    public var fps: Int
    /// The bit rate that follows from both, in kbit/s.
    public var kbps: Int
    /// The frames a second of a demanding scene that this box encodes at this size; `nil` if it was not measured.
    public var encodesFps: Int?
    /// `nil` while the line has not been tested.
    public var fitsLine: Bool?
    public var recommended: Bool
  }

  /// From the smallest to the largest.
  public var choices: [Choice]
  /// kbit/s that the line carries; `nil` while it has not been tested.
  public var lineKbps: Int?

  private static let offered = [(640, 360), (960, 540), (1_280, 720), (1_920, 1_080)].map {
    PictureSize(width: $0, height: $1)
  }
  private static let fps = 30
  /// Without a test of the line nothing above this is recommended.
  private static let cautious = PictureSize(width: 1_280, height: 720)

  /// - Parameters:
  ///   - lineKbps: what the line has carried, if it was tested.
  ///   - audioKbps: of the sound, which is sent besides the picture.
  ///   - speed: the frames a second that this box encodes at a size, if it was measured.
  init(lineKbps: Int?, audioKbps: Int, speed: (PictureSize) -> Double?) {
    self.lineKbps = lineKbps
    let usable = lineKbps.map { Int(Double($0) * UplinkVerdict.usableShare) - audioKbps }
    choices = Self.offered.map { size in
      let kbps = VideoSettings.usualKbps(size, framesPerSecond: Self.fps)
      return Choice(
        size: "\(size)", fps: Self.fps, kbps: kbps, encodesFps: speed(size).map { Int($0) },
        fitsLine: usable.map { $0 >= kbps }, recommended: false)
    }
    let best = choices.indices.last { index in
      let choice = choices[index]
      return choice.encodesFps.map { $0 >= choice.fps } != false
        && (choice.fitsLine ?? (Self.offered[index].height <= Self.cautious.height))
    }
    // Where nothing fits, the choices say whether it is the box or the line.
    if let best { choices[best].recommended = true }
  }
}

extension Station {
  /// What the box and its line are enough for.
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
