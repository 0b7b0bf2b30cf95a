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
