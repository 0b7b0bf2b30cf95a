// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CPosix
internal import Glibc

/// The processors of this machine.
public enum Processors {
  /// How many of them this process may use (sched_getaffinity(2)): cpusets and taskset can leave it fewer than there are.
  public static var available: Int { max(1, Int(onair_processors())) }

  /// Nanoseconds of processor time that all threads of this process have used (CLOCK_PROCESS_CPUTIME_ID).
  public static var usedNanos: Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
