// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// The state of everything that a broadcast depends on.
public struct Conditions: Equatable, Sendable {
  /// The state of an input: the camera or the microphone.
  public enum Input: String, Sendable, CaseIterable {
    /// The settings ask for no such input.
    case unused
    /// The input is being opened; no error is known.
    case opening
    case good
    /// The input delivers nothing.
    case lost
    /// The input's device is closed on purpose, for a pause.
    case released
  }

  /// The state of the server that receives the stream, from the best to the worst.
  public enum Destination: String, Sendable, CaseIterable {
    /// Video or audio captured a moment ago has arrived at the server.
    case delivered
    /// The server accepts the stream; whether data arrives is not known.
    case unconfirmed
    /// The first connection is being made.
    case connecting
    /// The connection was lost or failed; another attempt follows.
    case retrying
    /// The server refuses the stream until a person acts. Attempts continue all the same.
    case refused
  }

  public var camera: Input
  public var microphone: Input
  /// The state of the main destination. Those of relays do not affect the plan's video and audio, and affect the lamp
  /// only by `relayFails`.
  public var destination: Destination
  public var link: LinkQuality
  /// Video or audio cannot be encoded.
  public var encoderFailed: Bool
  /// Counts only while `camera` is `opening`: viewers have seen its picture before, and opening takes longer than a
  /// moment.
  public var isReopening: Bool
  /// The main server has received the video that the plan shows now, not only earlier video.
  public var videoDelivered: Bool
  /// Counts only while `destination` is `unconfirmed`: the main server has confirmed nothing for seconds.
  public var isOverdue: Bool
  /// Something besides the broadcast that a person has to repair; `nil` for nothing.
  public var repair: Repair?
  /// A relay's server does not get the stream, and the settings ask the lamp to show that.
  public var relayFails: Bool

  public init(
    camera: Input = .opening, microphone: Input = .opening, destination: Destination = .connecting,
    link: LinkQuality = .good, encoderFailed: Bool = false, isReopening: Bool = false,
    videoDelivered: Bool = false,
    isOverdue: Bool = false, repair: Repair? = nil, relayFails: Bool = false
  ) {
    self.camera = camera
    self.microphone = microphone
    self.destination = destination
    self.link = link
    self.encoderFailed = encoderFailed
    self.isReopening = isReopening
    self.videoDelivered = videoDelivered
    self.isOverdue = isOverdue
    self.repair = repair
    self.relayFails = relayFails
  }
}
