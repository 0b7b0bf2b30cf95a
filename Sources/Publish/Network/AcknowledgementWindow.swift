// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Decides after how many bytes the server is asked to acknowledge (Window Acknowledgement Size, RTMP specification
/// 1.0, section 5.4.4). Pure.
///
/// Acknowledgements alone show that the server reads: its kernel takes the bytes of a frozen server, too. At a low bit
/// rate a fixed window would take too long to show that, so the window follows the rate that is being sent.
struct AcknowledgementWindow {
  /// Until the rate is known: small, so that a server that acknowledges shows it within the first second.
  static let first: UInt32 = 10_000
  /// At 2 Mbit/s an acknowledgement every 0.4 s. Some servers send one after half the window, others when they like.
  static let most: UInt32 = 100_000
  static let least: UInt32 = 2_500
  /// The time in which a window should be sent.
  private static let nanos: Int64 = .milliseconds(400)
  /// The rate is measured over a second at first, then over the keyframe interval of a still.
  private static let firstMeasurement: Int64 = .seconds(1)
  private static let measurement: Int64 = .seconds(4)

  /// The window last asked for.
  private(set) var bytes = AcknowledgementWindow.first
  private var from: (time: MediaTime, sent: UInt64)?
  private var isFirst = true

  /// - Parameters:
  ///   - sent: bytes handed to the kernel so far.
  /// - Returns: the window to ask for now, if it is another.
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
