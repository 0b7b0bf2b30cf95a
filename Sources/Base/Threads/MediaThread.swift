// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CPosix
internal import Glibc

/// A POSIX thread with a name and a scheduling policy.
public final class MediaThread: @unchecked Sendable {
  /// The scheduling policy and priority of a thread. If the kernel refuses SCHED_FIFO (no CAP_SYS_NICE, no rtprio
  /// limit), the thread runs under the ordinary scheduler.
  public enum Urgency: Sendable {
    /// SCHED_BATCH at nice 19: for work that may take long and must never delay a frame. A batch thread that wakes up
    /// does not preempt a running thread (sched(7)).
    case background
    /// The ordinary scheduler at nice 10: for HTTP requests, and for encoding beside the broadcast. While an ordinary thread competes for the same processor,
    /// this one gets about a tenth of the other's processor time.
    case request
    /// The ordinary scheduler at the program's usual nice value: for work that can wait.
    case ordinary
    /// The ordinary scheduler, but on fast processors only: for encoders and decoders, which need much processor time.
    case encoding
    /// SCHED_FIFO at priority 10: for threads that send to servers. Their work is short and must not wait.
    case sending
    /// SCHED_FIFO at `devicePriority`, above `sending`: for threads that read capture devices, whose buffers overrun if
    /// they are not emptied in time.
    case device

    /// The SCHED_FIFO priority of `device` threads.
    public static let devicePriority: Int32 = 20
    /// SCHED_BATCH of linux/sched.h, which Swift does not import.
    private static let batch: Int32 = 3
    /// SCHED_RESET_ON_FORK: threads that a library starts from a thread with this flag use the ordinary scheduler.
    private static let resetOnFork: Int32 = 0x4000_0000

    /// Applies this policy to the calling thread.
    public func apply() {
      switch self {
      case .background:
        setPolicy(Urgency.batch)
        setNice(19)
      // A thread that is started by a batch thread would be one, too.
      case .request:
        setPolicy(SCHED_OTHER)
        setNice(max(10, Urgency.usualNice))
      case .ordinary:
        setPolicy(SCHED_OTHER)
        setNice(Urgency.usualNice)
      case .encoding:
        setPolicy(SCHED_OTHER | Urgency.resetOnFork)
        setNice(Urgency.usualNice)
        Processors.avoidSlow()
      case .sending:
        setPolicy(SCHED_FIFO | Urgency.resetOnFork, priority: 10)
      case .device:
        setPolicy(SCHED_FIFO | Urgency.resetOnFork, priority: Urgency.devicePriority)
      }
    }

    private func setPolicy(_ policy: Int32, priority: Int32 = 0) {
      var parameters = sched_param()
      parameters.sched_priority = priority
      unsafe pthread_setschedparam(pthread_self(), policy, &parameters)
    }

    /// The nice value that the program was started with. The first thread keeps it for the life of the process.
    private static var usualNice: Int32 {
      getpriority(__priority_which_t(PRIO_PROCESS.rawValue), UInt32(getpid()))
    }

    /// Sets the nice value of the calling thread: on Linux each thread has one of its own (setpriority(2), "C
    /// library/kernel differences"). A new thread inherits the nice value of the thread that starts it, which may be
    /// the high one of a thread for requests, so each thread sets its own.
    private func setNice(_ nice: Int32) {
      _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, nice)
    }
  }

  /// The name, the urgency and the body of a new thread, which pthread_create(3) passes to that thread.
  private final class StartArguments {
    let name: String
    let urgency: Urgency
    let body: @Sendable () -> Void
    init(name: String, urgency: Urgency, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.urgency = urgency
      self.body = body
    }
  }

  /// The ID of the POSIX thread.
  private var thread = pthread_t()
  /// Signalled when the body of the thread has returned.
  private let finished = Signal()

  /// Starts a new thread that runs `body`. Ends the process if the system cannot create a thread.
  /// - Parameter name: the thread's name in `top -H`, at most 15 bytes.
  public convenience init(name: String, urgency: Urgency, body: @escaping @Sendable () -> Void) {
    do throws(NoThreadError) {
      try self.init(attempting: name, urgency: urgency, body: body)
    } catch {
      preconditionFailure("cannot start a thread: error \(error.code)")
    }
  }

  /// The error when the system cannot create a thread. `code` is the error number that pthread_create(3) returned.
  public struct NoThreadError: Error {
    public let code: Int32
  }

  /// Starts a new thread that runs `body`, and throws if the system cannot create one. For callers that can do without
  /// the thread.
  public init(
    attempting name: String, urgency: Urgency, body: @escaping @Sendable () -> Void
  ) throws(NoThreadError) {
    let finished = self.finished
    let start = StartArguments(name: name, urgency: urgency) {
      body()
      finished.signal()
    }
    let context = unsafe Unmanaged.passRetained(start).toOpaque()
    let status = unsafe pthread_create(
      &thread, nil,
      { context in
        guard let context = unsafe context else { return nil }
        let start = unsafe Unmanaged<StartArguments>.fromOpaque(context).takeRetainedValue()
        unsafe pthread_setname_np(pthread_self(), start.name)
        start.urgency.apply()
        start.body()
        return nil
      }, context)
    guard status == 0 else {
      unsafe Unmanaged<StartArguments>.fromOpaque(context).release()
      throw NoThreadError(code: status)
    }
    pthread_detach(thread)
  }

  /// Waits until the thread has ended. May be called several times, also from several threads.
  /// - Parameter deadline: on the system clock.
  /// - Returns: `false` if `deadline` passed first. The thread keeps running then.
  public func join(until deadline: MediaTime) -> Bool {
    guard finished.wait(until: deadline) else { return false }
    finished.signal()
    return true
  }
}
