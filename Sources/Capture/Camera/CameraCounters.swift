// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// What has come from a camera since the start; read from any thread.
public final class CameraCounters: Sendable {
  private let goodCount = Atomic<Int>(0)
  private let badCount = Atomic<Int>(0)
  private let gapCount = Atomic<Int>(0)
  private let openCount = Atomic<Int>(0)

  init() {}

  /// Good pictures.
  public var frames: Int { goodCount.load(ordering: .relaxed) }
  /// Pictures that the driver marked as damaged, or that were cut short; they are dropped.
  public var bad: Int { badCount.load(ordering: .relaxed) }
  /// Pictures that the driver had to drop, by its own numbering, or that found no free buffer.
  public var gaps: Int { gapCount.load(ordering: .relaxed) }
  /// How often a device was taken: 1 as long as all goes well.
  public var opened: Int { openCount.load(ordering: .relaxed) }

  func addFrame() { goodCount.wrappingAdd(1, ordering: .relaxed) }
  func addBad() { badCount.wrappingAdd(1, ordering: .relaxed) }
  func addGaps(_ count: Int) { gapCount.wrappingAdd(count, ordering: .relaxed) }
  func addOpened() { openCount.wrappingAdd(1, ordering: .relaxed) }
}
