// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// The running program.
public enum ThisProgram {
  /// Begins anew in this process, with the same arguments and environment (execve(2)). All threads end; files that are not
  /// marked for it (O_CLOEXEC) stay open.
  /// - Returns: why it cannot.
  public static func beginAnew() -> SystemError {
    _ = unsafe execv("/proc/self/exe", CommandLine.unsafeArgv)
    return SystemError()
  }
}
