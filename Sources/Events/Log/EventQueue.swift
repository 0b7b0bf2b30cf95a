// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// A queue of events for one subscriber. Reporting an event never waits for the subscriber.
package final class EventQueue: Sendable {
  /// Yields an element when events may have been added to the queue. The stream ends when the task that reads it is
  /// cancelled.
  package let arrivals: AsyncStream<Void>
  /// The sending end of `arrivals`.
  private let arrival: AsyncStream<Void>.Continuation
  /// The events that wait for the subscriber, the oldest first.
  private let waiting = Mutex<[Event]>([])
  /// The most events that wait.
  private let limit: Int

  init(limit: Int) {
    self.limit = limit
    (arrivals, arrival) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Adds an event. If the queue is full, drops the oldest one.
  func put(_ event: Event) {
    waiting.withLock { waiting in
      if waiting.count == limit { waiting.removeFirst() }
      waiting.append(event)
    }
    arrival.yield()
  }

  /// Takes the waiting events out of the queue, the oldest first.
  package func take() -> [Event] {
    waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
  }
}
