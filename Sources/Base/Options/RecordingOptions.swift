// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What begins a recording (`record.start`).
public enum RecordingStart: String, Sendable, CaseIterable {
  /// A person.
  case hand
  /// Each broadcast.
  case broadcast
  /// The program itself: it also records off air.
  case always
}

/// Which video is recorded (`record.what`).
public enum RecordedVideo: String, Sendable, CaseIterable {
  /// What viewers get.
  case sent
  /// The programme as it is before a weak network reduces it, if the processor has time to encode it a second time.
  case programme
}

/// What a recording has in place of a pause (`pause.recording`).
public enum PauseRecording: String, Sendable, CaseIterable {
  /// What viewers get.
  case still
  /// Nothing: the recording goes on after the pause.
  case cut
}
