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

  /// A server that is fed.
  public enum Destination: String, Sendable, CaseIterable {
    /// On the way to it for the first time.
    case connecting
    /// It takes the stream, and what arrives is not known.
    case unconfirmed
    /// What was captured a moment ago is there.
    case delivered
    /// The connection is lost or was not made, and is tried again.
    case retrying
    /// It will not have the stream until a person does something; tried again all the same.
    case refused
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
  /// The worst of all destinations is what counts.
  public var destinations: [Destination]
  public var link: Link
  /// Pictures or sound cannot be encoded.
  public var encoderFailed: Bool
  /// The plan's picture itself is at each server, and not only the one before it.
  public var pictureDelivered: Bool

  public init(
    camera: Input = .opening, microphone: Input = .opening, destinations: [Destination] = [],
    link: Link = .good, encoderFailed: Bool = false, pictureDelivered: Bool = false
  ) {
    self.camera = camera
    self.microphone = microphone
    self.destinations = destinations
    self.link = link
    self.encoderFailed = encoderFailed
    self.pictureDelivered = pictureDelivered
  }

  /// How it is with the worst of the destinations: `connecting` while there is none.
  var worstDestination: Destination {
    let order: [Destination] = [.refused, .retrying, .connecting, .unconfirmed, .delivered]
    return order.first(where: destinations.contains) ?? .connecting
  }
}
