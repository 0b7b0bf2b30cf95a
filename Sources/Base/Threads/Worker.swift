// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// A named thread that can be woken, asked to end, and waited for.
///
/// The owner passes the thread's body to `start`. The body blocks in `wait` (or in a queue of its own, which the
/// owner then has to interrupt) and returns once `isStopping` is set.
public final class Worker: Sendable {
  /// Measures the deadlines of `wait` and `sleep`.
  public let clock: MediaClock
  /// Readable after `wake`, for a body that calls poll(2) itself.
  public let waker = Waker()
  /// Beats with each `wait`. A body that waits otherwise tells it by itself.
  public let heartbeat = Heartbeat()
  private let name: String
  private let urgency: MediaThread.Urgency
  private let stopping = Atomic(false)
  private let abandoned = Atomic(false)
  private let thread = Mutex<MediaThread?>(nil)

  /// - Parameter name: at most 15 bytes, as `top -H` shows it.
  public init(
    name: String, urgency: MediaThread.Urgency = .ordinary, clock: MediaClock = .system
  ) {
    self.name = name
    self.urgency = urgency
    self.clock = clock
  }

  /// Runs `body` on the thread. Does nothing if the worker was started or stopped before.
  public func start(_ body: @escaping @Sendable () -> Void) {
    thread.withLock { thread in
      guard thread == nil, !isStopping else { return }
      thread = MediaThread(name: name, urgency: urgency, body: beating(body))
    }
  }

  /// Like `start`, for work that the program can do without.
  public func tryStart(
    _ body: @escaping @Sendable () -> Void
  ) throws(MediaThread.NoThreadError) {
    try thread.withLock { thread throws(MediaThread.NoThreadError) in
      guard thread == nil, !isStopping else { return }
      thread = try MediaThread(attempting: name, urgency: urgency, body: beating(body))
    }
  }

  /// A thread that has ended does not hang.
  private func beating(_ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    { [self] in
      heartbeat.beat(clock.now)
      body()
      heartbeat.rest(until: .distantFuture)
    }
  }

  /// Set by `stop` and `requestStop`.
  public var isStopping: Bool { stopping.load(ordering: .acquiring) }

  /// Set when the body did not end in time. Nobody may get anything from it any more.
  public var isAbandoned: Bool { abandoned.load(ordering: .acquiring) }

  /// Makes the body's `wait` return: the call that is waiting, or else the next one.
  public func wake() { waker.wake() }

  /// Waits until `descriptor` is ready, somebody calls `wake`, the worker is asked to stop, or `deadline` passes.
  /// - Parameters:
  ///   - descriptor: -1 for none.
  ///   - other: a second waker that ends the wait.
  /// - Returns: the descriptor's events.
  @discardableResult
  public func wait(
    until deadline: MediaTime, for descriptor: Int32 = -1, events: PollEvents = .readable,
    or other: Waker? = nil
  ) -> PollEvents {
    resting(until: deadline) {
      waker.wait(for: descriptor, events: events, or: other, until: deadline, on: clock)
    }
  }

  /// Waits as above, but until one of `descriptors` is readable. Allocates: not for the media path.
  public func wait(until deadline: MediaTime, forAnyOf descriptors: [Int32]) {
    resting(until: deadline) {
      (events: (), woken: waker.wait(forAnyOf: descriptors, until: deadline, on: clock))
    }
  }

  private func resting<Events>(
    until deadline: MediaTime, _ wait: () -> (events: Events, woken: Bool)
  ) -> Events {
    heartbeat.rest(until: max(deadline, clock.now))
    let (events, isWoken) = wait()
    heartbeat.beat(clock.now)
    // Once the worker is stopping, the waker stays readable so that no later wait blocks.
    if isWoken, !isStopping { waker.clear() }
    // A stop between the two lines above must not be lost.
    if isStopping { waker.wake() }
    return events
  }

  /// Sleeps until `deadline`, or until the worker is asked to stop.
  /// - Returns: `false` when the worker is asked to stop.
  public func sleep(until deadline: MediaTime) -> Bool {
    while !isStopping, clock.now < deadline { wait(until: deadline) }
    return !isStopping
  }

  /// Asks the body to end; does not wait for it.
  public func requestStop() {
    stopping.store(true, ordering: .releasing)
    waker.wake()
  }

  /// Waits for the body's end.
  /// - Parameter deadline: on the system clock, even if the worker has a virtual one.
  /// - Returns: `false` when the thread was still running at `deadline`. It is then abandoned.
  public func join(by deadline: MediaTime) -> Bool {
    // Not under the lock: others may want to stop it as well.
    let thread = thread.withLock { $0 }
    let hasEnded = thread?.join(until: deadline) ?? true
    if !hasEnded, isStopping { abandoned.store(true, ordering: .releasing) }
    return hasEnded
  }

  /// `requestStop` and `join`.
  public func stop(by deadline: MediaTime) -> Bool {
    requestStop()
    return join(by: deadline)
  }
}
