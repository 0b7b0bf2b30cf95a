// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The reason why MP4 cannot be written.
public enum MuxError: Error, Equatable {
  /// libavformat is not installed.
  case noLibrary
  /// libavformat failed, with this error number.
  case notWritten(Int32)
}
