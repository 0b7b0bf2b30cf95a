// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// What is to be sent, as far as the link has a say in it.
public struct LinkPlan: Equatable, Sendable {
  /// Bit rate of the pictures, in kbit/s.
  public var videoKbps: Int
  /// Every how many pictures one is sent: 1 for all.
  public var frameStep: Int
  /// The size to give up the picture to; `nil` for the one that is set.
  public var rung: VideoLadder.Rung?
  /// Sound is to take as little as it can.
  public var reducesAudio: Bool
  /// The pictures that wait would be too old once they arrived: they are to be left out, up to a key picture.
  public var dropsVideo = false
  /// kbit/s that the link carries, while that is less than what waits for it takes; `nil` otherwise.
  public var capacityKbps: Int?
  /// kbit/s that arrive by now.
  public var throughputKbps = 0
  public var link: Conditions.Link

  /// The bytes that may be in the kernel or beyond before another message is handed to it: enough for the link
  /// to be kept busy, and little enough to be gone soon when it carries less. What waits after a weak moment goes
  /// faster and faster, as what arrives shows that it may.
  /// - Parameters:
  ///   - audioKbps: kbit/s of sound as it is sent by now.
  ///   - roundTrip: the least that a byte takes, with its acknowledgement.
  public func maxInFlightBytes(audioKbps: Int, roundTrip: Duration) -> Int {
    let sent = Double(videoKbps + audioKbps)
    let most = max(sent, LinkPlan.growth * Double(throughputKbps))
    let kilobits = sent * LinkPlan.onTheWaySeconds + most * (roundTrip / .seconds(1))
    return max(LinkPlan.leastOnTheWay, Int(kilobits * 125))
  }

  private static let onTheWaySeconds = 0.06
  private static let growth = 1.5
  /// Sound alone comes in small pieces, and may wait a little longer.
  private static let soundOnTheWaySeconds = 0.4
  /// A few packets: with fewer TCP waits for acknowledgements that the other side holds back.
  private static let leastOnTheWay = 6_000

  /// The same for sound without pictures, whose rate never changes.
  public static func maxInFlightBytes(audioOnlyKbps: Int, roundTrip: Duration) -> Int {
    let seconds = soundOnTheWaySeconds + roundTrip / .seconds(1)
    return max(leastOnTheWay, Int(Double(audioOnlyKbps * 125) * seconds))
  }
}

extension BitrateController {
  public typealias Mode = NetworkMode

  /// What a person wants of it.
  public struct Limits: Equatable, Sendable {
    public var mode: Mode
    /// kbit/s of pictures: what a good link gets, what the weakest gets, and what the broadcast begins with.
    public var targetKbps: Int
    public var floorKbps: Int
    public var initialKbps: Int
    /// kbit/s of sound.
    public var audioKbps: Int
    /// The picture as set, in pixels.
    public var width: Int
    public var height: Int
    /// From a key picture to the next; up to four seconds.
    public var keyframeInterval: Duration
    /// Whether the size may change.
    public var allowsResize: Bool
    /// How long the link may carry less than the least, and not all there is, before a still takes the
    /// picture's place.
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
