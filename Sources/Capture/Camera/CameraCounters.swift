// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// Counters of a camera since the start. May be read on any thread.
public final class CameraCounters: Sendable {
  private let goodCount = Atomic<Int>(0)
  private let badCount = Atomic<Int>(0)
  private let gapCount = Atomic<Int>(0)
  private let openCount = Atomic<Int>(0)

  init() {}

  /// Good frames.
  public var frames: Int { goodCount.load(ordering: .relaxed) }
  /// Frames that were dropped because the driver marked them as damaged, or because they were incomplete.
  public var bad: Int { badCount.load(ordering: .relaxed) }
  /// Frames that the driver dropped, by its sequence numbers, or that found no free buffer.
  public var gaps: Int { gapCount.load(ordering: .relaxed) }
  /// How often a device was opened: 1 if nothing went wrong.
  public var opened: Int { openCount.load(ordering: .relaxed) }

  func addFrame() { goodCount.wrappingAdd(1, ordering: .relaxed) }
  func addBad() { badCount.wrappingAdd(1, ordering: .relaxed) }
  func addGaps(_ count: Int) { gapCount.wrappingAdd(count, ordering: .relaxed) }
  func addOpened() { openCount.wrappingAdd(1, ordering: .relaxed) }
}
