// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The box as the page sees it: what it is asked, and what it answers.
public protocol PageBox: Sendable {
  /// What the box is at: one JSON object.
  func status() -> [UInt8]
  /// Does a command, and answers once what is wanted is on the disk, or cannot be.
  func perform(_ command: String) async -> PageAnswer
  /// Has what happens from now on told, after what has happened since `number` as far as that is still known.
  /// - Parameter listener: does not block.
  /// - Returns: ends it.
  func listen(
    after number: Int?, _ listener: @escaping @Sendable (PageEvent) -> Void
  ) -> @Sendable () -> Void
}

/// What comes of a command.
public struct PageAnswer: Sendable {
  public enum Outcome: Sendable {
    case done
    /// There is no such command.
    case unknown
    /// It does not fit what the box is at.
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

/// Something that has happened.
public struct PageEvent: Sendable {
  /// Rises.
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
