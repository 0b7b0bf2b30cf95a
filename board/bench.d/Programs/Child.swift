// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc

/// A running program that is measured.
struct Child {
  struct FailedError: Error, CustomStringConvertible {
    var description: String
  }

  /// Whether this user may set SCHED_RR (sched(7)). The programs then run ahead of all other work, as on an idle
  /// machine.
  static let hasRealtimePriority: Bool = {
    var (before, wanted) = (sched_param(), sched_param(sched_priority: 1))
    guard unsafe sched_setscheduler(0, SCHED_RR, &wanted) == 0 else { return false }
    unsafe sched_setscheduler(0, SCHED_OTHER, &before)
    return true
  }()

  let pid: pid_t
  let startedAt: MediaTime
  /// The write end of its standard input.
  let input: Int32

  /// - Parameters:
  ///   - command: the program, which is searched in PATH, and its arguments.
  ///   - environment: NAME=VALUE, in addition to the environment of this process.
  ///   - log: the file for its output.
  ///   - isMeasured: runs ahead of all other work where that is possible.
  init(
    _ command: [String], environment: [String] = [], log: String, isMeasured: Bool = true
  ) throws {
    var ends: [Int32] = [0, 0]
    guard unsafe pipe(&ends) == 0 else { throw FailedError(description: "no pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    input = ends[1]
    // The same pipe size for all programs: the maximum for an unprivileged process.
    _ = fcntl(input, 1031 /* F_SETPIPE_SZ, fcntl(2) */, 1 << 20)

    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
    unsafe posix_spawn_file_actions_addopen(
      &actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_APPEND, 0o644)
    unsafe posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    // This process ignores SIGPIPE, which child processes would inherit.
    var restored = sigset_t()
    unsafe sigemptyset(&restored)
    unsafe sigaddset(&restored, SIGPIPE)
    unsafe posix_spawnattr_setsigdefault(&attributes, &restored)
    var flags = POSIX_SPAWN_SETSIGDEF
    if isMeasured, Child.hasRealtimePriority {
      var parameters = sched_param(sched_priority: 1)
      unsafe posix_spawnattr_setschedpolicy(&attributes, SCHED_RR)
      unsafe posix_spawnattr_setschedparam(&attributes, &parameters)
      flags |= POSIX_SPAWN_SETSCHEDULER
    }
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))

    var words: [UnsafeMutablePointer<CChar>?] = unsafe command.map { unsafe strdup($0) } + [nil]
    let settings: [UnsafeMutablePointer<CChar>?] = unsafe environment.map { unsafe strdup($0) }
    defer { unsafe (words + settings).forEach { unsafe free($0) } }
    var variables = unsafe settings
    var own = unsafe environ
    while let variable = unsafe own.pointee {
      unsafe variables.append(variable)
      unsafe own += 1
    }
    unsafe variables.append(nil)
    startedAt = .now()
    var pid = pid_t()
    let status = unsafe posix_spawnp(
      &pid, command[0], &actions, &attributes, &words, &variables)
    close(ends[0])
    guard status == 0 else {
      close(input)
      let cause = unsafe String(cString: strerror(status))
      throw FailedError(description: "\(command[0]) does not start: \(cause)")
    }
    self.pid = pid
  }

  /// CPU time of all its threads, including ended ones.
  var processorNanos: Int64 {
    var clock = clockid_t()
    var time = timespec()
    guard unsafe clock_getcpuclockid(pid, &clock) == 0, unsafe clock_gettime(clock, &time) == 0
    else { return 0 }
    return MediaTime(seconds: time.tv_sec, nanoseconds: time.tv_nsec).nanos
  }

  /// Peak memory in kB (VmHWM, proc(5)). The value of wait4(2) would include the process before exec.
  var peakMemoryKB: Int {
    guard let file = unsafe fopen("/proc/\(pid)/status", "r") else { return 0 }
    defer { unsafe fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while unsafe fgets(&line, 256, file) != nil {
      let text = String(
        decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      guard text.hasPrefix("VmHWM:") else { continue }
      return Int(text.filter(\.isNumber)) ?? 0
    }
    return 0
  }

  var isRunning: Bool {
    var status = unsafe siginfo_t()
    return unsafe waitid(P_PID, id_t(pid), &status, WEXITED | WNOHANG | WNOWAIT) == 0
      && status.si_signo == 0
  }

  /// Sends SIGINT, and SIGKILL after three seconds.
  func end() {
    kill(pid, SIGINT)
    let deadline = MediaTime.now() + .seconds(3)
    while isRunning, MediaTime.now() < deadline { usleep(10_000) }
    kill(pid, SIGKILL)
    var status: Int32 = 0
    unsafe waitpid(pid, &status, 0)
  }
}
