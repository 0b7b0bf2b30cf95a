// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CPosix
internal import Glibc

/// A named thread for one device, encoder or destination.
public final class MediaThread: @unchecked Sendable {
  /// How the kernel is asked to treat a thread. Where it refuses (no CAP_SYS_NICE, no rtprio limit),
  /// the thread runs as any other.
  public enum Urgency: Int32, Sendable {
    /// The ordinary scheduler: encoders, whose work is long, and everything that can wait.
    case ordinary = 0
    /// SCHED_FIFO for short work that must not wait: sending.
    case sending = 10
    /// SCHED_FIFO for a device whose buffers overrun when nobody empties them.
    case device = 20
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

  /// Starts `body` on a thread of its own.
  /// - Parameter name: at most 15 bytes, as `top -H` shows it.
  public convenience init(name: String, urgency: Urgency, body: @escaping @Sendable () -> Void) {
    do throws(NoThread) {
      try self.init(attempting: name, urgency: urgency, body: body)
    } catch {
      preconditionFailure("cannot start a thread: error \(error.code)")
    }
  }

  /// The system has no thread to give; errno, as pthread_create(3) returns it.
  public struct NoThread: Error {
    public let code: Int32
  }

  /// The same for who can do without.
  public init(
    attempting name: String, urgency: Urgency, body: @escaping @Sendable () -> Void
  ) throws(NoThread) {
    let finished = self.finished
    let start = Start(name: name, urgency: urgency) {
      body()
      finished.give()
    }
    let context = unsafe Unmanaged.passRetained(start).toOpaque()
    let status = unsafe pthread_create(
      &thread, nil,
      { context in
        guard let context = unsafe context else { return nil }
        let start = unsafe Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
        unsafe pthread_setname_np(pthread_self(), start.name)
        if start.urgency != .ordinary {
          var parameters = sched_param()
          parameters.sched_priority = start.urgency.rawValue
          // SCHED_RESET_ON_FORK: threads that libraries start from here stay ordinary.
          unsafe pthread_setschedparam(
            pthread_self(), SCHED_FIFO | Int32(0x4000_0000), &parameters)
        }
        start.body()
        return nil
      }, context)
    guard status == 0 else {
      unsafe Unmanaged<Start>.fromOpaque(context).release()
      throw NoThread(code: status)
    }
    pthread_detach(thread)
  }

  /// Waits for the thread's end; once it has come, any later call returns at once.
  /// - Returns: `false` when `deadline` passed first. The thread then goes on.
  public func join(until deadline: MediaTime) -> Bool {
    guard finished.wait(until: deadline) else { return false }
    finished.give()
    return true
  }
}
