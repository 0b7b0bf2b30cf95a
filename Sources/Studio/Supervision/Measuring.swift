// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import RateControl
internal import Synchronization

/// A lock-free sum and maximum of durations. One thread adds durations, another reads the results.
struct DurationMeter: ~Copyable, Sendable {
  /// The sum of all durations, in nanoseconds.
  private let sum = Atomic<Int64>(0)
  /// The longest duration since the last `takeLongest`, in nanoseconds.
  private let longest = Atomic<Int64>(0)

  /// Adds a duration in nanoseconds.
  func add(_ nanos: Int64) {
    sum.wrappingAdd(nanos, ordering: .relaxed)
    longest.max(nanos, ordering: .relaxed)
  }

  /// The sum of all durations, in nanoseconds.
  var nanos: Int64 { sum.load(ordering: .relaxed) }

  /// Returns the longest duration since the previous call, in nanoseconds, and resets it; 0 if there was none. For one
  /// reader only.
  func takeLongest() -> Int64 { longest.exchange(0, ordering: .relaxed) }
}

/// The size, bit rate and speed level with which video is being encoded, and the processor's limits. The video thread
/// sets them; other threads read them.
struct PresentFormat: ~Copyable, Sendable {
  /// The size as one number: see `pack`.
  private let packedSize: Atomic<Int>
  /// The video bit rate, in kbit/s.
  private let kbps: Atomic<Int>
  /// The speed level in thousandths; below 0 at a fixed speed.
  private let milliLevel = Atomic<Int>(-1)
  /// The limits of frame rate and size that the processor imposes.
  private let processorLimits = Mutex(ProcessorPlan.unlimited)

  init(_ size: PictureSize, bitrateKbps: Int) {
    packedSize = Atomic(PresentFormat.pack(size))
    kbps = Atomic(bitrateKbps)
  }

  /// Packs a size into one number, so that a reader never gets the width of one size and the height of another.
  private static func pack(_ size: PictureSize) -> Int { size.width << 16 | size.height }

  /// Sets the size that is encoded from now on.
  func set(_ size: PictureSize) {
    packedSize.store(PresentFormat.pack(size), ordering: .relaxed)
  }

  /// Sets the video bit rate, in kbit/s.
  func set(bitrateKbps: Int) { kbps.store(bitrateKbps, ordering: .relaxed) }

  /// Sets the level of the speed governor; `nil` at a fixed speed.
  func set(level: Double?) {
    milliLevel.store(level.map { Int($0 * 1_000) } ?? -1, ordering: .relaxed)
  }

  /// Sets the limits of frame rate and size within which the processor can encode in time.
  func set(_ limits: ProcessorPlan) { processorLimits.withLock { $0 = limits } }

  /// The level of the speed governor, 0 to `SpeedLadder.top`; `nil` at a fixed speed.
  var level: Double? {
    let level = milliLevel.load(ordering: .relaxed)
    return level < 0 ? nil : Double(level) / 1_000
  }

  /// The limits of frame rate and size within which the processor can encode in time.
  var processorPlan: ProcessorPlan { processorLimits.withLock { $0 } }

  /// The size of the frames that are being encoded, in pixels.
  var size: (width: Int, height: Int) {
    let packed = packedSize.load(ordering: .relaxed)
    return (packed >> 16, packed & 0xFFFF)
  }

  /// The present video bit rate, in kbit/s.
  var bitrateKbps: Int { kbps.load(ordering: .relaxed) }
}
