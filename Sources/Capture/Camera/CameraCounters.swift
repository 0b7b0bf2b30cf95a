// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// Counts the frames and the failures of a camera since it was started. May be read on any thread.
public final class CameraCounters: Sendable {
  /// The number of good frames that were put into the queue; read through `goodFrames`.
  private let goodCount = Atomic<Int>(0)
  /// The number of frames that were damaged, incomplete or not convertible; read through `badFrames`.
  private let badCount = Atomic<Int>(0)
  /// The number of frames that the driver dropped, or that could not be converted in time; read through `missedFrames`.
  private let missedCount = Atomic<Int>(0)
  /// How often a device was opened and started; read through `openings`.
  private let openCount = Atomic<Int>(0)

  init() {}

  /// How many good frames were put into the queue.
  public var goodFrames: Int { goodCount.load(ordering: .relaxed) }
  /// How many frames were dropped because the driver marked them as damaged, because they were incomplete, or because
  /// they could not be converted.
  public var badFrames: Int { badCount.load(ordering: .relaxed) }
  /// How many frames were missed: frames that the driver dropped (by its sequence numbers), and frames that were not
  /// converted because they were too late or because no buffer was free.
  public var missedFrames: Int { missedCount.load(ordering: .relaxed) }
  /// How often a device was opened and started: 1 if nothing went wrong.
  public var openings: Int { openCount.load(ordering: .relaxed) }

  /// Counts a good frame that was put into the queue.
  func addGoodFrame() { goodCount.wrappingAdd(1, ordering: .relaxed) }
  /// Counts a frame that was damaged, incomplete or not convertible.
  func addBadFrame() { badCount.wrappingAdd(1, ordering: .relaxed) }
  /// Counts `count` missed frames.
  func addMissedFrames(_ count: Int) { missedCount.wrappingAdd(count, ordering: .relaxed) }
  /// Counts one opening of a device.
  func addOpening() { openCount.wrappingAdd(1, ordering: .relaxed) }
}
