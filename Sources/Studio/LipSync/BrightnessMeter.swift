// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Synchronization
internal import Video

/// Collects the brightness of a part of each frame, while somebody measures. Otherwise a frame costs it one lock.
final class BrightnessMeter: Sendable {
  typealias Reading = (time: MediaTime, luma: Double)

  private struct State {
    var area: LumaArea?
    var readings: [Reading] = []
  }

  /// Readings that nobody takes are dropped beyond this.
  private static let most = 600
  private let state = Mutex(State())

  /// Measures this part of each frame from now on; `nil` to end.
  func measure(_ area: LumaArea?) { state.withLock { $0 = State(area: area) } }

  /// Notes a frame, on the thread of the video pipeline.
  /// - Parameter luma: the brightness of a part of the frame; called only while somebody measures.
  func note(_ captured: MediaTime, _ luma: (LumaArea) -> Double?) {
    guard let area = state.withLock({ $0.area }), let value = luma(area) else { return }
    state.withLock { state in
      if state.readings.count < BrightnessMeter.most { state.readings.append((captured, value)) }
    }
  }

  /// Removes and returns what has been read.
  func take() -> [Reading] {
    state.withLock { state in
      defer { state.readings = [] }
      return state.readings
    }
  }
}
