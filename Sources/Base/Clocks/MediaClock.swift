// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Synchronization

/// The clock from which a component reads the present time, and on which it waits.
///
/// `.system` is CLOCK_MONOTONIC. A test passes the clock of a `VirtualClock` instead and advances it itself, so that it
/// can check exact durations and orders without waiting for them.
public struct MediaClock: Sendable {
  /// The system's monotonic clock: CLOCK_MONOTONIC.
  public static let system = MediaClock(virtual: nil)

  /// The clock that replaces the system's in a test; `nil` for the system's clock.
  private let virtual: VirtualClock?

  init(virtual: VirtualClock?) { self.virtual = virtual }

  /// The present instant on this clock.
  public var now: MediaTime { virtual?.now ?? .now() }

  /// The time for which the machine has been suspended since it was started, in nanoseconds: CLOCK_BOOTTIME minus
  /// CLOCK_MONOTONIC, which stands still during a suspend. 0 on a virtual clock.
  public var suspendedNanos: Int64 {
    guard virtual == nil else { return 0 }
    var time = timespec()
    unsafe clock_gettime(CLOCK_BOOTTIME, &time)
    return MediaTime(seconds: time.tv_sec, nanoseconds: time.tv_nsec) - now
  }

  /// Blocks the calling thread until `deadline` on this clock.
  public func sleep(until deadline: MediaTime) {
    while now < deadline {
      var time = wakeTime(for: deadline).timespecValue
      _ = unsafe clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil)
    }
  }

  /// The CLOCK_MONOTONIC time at which a blocking system call has to return so that its caller can check whether
  /// `deadline` has passed. On a virtual clock that is one millisecond from now: the kernel does not know the virtual
  /// time, so the caller has to check it again and again.
  public func wakeTime(for deadline: MediaTime) -> MediaTime {
    guard let virtual else { return deadline }
    virtual.noteWait(until: deadline)
    return .now() + .milliseconds(1)
  }

  /// The timeout to pass to poll(2) for a wait until `deadline`, in milliseconds. It is rounded up, so that `deadline`
  /// has passed when poll times out. On a virtual clock it is one millisecond.
  public func pollTimeout(until deadline: MediaTime) -> Int32 {
    Int32(clamping: max(0, (wakeTime(for: deadline) - MediaTime.now() + 999_999) / 1_000_000))
  }
}

/// A clock for tests, which stands still until a test advances it.
public final class VirtualClock: Sendable {
  /// The present time of the clock, as `MediaTime.nanos`.
  private let nanos: Atomic<Int64>
  /// The deadline of the latest wait, by any thread, as `MediaTime.nanos`.
  private let latestDeadline = Atomic(MediaTime.distantPast.nanos)
  /// The deadline of the latest wait of each thread.
  private let deadlines = Mutex<[pthread_t: MediaTime]>([:])

  /// - Parameter start: the first time of the clock. The default is late enough that a test can subtract hours from it.
  public init(start: MediaTime = MediaTime(nanos: .seconds(1_000_000))) {
    nanos = Atomic(start.nanos)
  }

  /// The clock to pass to a component under test.
  public var clock: MediaClock { MediaClock(virtual: self) }

  /// The present time, which only `advance` changes.
  public var now: MediaTime { MediaTime(nanos: nanos.load(ordering: .sequentiallyConsistent)) }

  /// The deadline of the latest wait on this clock, by any thread.
  ///
  /// If only one thread uses the clock, and waits for deadlines only, then a deadline after `now` means that the thread
  /// has finished all work that was due until `now`.
  public var awaitedDeadline: MediaTime {
    MediaTime(nanos: latestDeadline.load(ordering: .sequentiallyConsistent))
  }

  /// The number of threads whose latest wait was for a deadline after `now`. A thread that something else has woken
  /// still counts until its next wait.
  public var waitingThreads: Int {
    let now = now
    return deadlines.withLock { $0.values.count { $0 > now } }
  }

  /// Notes that the calling thread waits until `deadline`.
  func noteWait(until deadline: MediaTime) {
    deadlines.withLock { $0[pthread_self()] = deadline }
    latestDeadline.store(deadline.nanos, ordering: .sequentiallyConsistent)
  }

  /// Moves the clock forward by a number of nanoseconds.
  public func advance(by nanos: Int64) {
    self.nanos.wrappingAdd(nanos, ordering: .sequentiallyConsistent)
  }
}
