// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Synchronization

/// Where a component reads the time that its decisions depend on.
///
/// `.system` is CLOCK_MONOTONIC. A test passes the clock of a `VirtualClock` instead and moves it by hand, so
/// that it can assert exact durations and orders without waiting for them.
public struct MediaClock: Sendable {
  /// CLOCK_MONOTONIC.
  public static let system = MediaClock(virtual: nil)

  private let virtual: VirtualClock?

  init(virtual: VirtualClock?) { self.virtual = virtual }

  /// The present instant.
  public var now: MediaTime { virtual?.now ?? .now() }

  /// Nanoseconds for which the machine has been suspended since it started. CLOCK_MONOTONIC stands still meanwhile.
  public var suspendedNanos: Int64 {
    guard virtual == nil else { return 0 }
    var time = timespec()
    unsafe clock_gettime(CLOCK_BOOTTIME, &time)
    return MediaTime(seconds: time.tv_sec, nanoseconds: time.tv_nsec) - now
  }

  /// Sleeps until `deadline`.
  public func sleep(until deadline: MediaTime) {
    while now < deadline {
      var time = wakeTime(for: deadline).timespecValue
      _ = unsafe clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil)
    }
  }

  /// When a blocking system call that waits for `deadline` has to return. On a virtual clock that is soon: the
  /// kernel does not know of that clock, so the caller checks it every millisecond.
  public func wakeTime(for deadline: MediaTime) -> MediaTime {
    guard let virtual else { return deadline }
    virtual.noteWait(until: deadline)
    return .now() + .milliseconds(1)
  }

  /// The timeout for poll(2) of a wait until `deadline`: milliseconds, rounded up, so that the deadline has passed
  /// when poll times out.
  public func pollTimeout(until deadline: MediaTime) -> Int32 {
    Int32(clamping: max(0, (wakeTime(for: deadline) - MediaTime.now() + 999_999) / 1_000_000))
  }
}

/// A clock that stands still until a test moves it.
public final class VirtualClock: Sendable {
  private let nanos: Atomic<Int64>
  private let awaited = Atomic(MediaTime.distantPast.nanos)
  /// The deadline of each thread's latest wait.
  private let deadlines = Mutex<[pthread_t: MediaTime]>([:])

  /// - Parameter start: late enough that a test can subtract hours from it.
  public init(start: MediaTime = MediaTime(nanos: .seconds(1_000_000))) {
    nanos = Atomic(start.nanos)
  }

  /// The clock to hand to a component.
  public var clock: MediaClock { MediaClock(virtual: self) }

  public var now: MediaTime { MediaTime(nanos: nanos.load(ordering: .sequentiallyConsistent)) }

  /// The deadline of the latest wait on this clock.
  ///
  /// If one thread waits on the clock, for nothing but deadlines, then a deadline after `now` means that this thread
  /// has done all its work until `now`.
  public var awaitedDeadline: MediaTime {
    MediaTime(nanos: awaited.load(ordering: .sequentiallyConsistent))
  }

  /// How many threads wait for a deadline after `now`. A thread that has been woken by something else still counts until
  /// it waits again.
  public var waitingThreads: Int {
    let now = now
    return deadlines.withLock { $0.values.count { $0 > now } }
  }

  func noteWait(until deadline: MediaTime) {
    deadlines.withLock { $0[pthread_self()] = deadline }
    awaited.store(deadline.nanos, ordering: .sequentiallyConsistent)
  }

  /// Moves the clock forward.
  public func advance(by nanos: Int64) {
    self.nanos.wrappingAdd(nanos, ordering: .sequentiallyConsistent)
  }
}
