// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// The rate controller's requests to the encoders and to the queue of packets.
public struct LinkPlan: Equatable, Sendable {
  /// The video bit rate in kbit/s.
  public var videoKbps: Int
  /// One of this many frames is encoded: 1 for every frame, 2 for every second one.
  public var frameStep: Int
  /// The reduced picture size; `nil` for the size of the settings.
  public var rung: VideoLadder.Rung?
  /// Whether audio is encoded at `BitrateController.reducedAudioKbps`.
  public var reducesAudio: Bool
  /// Whether queued video is to be dropped up to the next keyframe, since it would arrive too late.
  public var dropsVideo = false
  /// The measured capacity of the link in kbit/s, during congestion with a long queue delay; `nil` otherwise.
  public var capacityKbps: Int?
  /// The present throughput of the link in kbit/s.
  public var throughputKbps = 0
  /// The quality of the link; `poor` while a still replaces live video.
  public var link: LinkQuality
  /// The newest probe burst. When the number of the burst rises, the next frame is to be padded to the size of the
  /// burst.
  public var burst = ProbeBurst()

  /// The limit of bytes in flight: enough to keep the link busy, and few enough to drain soon when the capacity falls.
  /// After congestion the limit grows with the measured throughput.
  /// - Parameters:
  ///   - audioKbps: the present audio bit rate.
  ///   - roundTrip: the minimum round-trip time.
  public func maxInFlightBytes(audioKbps: Int, roundTrip: Duration) -> Int {
    let sent = Double(videoKbps + audioKbps)
    let most = max(sent, LinkPlan.growthFactor * Double(throughputKbps))
    let kilobits = sent * LinkPlan.inFlightSeconds + most * (roundTrip / .seconds(1))
    return max(LinkPlan.minInFlightBytes, Int(kilobits * 125))
  }

  /// This many seconds of the present bit rates may be in flight, besides the data of one round trip.
  private static let inFlightSeconds = 0.06
  /// Up to this many times the data that arrives in a round trip may be in flight, so that the throughput can rise.
  private static let growthFactor = 1.5
  /// In a broadcast without video, this many seconds of audio may be in flight, besides the audio of one round trip:
  /// audio packets are small, and may wait a little longer.
  private static let audioOnlyInFlightSeconds = 0.4
  /// The lowest limit: a few TCP segments. With fewer in flight, delayed acknowledgements of the peer would stall the
  /// sender.
  private static let minInFlightBytes = 6_000

  /// The limit of bytes in flight for audio without video, whose bit rate is constant.
  public static func maxInFlightBytes(audioOnlyKbps: Int, roundTrip: Duration) -> Int {
    let seconds = audioOnlyInFlightSeconds + roundTrip / .seconds(1)
    return max(minInFlightBytes, Int(Double(audioOnlyKbps * 125) * seconds))
  }
}

extension BitrateController {
  /// Which properties of the video are reduced on a slow link: the setting `network.mode`.
  public typealias Mode = NetworkMode

  /// The video and audio that the settings ask for, and the bounds within which the rate controller may reduce bit rate
  /// and size.
  public struct Limits: Equatable, Sendable {
    public var mode: Mode
    /// The video bit rate on a good link, in kbit/s.
    public var targetKbps: Int
    /// The lowest video bit rate, in kbit/s.
    public var floorKbps: Int
    /// The video bit rate at the start, in kbit/s.
    public var initialKbps: Int
    /// The audio bit rate in kbit/s.
    public var audioKbps: Int
    /// The picture size that the settings ask for, in pixels.
    public var width: Int
    public var height: Int
    /// The time from one keyframe to the next, at most four seconds.
    public var keyframeInterval: Duration
    /// Whether the picture size may be reduced.
    public var allowsResize: Bool
    /// How long the throughput may be below the floor before a still replaces live video.
    public var poorAfter: Duration

    public init(
      mode: Mode, targetKbps: Int, floorKbps: Int, initialKbps: Int, audioKbps: Int,
      width: Int, height: Int, keyframeInterval: Duration, allowsResize: Bool, poorAfter: Duration
    ) {
      self.mode = mode
      self.targetKbps = targetKbps
      self.floorKbps = min(floorKbps, targetKbps)
      self.initialKbps = min(max(initialKbps, floorKbps), targetKbps)
      self.audioKbps = audioKbps
      self.width = width
      self.height = height
      self.keyframeInterval = keyframeInterval
      self.allowsResize = allowsResize && mode != .custom
      self.poorAfter = poorAfter
    }
  }
}
