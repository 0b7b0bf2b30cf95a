// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
package import Logging
internal import Synchronization

/// Receives every event, writes it to the log, queues it for subscribers, and updates the list of current troubles.
package final class EventLog: Sendable {
  /// How many of the newest events are kept for subscribers that reconnect.
  static let maxRecent = 200

  /// A weak reference to a subscriber's queue. The queue gets events until the subscriber releases it.
  private struct Subscriber {
    weak var queue: EventQueue?
  }

  /// The newest events, the subscribers and the current troubles.
  private struct State {
    /// The number of the last event that was reported.
    var last: Int
    var recent: [Event] = []
    var subscribers: [Subscriber] = []
    var troubles = TroubleList()
  }

  /// The monotonic clock that tells when a trouble began.
  package let clock: MediaClock
  /// The clock of the time of day that each event has.
  package let wallClock: WallClock
  /// The log that receives a line for most events.
  private let log: Logger
  /// The events that are kept, the subscribers and the current troubles.
  private let state: Mutex<State>

  /// - Parameter before: one less than the number of the first event. It has to be larger at each start of the program,
  ///   so that a subscriber that reconnects after a restart gets the new events. `nil` stands for the milliseconds
  ///   since 1970.
  package init(
    log: Logger, before: Int? = nil, clock: MediaClock = .system, wallClock: WallClock = .system
  ) {
    self.log = log
    self.clock = clock
    self.wallClock = wallClock
    state = Mutex(State(last: before ?? Int(wallClock.milliseconds)))
  }

  /// Reports an event.
  /// - Parameters:
  ///   - level: the level of the line in the log; `nil` for no line.
  ///   - prefix: put before the sentence in the log.
  ///   - figures: sets further fields of the event, such as `seconds` or `videoKbps`.
  package func report(
    _ code: Event.Code, level: Logger.Level? = .notice, subject: String? = nil,
    destination: String? = nil, cause: String? = nil, totals: Event.Totals? = nil,
    elapsedMs: Int? = nil, attempts: Int? = nil, outageSeconds: Int? = nil,
    startedMs: Int? = nil, prefix: String = "", _ sentence: String,
    figures: (inout Event) -> Void = { _ in }
  ) {
    let time = WallClock.text(wallClock.milliseconds)
    let now = clock.now
    var event = Event(
      number: 0, time: time, code: code, subject: subject, destination: destination, cause: cause,
      sentence: sentence, totals: totals, elapsedMs: elapsedMs, attempts: attempts,
      outageSeconds: outageSeconds, startedMs: startedMs)
    figures(&event)
    // Number and queue the event under one lock, so that each subscriber gets rising numbers.
    state.withLock { state in
      state.last += 1
      event.number = state.last
      state.troubles.update(event, now: now)
      if state.recent.count == EventLog.maxRecent { state.recent.removeFirst() }
      state.recent.append(event)
      state.subscribers.removeAll { $0.queue == nil }
      for subscriber in state.subscribers { subscriber.queue?.put(event) }
    }
    guard let level else { return }
    note(
      level, "\(prefix)\(sentence)", code: level >= .warning ? cause ?? code.rawValue : nil)
  }

  /// Writes a line to the log, without an event.
  package func note(_ level: Logger.Level, _ line: String, code: String? = nil) {
    log.log(level: level, "\(line)", metadata: code.map { ["code": "\($0)"] })
  }

  /// Makes a queue. It first gets the kept events that are newer than a given event, and then each new event until the
  /// queue is released.
  /// - Parameters:
  ///   - number: the number of the last event that the subscriber has; `nil` to get new events only. Events older than
  ///     the newest 200 are lost.
  ///   - limit: the most events that wait for a slow reader; the oldest are dropped, which shows as gaps in the
  ///     numbers.
  package func subscribe(after number: Int? = nil, limit: Int) -> EventQueue {
    let queue = EventQueue(limit: limit)
    state.withLock { state in
      // A number from the future means that the clock was set back: replay all events.
      if let number {
        for event in state.recent where event.number > number || number > state.last {
          queue.put(event)
        }
      }
      state.subscribers.append(Subscriber(queue: queue))
    }
    return queue
  }

  /// The newest events, at most 200, the oldest first.
  package var newest: [Event] { state.withLock { $0.recent } }

  // MARK: Troubles

  /// The current troubles that began with an event or with `beginTrouble`, the oldest first.
  package var troubles: [TroubleList.Entry] { state.withLock { $0.troubles.entries } }

  /// Adds a trouble that no event reports to the list of current troubles.
  package func beginTrouble(_ subject: String, cause: String, _ sentence: String) {
    let now = clock.now
    state.withLock { $0.troubles.begin(subject, cause: cause, sentence, now: now) }
  }

  /// Removes the troubles of the studio's video or audio from the list of current troubles, after that half of the
  /// studio was closed. No event reports their end.
  /// - Parameter half: "video" or "audio".
  func endTroublesOfStudio(_ half: String) {
    state.withLock { $0.troubles.endStudio(half) }
  }

  /// Removes a trouble from the list of current troubles, without an event that reports its end.
  package func endTrouble(_ subject: String) { state.withLock { $0.troubles.end(subject) } }
}
