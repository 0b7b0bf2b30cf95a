// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CPosix
internal import Glibc

/// Properties of this machine's processors, and the processor time that this process and its threads have used.
public enum Processors {
  /// The number of processors that this process may use (sched_getaffinity(2)). A cpuset or taskset can make it smaller
  /// than the number of processors in the machine.
  public static var available: Int {
    var set = onair_processor_set()
    return max(1, Int(unsafe onair_processors(getpid(), &set)))
  }

  /// The number of processors that the calling thread may use (sched_getaffinity(2)).
  public static var availableToThread: Int {
    var set = onair_processor_set()
    return max(1, Int(unsafe onair_processors(0, &set)))
  }

  /// The processor time that all threads of this process have used, in nanoseconds (CLOCK_PROCESS_CPUTIME_ID).
  public static var usedNanos: Int64 {
    nanos(of: CLOCK_PROCESS_CPUTIME_ID)
  }

  /// The processor time that the calling thread has used, in nanoseconds (CLOCK_THREAD_CPUTIME_ID).
  public static var usedByThreadNanos: Int64 { nanos(of: CLOCK_THREAD_CPUTIME_ID) }

  /// The number and the models of the machine's processors (from /proc/cpuinfo), as text. It is stored with
  /// measurements, which are invalid when the program later runs on other hardware.
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

  /// The present time of a clock in nanoseconds (clock_gettime(2)).
  private static func nanos(of clock: clockid_t) -> Int64 {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
