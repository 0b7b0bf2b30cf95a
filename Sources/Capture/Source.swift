// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// Produces video or audio on its own thread: a device, a file or a generator.
///
/// A source never gives up: it retries until it is stopped, and reports its state. It puts video frames into a
/// `FrameQueue` and audio into a `PCMQueue`, which its initialiser takes.
public protocol Source: AnyObject, Sendable {
  /// Starts the thread. Called once.
  func start()
  /// Asks the thread to end; does not wait for it.
  func requestStop()
  /// Asks the thread to end, and waits for it.
  /// - Returns: `false` when it had not ended by `deadline`; it is then abandoned.
  @discardableResult func stop(by deadline: MediaTime) -> Bool
  /// Counters for the log, as text; empty if there are none.
  var tally: String { get }
}

extension Source {
  public var tally: String { "" }
}

/// A change of a source's state. Repeated attempts with the same outcome are reported once.
public struct SourceReport: Sendable, Equatable {
  public enum State: String, Sendable {
    /// Frames or audio arrive.
    case running
    /// Nothing arrives; the source keeps retrying.
    case trouble
    /// Frames or audio arrive, of a file that has been removed, or replaced by one that cannot be played.
    case outdated
    /// Nothing will arrive any more (the pipe was closed).
    case ended
  }

  /// The cause in one word, for programs: "running", "missing", "busy", "forbidden", …
  public var code: String
  public var state: State
  /// The cause and the remedy, for people: one or two sentences.
  public var sentence: String

  public init(state: State, code: String, sentence: String) {
    self.state = state
    self.code = code
    self.sentence = sentence
  }
}

/// Receives a source's reports, on that source's thread.
public typealias SourceListener = @Sendable (SourceReport) -> Void
