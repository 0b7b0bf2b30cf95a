// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// A named thread that can be woken, asked to end, and waited for.
///
/// The owner passes the thread's body to `start`. The body blocks in `wait` and returns once `isStopping` is set. If
/// the body blocks elsewhere, as in a queue, the owner has to interrupt that wait itself.
public final class Worker: Sendable {
  /// The clock on which the deadlines of `wait` and `sleep` are measured.
  public let clock: MediaClock
  /// The eventfd that becomes readable after `wake` or `requestStop`. A body that calls poll(2) itself must also poll
  /// the descriptor of this waker.
  public let waker = Waker()
  /// Shows whether the thread still runs. `wait` updates the heartbeat; a body that waits in another way has to update
  /// it itself.
  public let heartbeat = Heartbeat()
  /// The thread's name in `top -H`, at most 15 bytes.
  private let name: String
  /// The scheduling policy and priority of the thread.
  private let urgency: MediaThread.Urgency
  /// Whether the worker was asked to stop.
  private let stopping = Atomic(false)
  /// Whether the thread was asked to stop and still ran at the deadline of `join`.
  private let abandoned = Atomic(false)
  /// The thread; `nil` until `start` or `tryStart` has started it.
  private let thread = Mutex<MediaThread?>(nil)

  /// - Parameter name: the thread's name in `top -H`, at most 15 bytes.
  public init(
    name: String, urgency: MediaThread.Urgency = .ordinary, clock: MediaClock = .system
  ) {
    self.name = name
    self.urgency = urgency
    self.clock = clock
  }

  /// Starts the thread, which runs `body`. Does nothing if the worker was started or stopped before. Ends the process
  /// if the system cannot create a thread.
  public func start(_ body: @escaping @Sendable () -> Void) {
    thread.withLock { thread in
      guard thread == nil, !isStopping else { return }
      thread = MediaThread(name: name, urgency: urgency, body: withHeartbeat(body))
    }
  }

  /// Starts the thread like `start`, but throws an error if the system cannot create one. For work that the program can
  /// do without.
  public func tryStart(
    _ body: @escaping @Sendable () -> Void
  ) throws(MediaThread.NoThreadError) {
    try thread.withLock { thread throws(MediaThread.NoThreadError) in
      guard thread == nil, !isStopping else { return }
      thread = try MediaThread(attempting: name, urgency: urgency, body: withHeartbeat(body))
    }
  }

  /// Wraps `body` so that the heartbeat beats before `body` runs, and rests for ever after `body` has returned: a
  /// finished thread does not count as hanging.
  private func withHeartbeat(_ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    { [self] in
      heartbeat.beat(clock.now)
      body()
      heartbeat.rest(until: .distantFuture)
    }
  }

  /// Whether the worker was asked to stop, by `stop` or `requestStop`.
  public var isStopping: Bool { stopping.load(ordering: .acquiring) }

  /// Whether the body was asked to stop and was still running at the deadline of `join`. Code on an abandoned thread
  /// must not deliver anything any more.
  public var isAbandoned: Bool { abandoned.load(ordering: .acquiring) }

  /// Makes the body's `wait` return: the call that is waiting, or else the next one.
  public func wake() { waker.wake() }

  /// Waits until `descriptor` is ready, `wake` is called, the worker is asked to stop, or `deadline` passes.
  /// - Parameters:
  ///   - descriptor: a file descriptor for poll(2); -1 for none.
  ///   - other: a second waker that ends the wait.
  /// - Returns: the events of `descriptor`; empty if it is not ready.
  @discardableResult
  public func wait(
    until deadline: MediaTime, for descriptor: Int32 = -1, events: PollEvents = .readable,
    or other: Waker? = nil
  ) -> PollEvents {
    resting(until: deadline) {
      waker.wait(for: descriptor, events: events, or: other, until: deadline, on: clock)
    }
  }

  /// Waits until one of `descriptors` is readable, `wake` is called, the worker is asked to stop, or `deadline` passes.
  /// Allocates memory, so it is not for threads that process media.
  public func wait(until deadline: MediaTime, forAnyOf descriptors: [Int32]) {
    resting(until: deadline) {
      (events: (), woken: waker.wait(forAnyOf: descriptors, until: deadline, on: clock))
    }
  }

  /// Runs `wait` with the heartbeat at rest. Clears the waker if the waker has ended the wait.
  private func resting<Events>(
    until deadline: MediaTime, _ wait: () -> (events: Events, woken: Bool)
  ) -> Events {
    heartbeat.rest(until: max(deadline, clock.now))
    let (events, isWoken) = wait()
    heartbeat.beat(clock.now)
    // Once the worker is stopping, the waker stays readable so that no later wait blocks.
    if isWoken, !isStopping { waker.clear() }
    // If `requestStop` was called just before `clear`, its wake-up has been cleared and is repeated here.
    if isStopping { waker.wake() }
    return events
  }

  /// Sleeps until `deadline`, or until the worker is asked to stop.
  /// - Returns: `false` if the worker was asked to stop.
  public func sleep(until deadline: MediaTime) -> Bool {
    while !isStopping, clock.now < deadline { wait(until: deadline) }
    return !isStopping
  }

  /// Asks the body to end, and returns without waiting for its end.
  public func requestStop() {
    stopping.store(true, ordering: .releasing)
    waker.wake()
  }

  /// Waits until the body has ended, or `deadline` has passed.
  /// - Parameter deadline: on the system clock, even if the worker has a virtual one.
  /// - Returns: `false` if the thread was still running at `deadline`. If it had been asked to stop, it is abandoned
  ///   then.
  public func join(by deadline: MediaTime) -> Bool {
    // The lock is not held while waiting, so that other threads can call `join`, too.
    let thread = thread.withLock { $0 }
    let hasEnded = thread?.join(until: deadline) ?? true
    if !hasEnded, isStopping { abandoned.store(true, ordering: .releasing) }
    return hasEnded
  }

  /// Asks the body to end, and waits until it has ended or `deadline` has passed.
  /// - Parameter deadline: on the system clock, even if the worker has a virtual one.
  /// - Returns: `false` if the thread was still running at `deadline`. It is abandoned then.
  public func stop(by deadline: MediaTime) -> Bool {
    requestStop()
    return join(by: deadline)
  }
}
