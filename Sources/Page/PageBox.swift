// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The interface between the HTTP server and the rest of the program.
public protocol PageBox: Sendable {
  /// The status: one JSON object.
  func status() -> [UInt8]
  /// Executes a command, and returns once the new state is on the disk or could not be written.
  func perform(_ command: String) async -> PageAnswer
  /// Passes all events from now on to `listener`, after those since `number` that are still kept.
  /// - Parameter listener: must not block.
  /// - Returns: ends it.
  func listen(
    after number: Int?, _ listener: @escaping @Sendable (PageEvent) -> Void
  ) -> @Sendable () -> Void
}

/// The answer to a command.
public struct PageAnswer: Sendable {
  public enum Outcome: Sendable {
    case done
    /// There is no such command.
    case unknown
    /// It is not possible now.
    case refused
  }

  public var outcome: Outcome
  /// One JSON object.
  public var json: [UInt8]

  public init(outcome: Outcome, json: [UInt8]) {
    self.outcome = outcome
    self.json = json
  }
}

/// An event.
public struct PageEvent: Sendable {
  /// Rises from event to event.
  public var number: Int
  /// "device_lost".
  public var code: String
  /// One JSON object, on one line.
  public var json: String

  public init(number: Int, code: String, json: String) {
    self.number = number
    self.code = code
    self.json = json
  }
}
