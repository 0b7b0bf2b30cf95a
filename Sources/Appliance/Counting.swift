// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media
internal import Synchronization

/// A number that one thread raises on the media path and another reads once a second.
struct Counter: ~Copyable, Sendable {
  private let value = Atomic<Int>(0)

  var count: Int { value.load(ordering: .relaxed) }

  func add(_ amount: Int = 1) { value.wrappingAdd(amount, ordering: .relaxed) }
}

/// The last time that a thread was seen alive.
struct Heartbeat: ~Copyable, Sendable {
  private let nanos = Atomic<Int64>(0)

  func beat(_ now: MediaTime) { nanos.store(now.nanos, ordering: .relaxed) }

  /// Nanoseconds since the last beat; 0 before the first.
  func age(_ now: MediaTime) -> Int64 {
    let last = nanos.load(ordering: .relaxed)
    return last == 0 ? 0 : now.nanos - last
  }
}

/// Since when something has failed each time, told by the thread that tries it.
struct Failing: ~Copyable, Sendable {
  /// Once is no failure yet.
  private static let patience = Int64.seconds(1)

  private let since = Atomic<Int64>(0)

  func fail(_ now: MediaTime) {
    _ = since.compareExchange(expected: 0, desired: now.nanos, ordering: .relaxed)
  }

  func succeed() { since.store(0, ordering: .relaxed) }

  /// It failed the last time.
  var isFailing: Bool { since.load(ordering: .relaxed) != 0 }

  func lasts(_ now: MediaTime) -> Bool {
    let since = since.load(ordering: .relaxed)
    return since != 0 && now.nanos - since > Failing.patience
  }
}

/// Whether a source still gives something, told by the thread that takes it.
struct Pulse: ~Copyable, Sendable {
  /// How long a source may be silent, at the least: what is slower may take two and a half times its own
  /// spacing, to two seconds.
  private static let patience = Int64.milliseconds(400)
  private static let longestPatience = Int64.seconds(2)
  /// How long it may take to open.
  private static let opening = Int64.seconds(1)

  private let last = Atomic<Int64>(0)
  private let spacing = Atomic<Int64>(0)

  func beat(_ now: MediaTime) {
    let before = last.exchange(now.nanos, ordering: .relaxed)
    if before != 0 { spacing.store(now.nanos - before, ordering: .relaxed) }
  }

  /// Whether anything has come since the start.
  var hasBeaten: Bool { last.load(ordering: .relaxed) != 0 }

  enum Health { case opening, good, lost }

  /// - Parameter startedAt: when the source was asked to begin.
  func health(_ now: MediaTime, startedAt: MediaTime) -> Health {
    let last = last.load(ordering: .relaxed)
    if last == 0 { return now - startedAt < Pulse.opening ? .opening : .lost }
    let own = spacing.load(ordering: .relaxed) * 5 / 2
    return now.nanos - last <= max(Pulse.patience, min(Pulse.longestPatience, own)) ? .good : .lost
  }
}
