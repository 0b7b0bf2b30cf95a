// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Finds flashes of light in the brightness of a part of the picture: it rises within a moment by a quarter of full
/// scale above the median of the last second. Reads no clock: the times are passed in.
struct FlashDetector {
  /// By how much the brightness rises, as a share of full scale.
  static let rise = 0.25
  /// How long after a flash no other is looked for, in nanoseconds.
  static let deadNanos: Int64 = .milliseconds(400)
  private static let historyNanos: Int64 = .seconds(1)

  private var history: [(time: MediaTime, luma: Double)] = []
  private var isBright = false
  private var lastFlash = MediaTime.distantPast

  /// Takes the brightness of a frame.
  /// - Parameters:
  ///   - luma: the mean of Y' in the part of the picture, 0 to 1.
  ///   - time: when the frame was captured. Times rise.
  /// - Returns: when the flash began, as far as the frame rate tells: half a frame before the first bright one; `nil`
  ///   for none.
  mutating func take(_ luma: Double, at time: MediaTime) -> MediaTime? {
    defer { history.append((time, luma)) }
    history.removeAll { time - $0.time > FlashDetector.historyNanos }
    guard let last = history.last, history.count >= 4 else { return nil }
    let sorted = history.map(\.luma).sorted()
    let limit = sorted[sorted.count / 2] + FlashDetector.rise
    let wasBright = isBright
    isBright = luma >= limit
    guard isBright, !wasBright, time - lastFlash > FlashDetector.deadNanos else { return nil }
    lastFlash = time
    return time - (time - last.time) / 2
  }
}
