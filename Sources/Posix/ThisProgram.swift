// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// The running program.
public enum ThisProgram {
  /// Begins anew in this process, with the same arguments and environment (execve(2)). All threads end; files that are not
  /// marked for it (O_CLOEXEC) stay open.
  /// - Returns: why it cannot.
  public static func beginAnew() -> SystemError {
    // The kernel calls the process by the last part of the path.
    let link = "/proc/self/exe"
    var target = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe readlink(link, &target, target.count)
    if count > 0, count < target.count {
      let path = String(decoding: target.prefix(count), as: UTF8.self)
      _ = unsafe execv(path, CommandLine.unsafeArgv)
    }
    // An upgrade has removed or replaced the file.
    _ = unsafe execv(link, CommandLine.unsafeArgv)
    return SystemError()
  }
}
