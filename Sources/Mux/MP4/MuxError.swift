// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Why a file cannot be written.
public enum MuxError: Error, Equatable {
  /// libavformat is not installed.
  case noLibrary
  /// libavformat refused; its error number.
  case notWritten(Int32)
}
