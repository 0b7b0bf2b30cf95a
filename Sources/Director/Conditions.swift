// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// The state of everything that a broadcast depends on.
public struct Conditions: Equatable, Sendable {
  /// A camera or a microphone.
  public enum Input: String, Sendable, CaseIterable {
    /// The settings ask for none.
    case unused
    /// It is being opened; no error is known.
    case opening
    case good
    /// It delivers nothing.
    case lost
  }

  /// The server that receives the stream, from the best state to the worst.
  public enum Destination: String, Sendable, CaseIterable {
    /// Video or audio captured a moment ago has arrived at the server.
    case delivered
    /// It accepts the stream; whether data arrives is not known.
    case unconfirmed
    /// The first connection is being made.
    case connecting
    /// The connection was lost or failed; another attempt follows.
    case retrying
    /// It refuses the stream until a person acts. Attempts continue all the same.
    case refused
  }

  public var camera: Input
  public var microphone: Input
  /// The main destination. Others have no part in what is shown, nor in the lamp.
  public var destination: Destination
  public var link: LinkQuality
  /// Video or audio cannot be encoded.
  public var encoderFailed: Bool
  /// The camera is opened anew for viewers who have seen it, and takes longer than a moment.
  public var isReopening: Bool
  /// The server has received the plan's present video, not only the previous one.
  public var videoDelivered: Bool
  /// The server has confirmed nothing for seconds, although it takes the stream.
  public var isOverdue: Bool
  /// Something besides the broadcast that a person has to repair.
  public var repair: Repair?
  /// The server of a relay does not take the stream, and the lamp is to show that.
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
