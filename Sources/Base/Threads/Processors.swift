// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CPosix
internal import Glibc

/// The processors of this machine.
public enum Processors {
  /// How many of them this process may use (sched_getaffinity(2)): cpusets and taskset can leave it fewer than there are.
  public static var available: Int {
    var set = onair_processor_set()
    return max(1, Int(unsafe onair_processors(getpid(), &set)))
  }

  /// How many of them the calling thread may use.
  public static var availableToThread: Int {
    var set = onair_processor_set()
    return max(1, Int(unsafe onair_processors(0, &set)))
  }

  /// Nanoseconds of processor time that all threads of this process have used (CLOCK_PROCESS_CPUTIME_ID).
  public static var usedNanos: Int64 {
    nanos(of: CLOCK_PROCESS_CPUTIME_ID)
  }

  /// The same of this thread alone (CLOCK_THREAD_CPUTIME_ID).
  public static var usedByThreadNanos: Int64 { nanos(of: CLOCK_THREAD_CPUTIME_ID) }

  /// What the processors of the machine are, to tell whether a program runs on others than before: their number, and what
  /// /proc/cpuinfo calls their kinds.
  public static var description: String {
    let names = ["model name", "CPU part", "CPU implementer", "Model", "Hardware"]
    var kinds: Set<String> = []
    if let file = unsafe fopen("/proc/cpuinfo", "re") {
      defer { unsafe fclose(file) }
      var line = [CChar](repeating: 0, count: 1_024)
      while unsafe fgets(&line, Int32(line.count), file) != nil {
        let text = String(
          decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        if names.contains(where: text.hasPrefix), let value = text.split(separator: ":").last {
          kinds.insert(value.split(whereSeparator: \.isWhitespace).joined(separator: " "))
        }
      }
    }
    return "\(sysconf(Int32(_SC_NPROCESSORS_CONF))) × \(kinds.sorted().joined(separator: ", "))"
  }

  private static func nanos(of clock: clockid_t) -> Int64 {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
