// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Decides after how many bytes the server is asked to acknowledge (Window Acknowledgement Size, RTMP specification
/// 1.0, section 5.4.4). Reads no clock and does no I/O: the time is passed in.
///
/// Only acknowledgements show that the server's program reads: the kernel of a frozen server still accepts bytes. At a
/// low bit rate, a server would rarely acknowledge a fixed window, so the window follows the bit rate.
struct AcknowledgementWindow {
  /// The window in bytes until the rate is known. It is small, so that a server that acknowledges at all does so within
  /// the first second.
  static let firstBytes: UInt32 = 10_000
  /// The largest window in bytes: at 2 Mbit/s an acknowledgement every 0.4 s. Some servers send one after half the
  /// window, others at intervals of their own.
  static let maxBytes: UInt32 = 100_000
  /// The smallest window in bytes.
  static let minBytes: UInt32 = 2_500
  /// The time in nanoseconds in which the bytes of one window should be sent.
  private static let windowNanos: Int64 = .milliseconds(400)
  /// The duration of the first measurement of the rate, in nanoseconds.
  private static let firstMeasurementNanos: Int64 = .seconds(1)
  /// The duration of later measurements of the rate, in nanoseconds: as long as the default keyframe interval of a
  /// still.
  private static let measurementNanos: Int64 = .seconds(4)

  /// The window size last sent to the server: it is to acknowledge after every so many bytes.
  private(set) var requestedBytes = AcknowledgementWindow.firstBytes
  /// When the present measurement of the rate began, and how many bytes had been sent at that time; `nil` before the
  /// first.
  private var measurementStart: (time: MediaTime, sent: UInt64)?
  /// Whether the present measurement of the rate is the first one.
  private var isFirst = true

  /// Adapts the window to the rate at which bytes are sent.
  /// - Parameters:
  ///   - sent: bytes handed to the kernel so far.
  /// - Returns: the window in bytes to ask the server for; `nil` if it need not change.
  mutating func follow(sent: UInt64, now: MediaTime) -> UInt32? {
    guard let from = measurementStart else {
      measurementStart = (now, sent)
      return nil
    }
    let elapsed = now - from.time
    guard
      elapsed
        >= (isFirst
          ? Self.firstMeasurementNanos : Self.measurementNanos)
    else { return nil }
    isFirst = false
    measurementStart = (now, sent)
    let wanted = Double(sent - from.sent) / Double(elapsed) * Double(Self.windowNanos)
    let window = UInt32(
      min(max(wanted, Double(Self.minBytes)), Double(Self.maxBytes)))
    // A small change is not worth a message to the server.
    guard window >= requestedBytes * 2 || window <= requestedBytes / 2 else { return nil }
    requestedBytes = window
    return window
  }
}
