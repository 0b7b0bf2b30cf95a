// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// What the rate controller asks of the encoders and the queue.
public struct LinkPlan: Equatable, Sendable {
  /// Video bit rate in kbit/s.
  public var videoKbps: Int
  /// Every how many frames one is encoded: 1 for all.
  public var frameStep: Int
  /// The reduced size; `nil` for the size of the settings.
  public var rung: VideoLadder.Rung?
  /// Audio is encoded at `reducedAudioKbps`.
  public var reducesAudio: Bool
  /// Waiting video would arrive too late: it is to be dropped up to the next keyframe.
  public var dropsVideo = false
  /// Capacity of the link in kbit/s during congestion; `nil` otherwise.
  public var capacityKbps: Int?
  /// Present throughput in kbit/s.
  public var throughputKbps = 0
  public var link: LinkQuality
  /// When its number rises, the next frame is to be filled up.
  public var burst = ProbeBurst()

  /// In-flight limit in bytes: enough to keep the link busy, and little enough to drain soon when the capacity falls.
  /// After congestion the limit grows with the measured throughput.
  /// - Parameters:
  ///   - audioKbps: the present audio bit rate.
  ///   - roundTrip: the minimum round-trip time.
  public func maxInFlightBytes(audioKbps: Int, roundTrip: Duration) -> Int {
    let sent = Double(videoKbps + audioKbps)
    let most = max(sent, LinkPlan.growth * Double(throughputKbps))
    let kilobits = sent * LinkPlan.inFlightSeconds + most * (roundTrip / .seconds(1))
    return max(LinkPlan.minInFlightBytes, Int(kilobits * 125))
  }

  private static let inFlightSeconds = 0.06
  private static let growth = 1.5
  /// Without video the packets are small, and may wait a little longer.
  private static let audioOnlyInFlightSeconds = 0.4
  /// A few TCP segments. With fewer in flight, delayed acknowledgements of the peer would stall the sender.
  private static let minInFlightBytes = 6_000

  /// The limit for audio without video, whose bit rate is constant.
  public static func maxInFlightBytes(audioOnlyKbps: Int, roundTrip: Duration) -> Int {
    let seconds = audioOnlyInFlightSeconds + roundTrip / .seconds(1)
    return max(minInFlightBytes, Int(Double(audioOnlyKbps * 125) * seconds))
  }
}

extension BitrateController {
  public typealias Mode = NetworkMode

  /// What the settings ask for.
  public struct Limits: Equatable, Sendable {
    public var mode: Mode
    /// kbit/s of video: on a good link, at the least, and at the start.
    public var targetKbps: Int
    public var floorKbps: Int
    public var initialKbps: Int
    /// kbit/s of audio.
    public var audioKbps: Int
    /// Size of the settings, in pixels.
    public var width: Int
    public var height: Int
    /// Up to four seconds.
    public var keyframeInterval: Duration
    /// Whether the size may change.
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
