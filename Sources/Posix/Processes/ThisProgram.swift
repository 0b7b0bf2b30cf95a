// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// Actions on the running program itself.
public enum ThisProgram {
  /// Starts the program again in the same process, with the same arguments and environment (execve(2)). All threads
  /// end; file descriptors without O_CLOEXEC stay open. Does not return if it succeeds.
  /// - Returns: the error of the failed execve(2).
  public static func reexecute() -> SystemError {
    // Try the path of the file before the link: the kernel names the process after the last part of the path, which is
    // "exe" for the link.
    let link = "/proc/self/exe"
    var target = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe readlink(link, &target, target.count)
    if count > 0, count < target.count {
      let path = String(decoding: target.prefix(count), as: UTF8.self)
      _ = unsafe execv(path, CommandLine.unsafeArgv)
    }
    // If an upgrade has removed or replaced the file, the link still leads to the file of the running program.
    _ = unsafe execv(link, CommandLine.unsafeArgv)
    return SystemError()
  }
}
