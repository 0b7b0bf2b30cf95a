// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// Something that makes pictures or sound on a thread of its own: a device, or what stands in for one.
///
/// A source never gives up: it tries again until it is stopped, and says how it fares. Pictures go
/// into a `NewestFrame`, sound into a `PCMQueue`, both given to its initialiser.
public protocol Source: AnyObject, Sendable {
  /// Starts the thread. Called once.
  func start()
  /// Asks the thread to end, and waits for it.
  /// - Returns: `false` when it had not ended by `deadline`; it is then left to itself.
  @discardableResult func stop(by deadline: MediaTime) -> Bool
  /// What it has counted that a person may want to know, for the log; empty when there is nothing.
  var tally: String { get }
}

extension Source {
  /// Nothing, for sources that have no trouble of their own.
  public var tally: String { "" }
}

/// A change in how a source fares, told once and not at each attempt.
public struct SourceReport: Sendable, Equatable {
  public enum State: String, Sendable {
    /// Pictures or sound are coming.
    case running
    /// Nothing comes; the source tries again by itself.
    case trouble
    /// Nothing will come any more (the pipe was closed).
    case ended
  }

  /// The cause in one word, for programs: "running", "missing", "busy", "forbidden", …
  public var code: String
  public var state: State
  /// What is the matter and what to do, for a person: one sentence, or two.
  public var sentence: String

  public init(state: State, code: String, sentence: String) {
    self.state = state
    self.code = code
    self.sentence = sentence
  }
}

/// Receives a source's reports, on that source's thread.
public typealias SourceListener = @Sendable (SourceReport) -> Void
