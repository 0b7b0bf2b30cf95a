// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

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

  /// A server that receives the stream, from the best state to the worst. With several servers the worst one counts.
  public enum Destination: String, Sendable, CaseIterable, Comparable {
    /// It has acknowledged what was captured a moment ago.
    case delivered
    /// It accepts the stream; whether data arrives is not known.
    case unconfirmed
    /// The first connection is being made.
    case connecting
    /// The connection was lost or failed; another attempt follows.
    case retrying
    /// It refuses the stream until a person acts. Attempts continue all the same.
    case refused

    public static func < (a: Destination, b: Destination) -> Bool { a.rank < b.rank }

    private var rank: Int {
      switch self {
      case .delivered: 0
      case .unconfirmed: 1
      case .connecting: 2
      case .retrying: 3
      case .refused: 4
      }
    }
  }

  public var camera: Input
  public var microphone: Input
  /// The worst of all destinations.
  public var destination: Destination
  public var link: LinkQuality
  /// Video or audio cannot be encoded.
  public var encoderFailed: Bool
  /// Every server has received the plan's present video, not only the previous one.
  public var videoDelivered: Bool

  public init(
    camera: Input = .opening, microphone: Input = .opening, destination: Destination = .connecting,
    link: LinkQuality = .good, encoderFailed: Bool = false, videoDelivered: Bool = false
  ) {
    self.camera = camera
    self.microphone = microphone
    self.destination = destination
    self.link = link
    self.encoderFailed = encoderFailed
    self.videoDelivered = videoDelivered
  }
}
