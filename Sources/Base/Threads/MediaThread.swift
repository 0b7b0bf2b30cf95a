// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CPosix
internal import Glibc

/// A named thread.
public final class MediaThread: @unchecked Sendable {
  /// A thread's scheduling. Where the kernel refuses SCHED_FIFO (no CAP_SYS_NICE, no rtprio limit), the thread runs
  /// under the ordinary scheduler.
  public enum Urgency: Sendable {
    /// SCHED_BATCH at nice 19: for work that must not cost a frame, however long it takes. A batch thread that wakes
    /// never interrupts another one (sched(7)).
    case background
    /// The ordinary scheduler at nice 10: for requests. It gets a tenth of the processor time of an ordinary thread where
    /// both want it.
    case request
    /// The ordinary scheduler: for everything that can wait.
    case ordinary
    /// The ordinary scheduler, but on fast processors only: for encoders and decoders, whose work is long.
    case encoding
    /// SCHED_FIFO: for sending, which is short work that must not wait.
    case sending
    /// SCHED_FIFO, before sending: for devices, whose buffers overrun when they are not emptied in time.
    case device

    /// The priority of `device`.
    public static let devicePriority: Int32 = 20
    /// Of linux/sched.h, which Swift does not import.
    private static let batch: Int32 = 3
    /// SCHED_RESET_ON_FORK: threads that libraries start from this one use the ordinary scheduler.
    private static let resetOnFork: Int32 = 0x4000_0000

    /// Applies it to the calling thread.
    public func apply() {
      switch self {
      case .background:
        setPolicy(Urgency.batch)
        setNice(19)
      case .request:
        setNice(max(10, Urgency.usualNice))
      case .ordinary:
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

    /// The nice value that the program was started with, which its first thread keeps.
    private static var usualNice: Int32 {
      getpriority(__priority_which_t(PRIO_PROCESS.rawValue), UInt32(getpid()))
    }

    /// Linux keeps a nice value for each thread (setpriority(2), "C library/kernel differences"). A thread begins with
    /// that of the thread which starts it: one that answers requests, perhaps, and has a high one.
    private func setNice(_ nice: Int32) {
      _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, nice)
    }
  }

  private final class Start {
    let name: String
    let urgency: Urgency
    let body: @Sendable () -> Void
    init(name: String, urgency: Urgency, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.urgency = urgency
      self.body = body
    }
  }

  private var thread = pthread_t()
  private let finished = Signal()

  /// Starts `body` on a new thread. Ends the process if the system has no thread left.
  /// - Parameter name: at most 15 bytes, as `top -H` shows it.
  public convenience init(name: String, urgency: Urgency, body: @escaping @Sendable () -> Void) {
    do throws(NoThreadError) {
      try self.init(attempting: name, urgency: urgency, body: body)
    } catch {
      preconditionFailure("cannot start a thread: error \(error.code)")
    }
  }

  /// The thread could not be created; the code is errno, as pthread_create(3) returns it.
  public struct NoThreadError: Error {
    public let code: Int32
  }

  /// Starts `body` on a new thread, for callers that can do without it.
  public init(
    attempting name: String, urgency: Urgency, body: @escaping @Sendable () -> Void
  ) throws(NoThreadError) {
    let finished = self.finished
    let start = Start(name: name, urgency: urgency) {
      body()
      finished.signal()
    }
    let context = unsafe Unmanaged.passRetained(start).toOpaque()
    let status = unsafe pthread_create(
      &thread, nil,
      { context in
        guard let context = unsafe context else { return nil }
        let start = unsafe Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
        unsafe pthread_setname_np(pthread_self(), start.name)
        start.urgency.apply()
        start.body()
        return nil
      }, context)
    guard status == 0 else {
      unsafe Unmanaged<Start>.fromOpaque(context).release()
      throw NoThreadError(code: status)
    }
    pthread_detach(thread)
  }

  /// Waits for the thread's end. May be called again.
  /// - Returns: `false` when `deadline` passed first. The thread then keeps running.
  public func join(until deadline: MediaTime) -> Bool {
    guard finished.wait(until: deadline) else { return false }
    finished.signal()
    return true
  }
}
