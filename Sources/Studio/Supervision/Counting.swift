// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Synchronization

/// A counter that one thread increments and another reads. It takes no lock.
struct Counter: ~Copyable, Sendable {
  private let value = Atomic<Int>(0)

  var count: Int { value.load(ordering: .relaxed) }

  func add(_ amount: Int = 1) { value.wrappingAdd(amount, ordering: .relaxed) }
}

/// Keeps the largest of the numbers that one thread notes, for another thread to read. It takes no lock.
struct Largest: ~Copyable, Sendable {
  private let value = Atomic<Int>(0)

  func note(_ number: Int) { value.max(number, ordering: .relaxed) }

  /// The largest number since the last call; 0 if there was none. For one reader.
  func take() -> Int { value.exchange(0, ordering: .relaxed) }
}

/// Tells a lasting failure from a single one. One thread reports the outcome of each attempt; other threads read the
/// result.
struct Failing: ~Copyable, Sendable {
  /// A failure is a lasting one once all attempts have failed for more than this many nanoseconds.
  private static let patience = Int64.seconds(1)

  private let since = Atomic<Int64>(0)

  func fail(_ now: MediaTime) {
    _ = since.compareExchange(expected: 0, desired: now.nanos, ordering: .relaxed)
  }

  func succeed() { since.store(0, ordering: .relaxed) }

  /// If attempts fail at present, counts the duration of the failure from `now`.
  func beginAgain(_ now: MediaTime) {
    let before = since.load(ordering: .relaxed)
    guard before != 0 else { return }
    // The other thread may have succeeded meanwhile.
    _ = since.compareExchange(expected: before, desired: now.nanos, ordering: .relaxed)
  }

  /// Whether the last attempt failed.
  var isFailing: Bool { since.load(ordering: .relaxed) != 0 }

  func lasts(_ now: MediaTime) -> Bool {
    let since = since.load(ordering: .relaxed)
    return since != 0 && now.nanos - since > Failing.patience
  }
}

/// Tells whether a source still delivers. The thread that takes the source's frames or chunks calls `beat` for each.
struct Pulse: ~Copyable, Sendable {
  /// Nanoseconds without a beat after which a source is lost. A slow source gets two and a half times the interval of
  /// its last two beats, up to `maxPatience`.
  private static let patience = Int64.milliseconds(400)
  private static let maxPatience = Int64.seconds(2)
  /// Nanoseconds that a source may take to open before it counts as lost.
  private static let openingTime = Int64.seconds(1)

  private let first = Atomic<Int64>(0)
  private let last = Atomic<Int64>(0)
  private let interval = Atomic<Int64>(0)

  func beat(_ now: MediaTime) {
    let before = last.exchange(now.nanos, ordering: .relaxed)
    if before != 0 {
      interval.store(now.nanos - before, ordering: .relaxed)
    } else {
      _ = first.compareExchange(expected: 0, desired: now.nanos, ordering: .relaxed)
    }
  }

  /// Notes that another source takes over. The new source counts as lost unless it delivers within `patience`, as if
  /// the earlier one had delivered at `now`.
  func beginAgain(_ now: MediaTime) {
    guard hasBeaten else { return }
    last.store(now.nanos, ordering: .relaxed)
    interval.store(0, ordering: .relaxed)
  }

  /// Notes that another source takes over, or that the source opens its device again. It may then take `openingTime`
  /// before it counts as lost.
  func forget() {
    last.store(0, ordering: .relaxed)
    interval.store(0, ordering: .relaxed)
  }

  /// When a source delivered for the first time, whichever it was; `nil` before. Stays when another source takes over.
  var firstBeat: MediaTime? {
    let nanos = first.load(ordering: .relaxed)
    return nanos == 0 ? nil : MediaTime(nanos: nanos)
  }

  /// Whether a source has delivered since the start, or since the last `forget`.
  var hasBeaten: Bool { last.load(ordering: .relaxed) != 0 }

  enum Health { case opening, good, lost }

  /// Whether the source is still being opened, delivers, or is lost.
  /// - Parameter startedAt: when the source was started.
  func health(_ now: MediaTime, startedAt: MediaTime) -> Health {
    let last = last.load(ordering: .relaxed)
    if last == 0 { return now - startedAt < Pulse.openingTime ? .opening : .lost }
    let own = interval.load(ordering: .relaxed) * 5 / 2
    return now.nanos - last <= max(Pulse.patience, min(Pulse.maxPatience, own)) ? .good : .lost
  }
}
