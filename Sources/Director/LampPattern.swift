// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What the lamp tells. `Panel` gives each pattern its colour and rhythm.
public enum LampPattern: String, Sendable, CaseIterable {
  case offAir = "off_air"
  /// Off air, with camera and microphone open for somebody who watches.
  case watched
  /// The first connection is being made.
  case starting
  /// The main server has received the live video.
  case live
  /// The stream is sent, but not known to have arrived.
  case unconfirmed
  /// The main server has received the pause still: viewers do not see the room.
  case paused
  case weak
  case reconnecting
  case noCamera = "no_camera"
  /// Something that a person has to repair.
  case fault
}
