// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Media

/// Produces video or audio on its own thread: a device, a file or a generator.
///
/// After a failure, a source tries again until it is stopped. It reports changes of its state. It puts video frames
/// into a `FrameQueue` and audio into a `PCMQueue`, which its initialiser takes.
public protocol Source: AnyObject, Sendable {
  /// Starts the source's thread. Called once.
  func start()
  /// Asks the source's thread to end; does not wait for its end.
  func requestStop()
  /// Asks the source's thread to end, and waits for its end.
  /// - Returns: `false` when the thread had not ended by `deadline`: the thread is abandoned, and may end later.
  @discardableResult func stop(by deadline: MediaTime) -> Bool
  /// The source's counters as text, for the log; empty if it has none.
  var tally: String { get }
}

extension Source {
  /// The default for a source without counters.
  public var tally: String { "" }
}

/// A source of audio that follows the clock of a device or of another program.
public protocol ClockedSource: Source {
  /// The drift of that clock against CLOCK_MONOTONIC in millionths: +100 when it counts 48,004.8 samples per 48,000.
  /// `nil` until it is known. May be read on any thread.
  var driftPPM: Double? { get }
}

/// Plays audio that outlives the pipelines: each takes it from a source of its own.
public protocol TrackPlayer: AnyObject, Sendable {
  /// Makes a source that passes the audio on.
  func makeSource(into queue: PCMQueue) -> any Source
}

/// A source that can close its device for a while and open it again, on the same thread.
public protocol ReleasableSource: Source {
  /// Asks the source to close its device, and to keep it closed until `reopen` is called. Returns at once. If `release`
  /// is called before `start`, the device is not opened until `reopen` is called.
  func release()
  /// Lets the source open its device again after `release`.
  func reopen()
  /// Whether the device is closed, or will close as soon as no frame uses the device's memory any more.
  var isClosed: Bool { get }
}

/// A report of a change of a source's state. Repeated attempts with the same outcome are reported once.
public struct SourceReport: Sendable, Equatable {
  /// Whether a source delivers.
  public enum State: String, Sendable {
    /// Frames or audio arrive.
    case running
    /// Nothing arrives; the source keeps retrying.
    case trouble
    /// Frames or audio arrive, but from a file that has been removed, or replaced by one that cannot be played.
    case outdated
    /// Nothing will arrive any more, because the pipe that the source reads was closed or failed.
    case ended
  }

  /// The cause of the state in one word, for programs: "running", "missing", "busy", "forbidden", …
  public var code: String
  /// Whether the source delivers from now on.
  public var state: State
  /// The cause of the state and the remedy, for people: one or two sentences.
  public var sentence: String

  public init(state: State, code: String, sentence: String) {
    self.state = state
    self.code = code
    self.sentence = sentence
  }
}

/// Receives a source's reports, on that source's thread.
public typealias SourceListener = @Sendable (SourceReport) -> Void
