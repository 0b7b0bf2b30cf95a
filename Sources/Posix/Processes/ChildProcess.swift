// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CPosix
internal import Glibc

/// A program that runs as a process of its own, without a shell, with /dev/null as input and outputs.
public enum ChildProcess {
  /// How a program has ended.
  public enum Ending: Equatable, Sendable {
    /// With an exit status; 0 means success.
    case exited(Int32)
    /// By a signal.
    case killed(Int32)
    /// It still ran at the deadline, and was killed with all of its process group.
    case late
  }

  /// Time between two looks at whether the program has ended, in microseconds.
  private static let pauseMicroseconds: UInt32 = 100_000

  /// Runs a program, and waits for its end.
  /// - Parameters:
  ///   - path: of the program's file.
  ///   - arguments: the arguments after the name of the program.
  ///   - isLate: whether the program has run for too long. It is asked ten times a second.
  /// - Throws: the error of posix_spawn(3).
  public static func run(
    _ path: String, _ arguments: [String], until isLate: () -> Bool
  ) throws(SystemError) -> Ending {
    var pid = pid_t()
    let status = unsafe withArgumentList([path] + arguments) { list in
      unsafe onair_spawn(path, list, &pid)
    }
    guard status == 0 else { throw SystemError(status) }
    var state: Int32 = 0
    while try retrying({ unsafe waitpid(pid, &state, WNOHANG) }) == 0 {
      if isLate() {
        kill(-pid, SIGKILL)
        try retrying { unsafe waitpid(pid, &state, 0) }
        return .late
      }
      usleep(pauseMicroseconds)
    }
    // The macros of wait(2): the low seven bits are the signal, the next byte is the exit status.
    let signal = state & 0x7f
    return signal == 0 ? .exited(state >> 8 & 0xff) : .killed(signal)
  }
}
