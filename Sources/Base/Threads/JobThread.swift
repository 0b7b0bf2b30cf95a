// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// A queue of jobs that runs them one after the other on one thread. The thread exists only while there are jobs.
public final class JobThread: Sendable {
  /// The error when a job is refused: too many jobs wait, or the system cannot create a thread.
  public struct BusyError: Error {
    public init() {}
  }

  /// The waiting jobs, and the number of unfinished jobs. Accessed only under the lock of `state`.
  private struct State {
    /// The number of jobs that wait or run.
    var unfinished = 0
    var waiting: [@Sendable () -> Void] = []
  }

  /// The thread's name in `top -H`, at most 15 bytes.
  private let name: String
  /// The scheduling policy and priority of the thread.
  private let urgency: MediaThread.Urgency
  /// The most jobs that may wait, not counting the one that runs.
  private let mostWaiting: Int
  /// The jobs that wait, and the number of unfinished ones.
  private let state = Mutex(State())

  /// - Parameters:
  ///   - name: the thread's name in `top -H`, at most 15 bytes.
  ///   - mostWaiting: the most jobs that may wait, not counting the one that runs.
  public init(name: String, urgency: MediaThread.Urgency, mostWaiting: Int) {
    self.name = name
    self.urgency = urgency
    self.mostWaiting = mostWaiting
  }

  /// The number of jobs that wait or run.
  public var unfinished: Int { state.withLock { $0.unfinished } }

  /// Runs `body` on the job thread and returns its result. Once the job has been accepted it is run, even if the
  /// calling task is cancelled.
  /// - Throws: `BusyError` if the job was refused.
  public func run<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value
  ) async throws(BusyError) -> Value {
    let value: Value? = await withCheckedContinuation { continuation in
      let isTaken = submit { continuation.resume(returning: body()) }
      if !isTaken { continuation.resume(returning: nil) }
    }
    guard let value else { throw BusyError() }
    return value
  }

  /// Runs `body` on the job thread and returns its result. Once the job has been accepted it is run, even if the
  /// calling task is cancelled.
  /// - Throws: `BusyError` if the job was refused, or the error of `body`.
  public func run<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await run { Result { try body() } }.get()
  }

  /// Adds `job` to the queue, and returns without waiting for it.
  /// - Returns: `false` if the job was refused and will not be run.
  @discardableResult
  public func submit(_ job: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      guard state.unfinished <= mostWaiting else { return false }
      if state.unfinished == 0 {
        do throws(MediaThread.NoThreadError) {
          _ = try MediaThread(attempting: name, urgency: urgency) { [self] in work() }
        } catch {
          return false
        }
      }
      state.unfinished += 1
      state.waiting.append(job)
      return true
    }
  }

  /// Waits until all jobs that were submitted before this call are done.
  /// - Parameter deadline: on the system clock.
  /// - Returns: `false` if `deadline` passed first, or if so many jobs wait that no further one is accepted.
  public func finish(by deadline: MediaTime) -> Bool {
    let isDone = Signal()
    guard unfinished > 0, submit({ isDone.signal() }) else { return unfinished == 0 }
    return isDone.wait(until: deadline)
  }

  /// The body of the thread: runs the waiting jobs until none is left.
  private func work() {
    var hasMore = true
    while hasMore {
      let job = state.withLock { $0.waiting.removeFirst() }
      job()
      hasMore = state.withLock { state in
        state.unfinished -= 1
        return state.unfinished > 0
      }
    }
  }
}
