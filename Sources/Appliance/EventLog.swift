// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Logging
internal import Synchronization

/// Where everything that a person may want to know is told: to the log, and to whoever listens.
final class EventLog: Sendable {
  /// Events that are kept for those who come later.
  static let longest = 200
  /// Events that wait for a slow listener.
  private static let longestQueue = 64

  private struct State {
    var last = 0
    var recent: [Event] = []
    var listeners: [Int: AsyncStream<Event>.Continuation] = [:]
    var nextListener = 0
  }

  private let log: Logger
  private let state = Mutex(State())

  init(log: Logger) { self.log = log }

  /// Tells of an event.
  /// - Parameters:
  ///   - level: of the line in the log; `nil` for none.
  ///   - prefix: what the line begins with.
  func tell(
    _ code: Event.Code, level: Logger.Level? = .notice, subject: String? = nil,
    cause: String? = nil, sums: Event.Sums? = nil, prefix: String = "", _ sentence: String
  ) {
    if let level {
      log.log(
        level: level, "\(prefix)\(sentence)",
        metadata: level >= .warning ? ["code": "\(cause ?? code.rawValue)"] : nil)
    }
    let time = Date.now.formatted(.iso8601WithMilliseconds)
    let (event, listeners) = state.withLock { state in
      state.last += 1
      let event = Event(
        number: state.last, time: time, code: code, subject: subject, cause: cause,
        sentence: sentence, sums: sums)
      if state.recent.count == EventLog.longest { state.recent.removeFirst() }
      state.recent.append(event)
      return (event, Array(state.listeners.values))
    }
    for listener in listeners { listener.yield(event) }
  }

  /// A line for the log alone.
  func note(_ level: Logger.Level, _ line: String, code: String? = nil) {
    log.log(level: level, "\(line)", metadata: code.map { ["code": "\($0)"] })
  }

  /// What happens from now on, after what has happened since an event, as far as that is kept.
  /// - Parameter number: the event's; `nil` for none.
  func stream(after number: Int?) -> AsyncStream<Event> {
    let (stream, continuation) = AsyncStream<Event>.makeStream(
      bufferingPolicy: .bufferingNewest(EventLog.longest + EventLog.longestQueue))
    let id = state.withLock { state in
      // A number from before the program's start says nothing.
      if let number, number <= state.last {
        for event in state.recent where event.number > number { continuation.yield(event) }
      }
      state.nextListener += 1
      state.listeners[state.nextListener] = continuation
      return state.nextListener
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.listeners.removeValue(forKey: id) }
    }
    return stream
  }
}

extension FormatStyle where Self == Date.ISO8601FormatStyle {
  /// "2026-01-31T12:00:00.000Z".
  fileprivate static var iso8601WithMilliseconds: Self { Self(includingFractionalSeconds: true) }
}
