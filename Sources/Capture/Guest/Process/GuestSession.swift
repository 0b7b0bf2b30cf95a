// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CGuest
internal import CProcess
internal import Glibc
internal import Posix

/// One run of the reader of a guest: its process, and what OnAir shares with it. Used by one thread at a time. The kernel
/// ends the process when the thread ends that has started it (PR_SET_PDEATHSIG).
final class GuestSession: @unchecked Sendable {
  /// How long a reader may take to return by itself, in nanoseconds: it says goodbye to a server meanwhile.
  static let graceNanos = Int64.milliseconds(500)

  let memory: GuestMemory
  let broker: GuestBroker
  /// An epoll descriptor that is readable when the reader has written a frame, has sent a message or has ended.
  let watch: Int32
  /// The number of the process.
  let number: pid_t
  /// A descriptor that becomes readable when the process has ended; -1 if the kernel gives none.
  private let process: Int32
  /// The eventfd by which the reader tells of frames.
  private let event: Int32
  /// Whether the process has been reaped.
  private var hasEnded = false

  /// Starts the process.
  /// - Parameters:
  ///   - memory: what the reader finds at its start.
  ///   - endpoints: where the reader may connect to.
  ///   - socket: the socket of a guest who sends. The reader gets a copy.
  init(
    _ memory: GuestMemory, endpoints: [Endpoint], socket: Int32? = nil, tools: GuestTools
  ) throws(SystemError) {
    self.memory = memory
    var ends: [Int32] = [-1, -1]
    guard unsafe onair_guest_control(&ends) == 0 else { throw SystemError() }
    let event = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
    let watch = event < 0 ? -1 : onair_watch(event)
    var number: pid_t = 0
    var status = watch < 0 ? errno : 0
    if status == 0 {
      if !tools.hasLandlock { onair_hide_memory() }
      status = unsafe withArgumentList(tools.arguments + ["\(getpid())"]) { list in
        let given = [ends[1], memory.file, event] + (socket.map { [$0] } ?? [])
        return unsafe onair_process_spawn(
          tools.program, list, given, given.count, tools.keepsErrors ? 1 : 0, &number)
      }
    }
    close(ends[1])
    guard status == 0 else {
      for descriptor in [ends[0], event, watch] where descriptor >= 0 { close(descriptor) }
      throw SystemError(status)
    }
    broker = GuestBroker(control: ends[0], endpoints: endpoints)
    (self.event, self.watch, self.number) = (event, watch, number)
    process = onair_process_descriptor(number)
    onair_watch_also(watch, process, ONAIR_WATCH_END)
    onair_watch_also(watch, ends[0], ONAIR_WATCH_MESSAGE)
  }

  deinit {
    _ = end(by: .distantPast, on: .system)
    for descriptor in [broker.control, event, watch, process] where descriptor >= 0 {
      close(descriptor)
    }
  }

  /// Consumes the signs that have come since the last call. The process has ended if `ONAIR_WATCH_END` is among them.
  func takeSigns() -> Int32 { onair_watch_wait(watch, 0) }

  /// Asks the reader to return, kills it if it still runs at a deadline, and reaps it.
  /// - Returns: the exit code, or the number of the signal that has ended the process, negated; 0 if this was called
  ///   before.
  func end(by deadline: MediaTime, on clock: MediaClock) -> Int32 {
    guard !hasEnded else { return 0 }
    hasEnded = true
    memory.requestStop()
    while process >= 0, clock.now < deadline {
      var waiting = pollfd(fd: process, events: Int16(POLLIN), revents: 0)
      if unsafe poll(&waiting, 1, clock.pollTimeout(until: deadline)) > 0 { break }
    }
    return onair_process_end(number, process)
  }
}
