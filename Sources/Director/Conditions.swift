// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// How things are with everything that a broadcast needs.
public struct Conditions: Equatable, Sendable {
  /// A camera or a microphone.
  public enum Input: String, Sendable, CaseIterable {
    /// The settings ask for none.
    case unused
    /// It is being opened, and nothing is known to be wrong.
    case opening
    case good
    /// It gives nothing.
    case lost
  }

  /// A server that is fed. The later of two is the worse, and the worst of all is what counts.
  public enum Destination: String, Sendable, CaseIterable, Comparable {
    /// What was captured a moment ago is there.
    case delivered
    /// It takes the stream, and what arrives is not known.
    case unconfirmed
    /// On the way to it for the first time.
    case connecting
    /// The connection is lost or was not made, and is tried again.
    case retrying
    /// It will not have the stream until a person does something; tried again all the same.
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

  /// The way to the servers.
  public enum Link: String, Sendable, CaseIterable {
    case good
    /// It carries the stream, but not as good as it is meant to be.
    case weak
    /// It does not carry moving pictures.
    case poor
  }

  public var camera: Input
  public var microphone: Input
  /// The worst of all.
  public var destination: Destination
  public var link: Link
  /// Pictures or sound cannot be encoded.
  public var encoderFailed: Bool
  /// The plan's picture itself is at each server, and not only the one before it.
  public var videoDelivered: Bool

  public init(
    camera: Input = .opening, microphone: Input = .opening, destination: Destination = .connecting,
    link: Link = .good, encoderFailed: Bool = false, videoDelivered: Bool = false
  ) {
    self.camera = camera
    self.microphone = microphone
    self.destination = destination
    self.link = link
    self.encoderFailed = encoderFailed
    self.videoDelivered = videoDelivered
  }
}
