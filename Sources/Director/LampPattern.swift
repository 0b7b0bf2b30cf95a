// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What the lamp shows. The module `Panel` gives each pattern its colour and rhythm.
public enum LampPattern: String, Sendable, CaseIterable {
  /// There is no broadcast, and nobody watches the preview.
  case offAir = "off_air"
  /// Off air, with camera and microphone open because somebody watches the preview.
  case watched
  /// Off air, with camera and microphone open because a recording runs.
  case recording
  /// The broadcast's first connection to the main server is being made.
  case starting
  /// The main server has received the live video or, while the person has switched it off, the still in its place.
  case live
  /// As `live`, and the broadcast ends by itself within five minutes.
  case ending
  /// The stream is sent, but whether it arrives is not known.
  case unconfirmed
  /// The main server has received the still of the pause: viewers do not see the room.
  case paused
  /// The network is too slow for the full quality, or a relay's server does not get the stream.
  case weak
  /// The connection to the main server was lost or failed; another attempt follows.
  case reconnecting
  /// The camera delivers no frames.
  case noCamera = "no_camera"
  /// There is a fault that a person has to repair.
  case fault
}
