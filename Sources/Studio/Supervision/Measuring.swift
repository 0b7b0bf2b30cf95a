// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import RateControl
internal import Synchronization

/// Sums durations, and keeps the longest. One thread adds them, another reads the result. It takes no lock.
struct DurationMeter: ~Copyable, Sendable {
  private let sum = Atomic<Int64>(0)
  private let longest = Atomic<Int64>(0)

  func add(_ nanos: Int64) {
    sum.wrappingAdd(nanos, ordering: .relaxed)
    longest.max(nanos, ordering: .relaxed)
  }

  /// The sum of all durations, in nanoseconds.
  var nanos: Int64 { sum.load(ordering: .relaxed) }

  /// The longest duration since the last call, in nanoseconds; 0 if there was none. For one reader.
  func takeLongest() -> Int64 { longest.exchange(0, ordering: .relaxed) }
}

/// The size, bit rate, speed level and processor limits of the video that is encoded at present. The video thread sets
/// them; other threads read them.
struct PresentFormat: ~Copyable, Sendable {
  private let packedSize: Atomic<Int>
  private let kbps: Atomic<Int>
  /// The speed level in thousandths; below 0 at a fixed speed.
  private let milliLevel = Atomic<Int>(-1)
  private let reduction = Mutex(ProcessorPlan.unlimited)

  init(_ size: PictureSize, bitrateKbps: Int) {
    packedSize = Atomic(PresentFormat.pack(size))
    kbps = Atomic(bitrateKbps)
  }

  /// A size as one number, so that nobody reads the width of one size and the height of another.
  private static func pack(_ size: PictureSize) -> Int { size.width << 16 | size.height }

  func set(_ size: PictureSize) {
    packedSize.store(PresentFormat.pack(size), ordering: .relaxed)
  }

  func set(bitrateKbps: Int) { kbps.store(bitrateKbps, ordering: .relaxed) }

  /// - Parameter level: the level of the speed governor; `nil` at a fixed speed.
  func set(level: Double?) {
    milliLevel.store(level.map { Int($0 * 1_000) } ?? -1, ordering: .relaxed)
  }

  func set(_ reduction: ProcessorPlan) { self.reduction.withLock { $0 = reduction } }

  /// The level of the speed governor, 0 to `SpeedLadder.top`; `nil` at a fixed speed.
  var level: Double? {
    let level = milliLevel.load(ordering: .relaxed)
    return level < 0 ? nil : Double(level) / 1_000
  }

  /// The limits of frame rate and size within which the processor can encode in time.
  var processorPlan: ProcessorPlan { reduction.withLock { $0 } }

  var size: (width: Int, height: Int) {
    let packed = packedSize.load(ordering: .relaxed)
    return (packed >> 16, packed & 0xFFFF)
  }

  var bitrateKbps: Int { kbps.load(ordering: .relaxed) }
}
