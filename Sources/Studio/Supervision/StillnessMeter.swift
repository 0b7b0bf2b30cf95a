// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Synchronization
internal import Video

/// Finds out since when the picture has stood still: once a second it compares the brightness of fields of the frame with
/// what it was. A field is large enough that a camera's noise vanishes in its mean. While nobody measures, a frame costs
/// it one lock.
final class StillnessMeter: Sendable {
  private struct State {
    var isMeasuring = false
    var nextAt = MediaTime.distantPast
    /// The brightness of each field, 0 to 1, which follows slow changes such as daylight; -1 for one that is not known.
    var fields = [Double](repeating: -1, count: StillnessMeter.columns * StillnessMeter.rows)
    var changedAt: MediaTime?
  }

  private static let columns = 16
  private static let rows = 9
  private static let intervalNanos = Int64.seconds(1)
  /// The difference of a field's mean, of 1, that counts as a change: a person's hand in it, but no noise.
  private static let change = 0.02
  /// How much of a smaller difference is taken over each time.
  private static let follow = 0.02

  private let state = Mutex(State())

  /// When the picture last changed; `nil` before the second frame that was measured.
  var changedAt: MediaTime? { state.withLock { $0.changedAt } }

  /// Measures from now on, or not any more.
  func measure(_ isMeasuring: Bool) {
    state.withLock { if $0.isMeasuring != isMeasuring { $0 = State(isMeasuring: isMeasuring) } }
  }

  /// Notes a frame, on the thread of the video pipeline.
  /// - Parameter luma: the mean brightness of a part of the frame.
  func note(_ captured: MediaTime, _ luma: (LumaArea) -> Double?) {
    let isDue = state.withLock { state in
      guard state.isMeasuring, captured >= state.nextAt else { return false }
      state.nextAt = captured + StillnessMeter.intervalNanos
      return true
    }
    guard isDue else { return }
    let (width, height) = (1 / Double(StillnessMeter.columns), 1 / Double(StillnessMeter.rows))
    for row in 0..<StillnessMeter.rows {
      for column in 0..<StillnessMeter.columns {
        let area = LumaArea(
          x: Double(column) * width, y: Double(row) * height, width: width, height: height)
        guard let value = luma(area) else { continue }
        take(value, of: row * StillnessMeter.columns + column, captured)
      }
    }
  }

  private func take(_ value: Double, of field: Int, _ captured: MediaTime) {
    state.withLock { state in
      guard state.isMeasuring else { return }
      let before = state.fields[field]
      let isChanged = before < 0 || abs(value - before) > StillnessMeter.change
      state.fields[field] = isChanged ? value : before + (value - before) * StillnessMeter.follow
      if isChanged { state.changedAt = captured }
    }
  }
}
