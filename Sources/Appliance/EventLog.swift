// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Logging
internal import Synchronization

/// Where everything that a person may want to know is told: to the log, and to whoever listens.
final class EventLog: Sendable {
  /// Events that are kept for those who come later.
  static let longest = 200

  private struct State {
    var last: Int
    var recent: [Event] = []
    var listeners: [Int: @Sendable (Event) -> Void] = [:]
    var nextListener = 0
  }

  private let log: Logger
  private let state: Mutex<State>

  /// - Parameter before: the number before the first event's. It should be more at each start of the program, so
  ///   that who comes back after one does not take new events for old ones.
  init(log: Logger, before: Int) {
    self.log = log
    state = Mutex(State(last: before))
  }

  /// Tells of an event.
  /// - Parameters:
  ///   - level: of the line in the log; `nil` for none.
  ///   - prefix: what the line begins with.
  func report(
    _ code: Event.Code, level: Logger.Level? = .notice, subject: String? = nil,
    cause: String? = nil, totals: Event.Totals? = nil, prefix: String = "", _ sentence: String
  ) {
    let time = Date.now.formatted(.iso8601WithMilliseconds)
    // Numbered and handed on in one, so that the numbers rise for each listener.
    state.withLock { state in
      state.last += 1
      let event = Event(
        number: state.last, time: time, code: code, subject: subject, cause: cause,
        sentence: sentence, totals: totals)
      if state.recent.count == EventLog.longest { state.recent.removeFirst() }
      state.recent.append(event)
      for listener in state.listeners.values { listener(event) }
    }
    guard let level else { return }
    note(
      level, "\(prefix)\(sentence)", code: level >= .warning ? cause ?? code.rawValue : nil)
  }

  /// A line for the log alone.
  func note(_ level: Logger.Level, _ line: String, code: String? = nil) {
    log.log(level: level, "\(line)", metadata: code.map { ["code": "\($0)"] })
  }

  /// Has what happens from now on told, after what has happened since an event, as far as that is kept.
  /// - Parameters:
  ///   - number: the event's; `nil` for none.
  ///   - listener: must not block, nor tell of events itself.
  /// - Returns: ends it.
  func listen(
    after number: Int?, _ listener: @escaping @Sendable (Event) -> Void
  ) -> @Sendable () -> Void {
    let id = state.withLock { state in
      // A number that is not there yet is of before a clock that was set back, or off.
      if let number {
        for event in state.recent where event.number > number || number > state.last {
          listener(event)
        }
      }
      state.nextListener += 1
      state.listeners[state.nextListener] = listener
      return state.nextListener
    }
    return { [self] in state.withLock { _ = $0.listeners.removeValue(forKey: id) } }
  }
}

extension FormatStyle where Self == Date.ISO8601FormatStyle {
  /// "2026-01-31T12:00:00.000Z".
  fileprivate static var iso8601WithMilliseconds: Self { Self(includingFractionalSeconds: true) }
}
