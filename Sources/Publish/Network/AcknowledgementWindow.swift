// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Decides after how many bytes the server is asked to acknowledge (Window Acknowledgement Size, RTMP specification
/// 1.0, section 5.4.4). Reads no clock and does no I/O: the time is passed in.
///
/// Only acknowledgements show that the server's program reads: the kernel of a frozen server still takes bytes. At a
/// low bit rate a fixed window would take too long to show that, so the window follows the rate that is being sent.
struct AcknowledgementWindow {
  /// The window in bytes until the rate is known. It is small, so that a server that acknowledges shows it within the
  /// first second.
  static let first: UInt32 = 10_000
  /// The largest window in bytes: at 2 Mbit/s an acknowledgement every 0.4 s. Some servers send one after half the
  /// window, others at intervals of their own.
  static let most: UInt32 = 100_000
  /// The smallest window in bytes.
  static let least: UInt32 = 2_500
  /// The time in nanoseconds in which the bytes of one window should be sent.
  private static let nanos: Int64 = .milliseconds(400)
  /// The duration of the first measurement of the rate, in nanoseconds.
  private static let firstMeasurement: Int64 = .seconds(1)
  /// The duration of later measurements of the rate, in nanoseconds: as long as the keyframe interval of a still.
  private static let measurement: Int64 = .seconds(4)

  /// The window that the server was last asked for, in bytes.
  private(set) var bytes = AcknowledgementWindow.first
  /// The time at which the present measurement began, and how many bytes had been sent by then.
  private var from: (time: MediaTime, sent: UInt64)?
  private var isFirst = true

  /// Follows the rate that is being sent.
  /// - Parameters:
  ///   - sent: bytes handed to the kernel so far.
  /// - Returns: the window in bytes to ask the server for; `nil` if it need not change.
  mutating func follow(sent: UInt64, now: MediaTime) -> UInt32? {
    guard let from else {
      self.from = (now, sent)
      return nil
    }
    let elapsed = now - from.time
    guard
      elapsed
        >= (isFirst
          ? AcknowledgementWindow.firstMeasurement : AcknowledgementWindow.measurement)
    else { return nil }
    isFirst = false
    self.from = (now, sent)
    let wanted = Double(sent - from.sent) / Double(elapsed) * Double(AcknowledgementWindow.nanos)
    let window = UInt32(
      min(max(wanted, Double(AcknowledgementWindow.least)), Double(AcknowledgementWindow.most)))
    // The server need not hear of small changes.
    guard window >= bytes * 2 || window <= bytes / 2 else { return nil }
    bytes = window
    return window
  }
}
