// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CGuest
internal import CProcess
internal import Glibc
internal import Posix

/// One run of the reader of a guest: its process, and what OnAir shares with it. Used by one thread at a time. The
/// process is a child of this one, or the service manager has started it. In either case the kernel ends it when OnAir
/// ends.
final class GuestSession: @unchecked Sendable {
  /// How long a reader may take to return by itself, in nanoseconds: it says goodbye to a server meanwhile.
  static let graceNanos = Int64.milliseconds(500)

  /// The reader as a child process.
  private struct Child {
    let number: pid_t
    /// A descriptor that becomes readable when the process has ended; -1 if the kernel gives none.
    let descriptor: Int32
  }

  let memory: GuestMemory
  let broker: GuestBroker
  /// An epoll descriptor that is readable when the reader has written a frame, has sent a message or has ended.
  let watch: Int32
  /// `nil` for a reader that the service manager has started.
  private let child: Child?
  /// What has started the reader; `nil` for a child.
  private let service: GuestService?
  /// The eventfd by which the reader tells of frames.
  private let event: Int32
  /// The end of a pipe. When it is closed, the kernel kills the reader.
  private let lifeline: Int32
  /// Whether `end` has been called.
  private var hasEnded = false

  /// Starts the process.
  /// - Parameters:
  ///   - memory: what the reader finds at its start.
  ///   - endpoints: where the reader may connect to.
  ///   - socket: the socket of a guest who sends. The reader gets a copy.
  init(
    _ memory: GuestMemory, endpoints: [Endpoint], socket: Int32? = nil, tools: GuestTools
  ) throws(GuestStartError) {
    self.memory = memory
    var pipe: [Int32] = [-1, -1]
    guard unsafe onair_process_lifeline(&pipe) == 0 else { throw .system(SystemError()) }
    lifeline = pipe[1]
    defer { close(pipe[0]) }
    event = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
    watch = event < 0 ? -1 : onair_watch(event)
    do throws(GuestStartError) {
      guard watch >= 0 else { throw .system(SystemError()) }
      let given = [memory.file, event, pipe[0]] + (socket.map { [$0] } ?? [])
      if let service = tools.usedService, let control = service.call(given) {
        broker = GuestBroker(control: control, endpoints: endpoints)
        (child, self.service) = (nil, service)
      } else {
        service = nil
        let (control, number) = try tools.spawn(given)
        broker = GuestBroker(control: control, endpoints: endpoints)
        child = Child(number: number, descriptor: onair_process_descriptor(number))
      }
    } catch {
      for descriptor in [lifeline, event, watch] where descriptor >= 0 { close(descriptor) }
      throw error
    }
    if let child { onair_watch_also(watch, child.descriptor, ONAIR_WATCH_END) }
    onair_watch_also(watch, broker.control, ONAIR_WATCH_MESSAGE)
  }

  deinit {
    _ = end(by: .distantPast, on: .system)
    for descriptor in [broker.control, event, watch, child?.descriptor ?? -1]
    where descriptor >= 0 {
      close(descriptor)
    }
  }

  /// Consumes the signs that have come since the last call. The process has ended if `ONAIR_WATCH_END` is among them.
  func takeSigns() -> Int32 { onair_watch_wait(watch, 0) }

  /// Asks the reader to return, kills it if it still runs at a deadline, and reaps a child.
  /// - Returns: the exit code of a child, or the number of the signal that has ended it, negated; `nil` if only the
  ///   service manager knows, or this was called before.
  func end(by deadline: MediaTime, on clock: MediaClock) -> Int32? {
    guard !hasEnded else { return nil }
    hasEnded = true
    memory.requestStop()
    // Of a socket whose other end is closed, poll(2) tells without being asked.
    var waiting =
      child.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
      ?? pollfd(fd: broker.control, events: 0, revents: 0)
    while waiting.fd >= 0, clock.now < deadline {
      if unsafe poll(&waiting, 1, clock.pollTimeout(until: deadline)) > 0 { break }
    }
    close(lifeline)
    service?.note(hasBegun: memory.beat != 0)
    return child.map { onair_process_end($0.number, $0.descriptor) }
  }
}
