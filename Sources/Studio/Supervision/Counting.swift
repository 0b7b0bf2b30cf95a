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

/// The largest of some numbers. One thread notes them, another reads. It takes no lock.
struct Largest: ~Copyable, Sendable {
  private let value = Atomic<Int>(0)

  func note(_ number: Int) { value.max(number, ordering: .relaxed) }

  /// The largest since the last call. For one reader.
  func take() -> Int { value.exchange(0, ordering: .relaxed) }
}

/// Tells a lasting failure from a single one. One thread reports each attempt; others read the result.
struct Failing: ~Copyable, Sendable {
  /// A failure lasts once every attempt for this long has failed.
  private static let patience = Int64.seconds(1)

  private let since = Atomic<Int64>(0)

  func fail(_ now: MediaTime) {
    _ = since.compareExchange(expected: 0, desired: now.nanos, ordering: .relaxed)
  }

  func succeed() { since.store(0, ordering: .relaxed) }

  /// A failure that goes on counts from now.
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

/// Tells whether a source still delivers. The thread that takes its frames or chunks calls `beat` for each.
struct Pulse: ~Copyable, Sendable {
  /// A source is lost after this long without a beat. A slower source gets two and a half times its own interval, up
  /// to `maxPatience`.
  private static let patience = Int64.milliseconds(400)
  private static let maxPatience = Int64.seconds(2)
  /// How long a source may take to open before it counts as lost.
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

  /// Another source takes over. It counts as lost if it does not deliver as soon as the present one would have to.
  func beginAgain(_ now: MediaTime) {
    guard hasBeaten else { return }
    last.store(now.nanos, ordering: .relaxed)
    interval.store(0, ordering: .relaxed)
  }

  /// Another source takes over. It has the time that a source may take to open.
  func forget() {
    last.store(0, ordering: .relaxed)
    interval.store(0, ordering: .relaxed)
  }

  /// When a source first delivered, whichever it was; `nil` before.
  var firstBeat: MediaTime? {
    let nanos = first.load(ordering: .relaxed)
    return nanos == 0 ? nil : MediaTime(nanos: nanos)
  }

  /// Whether the source has ever delivered.
  var hasBeaten: Bool { last.load(ordering: .relaxed) != 0 }

  enum Health { case opening, good, lost }

  /// - Parameter startedAt: when the source was started.
  func health(_ now: MediaTime, startedAt: MediaTime) -> Health {
    let last = last.load(ordering: .relaxed)
    if last == 0 { return now - startedAt < Pulse.openingTime ? .opening : .lost }
    let own = interval.load(ordering: .relaxed) * 5 / 2
    return now.nanos - last <= max(Pulse.patience, min(Pulse.maxPatience, own)) ? .good : .lost
  }
}
