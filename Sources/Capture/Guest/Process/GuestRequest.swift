// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Media

/// The guest that a `GuestLine` reads.
public struct GuestRequest: Equatable, Sendable {
  /// The guest's name in the settings.
  public var name: String
  /// A URL of one of the schemes rtmp, rtmps, http, https, rtsp, rtsps and srt; empty for a guest who sends.
  public var address: String
  /// How the guest sends; `nil` for one who is fetched.
  public var sender: GuestSender?
  /// Whether the address may be one of the box itself.
  public var allowsOwn: Bool
  /// An extra delay of video and audio, in nanoseconds.
  public var delayNanos: Int64
  /// Whether the server's certificate must be valid.
  public var verifiesTLS: Bool

  /// A guest who sends.
  public init(name: String, sender: GuestSender, delayNanos: Int64 = 0) {
    self.init(name: name, address: "", delayNanos: delayNanos)
    self.sender = sender
  }

  public init(
    name: String, address: String, allowsOwn: Bool = false, delayNanos: Int64 = 0,
    verifiesTLS: Bool = true
  ) {
    (self.name, self.address, self.allowsOwn) = (name, address, allowsOwn)
    (self.delayNanos, self.verifiesTLS) = (delayNanos, verifiesTLS)
  }
}

/// A change of what a `GuestLine` delivers. The same report is not repeated.
public enum GuestReport: Equatable, Sendable {
  /// The line has been started, and reads for the first time.
  case connecting
  /// Video or audio comes, or the tracks have changed.
  case online(GuestTracks)
  /// No frame has come for a second, although all are wanted.
  case pictureStalled
  /// Frames come again after `pictureStalled`.
  case pictureBack
  /// Nothing comes any more. The line tries again.
  case offline(GuestOffline)
}

/// Why nothing comes from a guest.
public struct GuestOffline: Equatable, Sendable {
  /// `nil` if the guest has ended by himself.
  public var fault: GuestFault?
  /// The cause and the remedy, for people: one or two sentences.
  public var sentence: String

  public init(fault: GuestFault?, sentence: String) {
    (self.fault, self.sentence) = (fault, sentence)
  }
}

/// The newest frame of a guest.
public struct GuestPictureInfo: Equatable, Sendable {
  /// Counts the frames of one connection from 1.
  public var number: UInt64
  public var size: PictureSize
  public var colour: Colour
  /// When the frame came from the reader.
  public var arrivedAt: MediaTime
}
