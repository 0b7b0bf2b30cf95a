// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// Runs jobs one after the other on a thread that exists only while there are any.
public final class JobThread: Sendable {
  /// Too many jobs wait, or the system has no thread left.
  public struct BusyError: Error {
    public init() {}
  }

  private struct State {
    /// The one that runs included.
    var unfinished = 0
    var waiting: [@Sendable () -> Void] = []
  }

  private let name: String
  private let urgency: MediaThread.Urgency
  private let mostWaiting: Int
  private let state = Mutex(State())

  /// - Parameters:
  ///   - name: at most 15 bytes, as `top -H` shows it.
  ///   - mostWaiting: jobs beside the one that runs.
  public init(name: String, urgency: MediaThread.Urgency, mostWaiting: Int) {
    self.name = name
    self.urgency = urgency
    self.mostWaiting = mostWaiting
  }

  /// Jobs that run or wait.
  public var unfinished: Int { state.withLock { $0.unfinished } }

  /// Runs `body` on the thread. A job that has been taken is done, even if its task is cancelled.
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

  /// Runs `body` on the thread.
  /// - Throws: `BusyError`, and what `body` throws.
  public func run<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await run { Result { try body() } }.get()
  }

  /// Runs `job` on the thread, and does not wait for it.
  /// - Returns: `false` if it will not be run.
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

  /// Waits for the jobs that were submitted until now.
  /// - Returns: `false` when `deadline` passed first.
  public func finish(by deadline: MediaTime) -> Bool {
    let isDone = Signal()
    guard unfinished > 0, submit({ isDone.signal() }) else { return unfinished == 0 }
    return isDone.wait(until: deadline)
  }

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
