// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// What a guest sends.
public struct ArrivingTracks: Equatable, Sendable {
  /// His picture or his sound.
  public enum Track: Equatable, Sendable {
    /// He does not send it.
    case none
    case arriving
    /// He sends it, but nothing has come since then.
    case stalled(since: MediaTime)
  }

  public var picture: Track
  public var sound: Track
  /// Whether his picture is higher than wide.
  public var isPortrait: Bool

  public init(picture: Track = .arriving, sound: Track = .arriving, isPortrait: Bool = false) {
    (self.picture, self.sound, self.isPortrait) = (picture, sound, isPortrait)
  }

  /// Whether anything arrives.
  var isArriving: Bool { picture == .arriving || sound == .arriving }

  /// These tracks, of which nothing arrives any more.
  func stalled(since time: MediaTime) -> ArrivingTracks {
    var tracks = self
    if picture == .arriving { tracks.picture = .stalled(since: time) }
    if sound == .arriving { tracks.sound = .stalled(since: time) }
    return tracks
  }
}

/// What the reader of a guest reports.
public enum GuestArrival: Equatable, Sendable {
  /// The guest is connected, and sends these tracks. Reported again when one of them stalls, is back or changes.
  case online(ArrivingTracks)
  /// The guest has ended his connection.
  case quit
  /// The connection has broken.
  case dropped
  /// A second connection with the same key takes the place of this one.
  case replaced
}

/// What has happened to a guest.
public struct GuestEvent: Equatable, Sendable {
  /// Why a guest is gone.
  public enum Cause: String, Sendable, CaseIterable {
    /// He has ended his connection.
    case quit
    /// His connection has broken, or nothing has come from him for too long.
    case dropped
    /// A person has removed him, or the settings have: he is disabled, has another address or is no guest any more.
    case removed
    /// A second connection with his key has taken the place of his.
    case replaced
  }

  public enum Kind: Equatable, Sendable {
    /// He is connected, and waits for a person who admits him; or he was taken off the air, back to there.
    case waiting
    /// He is on air.
    case online
    /// Whether his picture and his sound arrive has changed.
    case tracks(picture: Bool, sound: Bool)
    /// He is gone.
    case offline(Cause)
  }

  /// The name of the guest.
  public var guest: String
  public var kind: Kind
  /// The time since he came. In the first event of a visit, the time that connecting took; in the last one, without the
  /// time in which he was lost.
  public var elapsedNanos: Int64

  public init(_ guest: String, _ kind: Kind, elapsedNanos: Int64) {
    (self.guest, self.kind, self.elapsedNanos) = (guest, kind, elapsedNanos)
  }
}
