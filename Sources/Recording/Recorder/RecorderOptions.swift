// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// How a broadcast is recorded.
public struct RecorderOptions: Equatable, Sendable {
  /// The text after the time in the names of the files; empty for none.
  public var title: String
  /// The length in minutes after which the next file begins; 0 for no limit.
  public var cutMinutes: Int
  /// The size in MB (1,000,000 bytes) after which the next file begins; 0 for no limit. On vfat, a file has at most
  /// 3.9 GiB in any case.
  public var cutMB: Int
  /// The free space in MB (1,000,000 bytes) below which nothing is recorded.
  public var keepFreeMB: Int
  /// Whether the oldest recordings are removed when there is less free space than `keepFreeMB`.
  public var removesOldest: Bool
  /// What is recorded of a pause.
  public var pauses: PauseRecording

  public init(
    title: String = "", cutMinutes: Int = 60, cutMB: Int = 0, keepFreeMB: Int = 500,
    removesOldest: Bool = false, pauses: PauseRecording = .still
  ) {
    self.title = title
    self.cutMinutes = cutMinutes
    self.cutMB = cutMB
    self.keepFreeMB = keepFreeMB
    self.removesOldest = removesOldest
    self.pauses = pauses
  }
}
