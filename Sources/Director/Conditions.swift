// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// The state of the inputs, the encoders, the link and the servers that a broadcast depends on.
public struct Conditions: Equatable, Sendable {
  /// The state of an input: the camera or the microphone.
  public enum Input: String, Sendable, CaseIterable {
    /// The settings use no such input: its source is "none".
    case unused
    /// The input is being opened, and has not failed so far.
    case opening
    case good
    /// The input delivers no frames or samples.
    case lost
    /// The input's device is closed on purpose, for a pause.
    case released
  }

  /// The state of the server that receives the stream, from the best to the worst.
  public enum Destination: String, Sendable, CaseIterable {
    /// Recently captured video or audio has arrived at the server.
    case delivered
    /// The server accepts the stream; whether data arrives is not known.
    case unconfirmed
    /// The broadcast's first connection to the server is being made.
    case connecting
    /// The connection was lost or failed; another attempt follows.
    case retrying
    /// The server refuses the stream, and a person has to correct the cause. Connection attempts continue nevertheless.
    case refused
  }

  /// The state of the video source.
  public var camera: Input
  /// The state of the audio source.
  public var microphone: Input
  /// The state of the main destination. The destinations of relays do not affect the plan's video and audio. They
  /// affect the lamp only through `relayFails`.
  public var destination: Destination
  /// The quality of the link to the main server.
  public var link: LinkQuality
  /// Whether video or audio cannot be encoded.
  public var encoderFailed: Bool
  /// Whether the camera is being opened again after viewers have already seen its picture, and this takes longer than a
  /// moment. Used only while `camera` is `opening`.
  public var isReopening: Bool
  /// Whether the picture shows a guest, so that a lost camera leaves something to see.
  public var showsGuests: Bool
  /// Whether the main server has received video since the plan last changed what viewers see.
  public var videoDelivered: Bool
  /// Whether the studio has the last frame that viewers could see before a pause, or that they see in this one.
  public var hasLastFrame: Bool
  /// Whether the main server has confirmed nothing for several seconds. Used only while `destination` is `unconfirmed`.
  public var isOverdue: Bool
  /// The most urgent fault outside of the broadcast that a person has to repair; `nil` if there is none.
  public var repair: Repair?
  /// Whether a relay's server does not get the stream, and the settings ask for the lamp to show this.
  public var relayFails: Bool
  /// Whether something is wrong with the sound of a track, and the settings ask for the lamp to show this; or whether the
  /// main track is muted and every other voice is lost.
  public var hasAudioAlarm: Bool

  public init(
    camera: Input = .opening, microphone: Input = .opening, destination: Destination = .connecting,
    link: LinkQuality = .good, encoderFailed: Bool = false, isReopening: Bool = false,
    showsGuests: Bool = false, videoDelivered: Bool = false, hasLastFrame: Bool = false,
    isOverdue: Bool = false, repair: Repair? = nil, relayFails: Bool = false,
    hasAudioAlarm: Bool = false
  ) {
    self.camera = camera
    self.microphone = microphone
    self.destination = destination
    self.link = link
    self.encoderFailed = encoderFailed
    self.isReopening = isReopening
    self.showsGuests = showsGuests
    self.videoDelivered = videoDelivered
    self.hasLastFrame = hasLastFrame
    self.isOverdue = isOverdue
    self.repair = repair
    self.relayFails = relayFails
    self.hasAudioAlarm = hasAudioAlarm
  }
}
