// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Synchronization

/// A lock-free counter that one thread increments and other threads read.
struct Counter: ~Copyable, Sendable {
  /// The sum of all amounts that were added.
  private let value = Atomic<Int>(0)

  /// The sum of all amounts that were added.
  var count: Int { value.load(ordering: .relaxed) }

  /// Adds an amount. To be called by one thread only.
  func add(_ amount: Int = 1) { value.wrappingAdd(amount, ordering: .relaxed) }
}

/// A lock-free maximum: keeps the largest of the numbers that one thread notes, for another thread to read.
struct Largest: ~Copyable, Sendable {
  /// The largest number since the last `take`.
  private let value = Atomic<Int>(0)

  /// Keeps the number if it is the largest since the last `take`.
  func note(_ number: Int) { value.max(number, ordering: .relaxed) }

  /// Returns the largest number noted since the previous call, and resets it; 0 if there was none. For one reader only.
  func take() -> Int { value.exchange(0, ordering: .relaxed) }
}

/// Distinguishes a lasting failure from a single failure. One thread reports the outcome of each attempt; other threads
/// read the result.
struct FailureTracker: ~Copyable, Sendable {
  /// A failure counts as lasting once all attempts have failed for more than this many nanoseconds.
  private static let lastingNanos = Int64.seconds(1)

  /// The time, in nanoseconds, of the first failure since the last success; 0 if the last attempt succeeded.
  private let since = Atomic<Int64>(0)

  /// Reports that an attempt has failed.
  func fail(_ now: MediaTime) {
    _ = since.compareExchange(expected: 0, desired: now.nanos, ordering: .relaxed)
  }

  /// Reports that an attempt has succeeded.
  func succeed() { since.store(0, ordering: .relaxed) }

  /// If the last attempt failed, sets the start of that failure to `now`.
  func beginAgain(_ now: MediaTime) {
    let before = since.load(ordering: .relaxed)
    guard before != 0 else { return }
    // If the thread that makes the attempts has just reported a success, `now` is not stored.
    _ = since.compareExchange(expected: before, desired: now.nanos, ordering: .relaxed)
  }

  /// Whether the last attempt failed.
  var isFailing: Bool { since.load(ordering: .relaxed) != 0 }

  /// Whether all attempts have failed for more than a second.
  func lasts(_ now: MediaTime) -> Bool {
    let since = since.load(ordering: .relaxed)
    return since != 0 && now.nanos - since > FailureTracker.lastingNanos
  }
}

/// Detects whether a source still delivers. The thread that takes the source's frames or chunks calls `beat` for each
/// of them.
struct Pulse: ~Copyable, Sendable {
  /// A source counts as lost after this many nanoseconds without a beat. For a slow source, the limit is higher: two
  /// and a half times the interval between its last two beats, at most `maxLossNanos`.
  private static let lossNanos = Int64.milliseconds(400)
  /// For a slow source, the maximum of the nanoseconds without a beat after which it counts as lost.
  private static let maxLossNanos = Int64.seconds(2)
  /// Nanoseconds that a source may take to open before it counts as lost.
  private static let openingNanos = Int64.seconds(1)

  /// The time of the first beat, in nanoseconds; 0 before.
  private let first = Atomic<Int64>(0)
  /// The time of the last beat, in nanoseconds; 0 before the first beat and after `forget`.
  private let last = Atomic<Int64>(0)
  /// Nanoseconds between the last two beats.
  private let interval = Atomic<Int64>(0)

  /// Notes that the source has delivered a frame or chunk.
  func beat(_ now: MediaTime) {
    let before = last.exchange(now.nanos, ordering: .relaxed)
    if before != 0 {
      interval.store(now.nanos - before, ordering: .relaxed)
    } else {
      _ = first.compareExchange(expected: 0, desired: now.nanos, ordering: .relaxed)
    }
  }

  /// Notes that another source replaces the present one. The new source counts as lost unless it delivers within
  /// `lossNanos` of `now`.
  func beginAgain(_ now: MediaTime) {
    guard hasBeaten else { return }
    last.store(now.nanos, ordering: .relaxed)
    interval.store(0, ordering: .relaxed)
  }

  /// Notes that another source replaces the present one, or that the source opens its device again. The source may then
  /// take `openingNanos` to deliver before it counts as lost.
  func forget() {
    last.store(0, ordering: .relaxed)
    interval.store(0, ordering: .relaxed)
  }

  /// When a source delivered for the first time; `nil` if none has delivered yet. Stays the same when another source
  /// replaces the present one.
  var firstBeat: MediaTime? {
    let nanos = first.load(ordering: .relaxed)
    return nanos == 0 ? nil : MediaTime(nanos: nanos)
  }

  /// Whether a source has delivered since the start, or since the last `forget`.
  var hasBeaten: Bool { last.load(ordering: .relaxed) != 0 }

  /// The state of a source: still being opened, delivering, or lost.
  enum Health { case opening, good, lost }

  /// Whether the source is still being opened, delivers, or is lost.
  /// - Parameter startedAt: when the source was started.
  func health(_ now: MediaTime, startedAt: MediaTime) -> Health {
    let last = last.load(ordering: .relaxed)
    if last == 0 { return now - startedAt < Pulse.openingNanos ? .opening : .lost }
    let own = interval.load(ordering: .relaxed) * 5 / 2
    return now.nanos - last <= max(Pulse.lossNanos, min(Pulse.maxLossNanos, own)) ? .good : .lost
  }
}
