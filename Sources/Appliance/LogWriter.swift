// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc
internal import Synchronization

/// Writes log lines to a file descriptor on a thread of its own, so that a slow reader or disk never delays the thread
/// that logs. If too many lines wait, further ones are dropped, and a line in their place says how many. Lives as long
/// as the program.
final class LogWriter: Sendable {
  /// Maximum size of all waiting lines together, in bytes.
  static let maxWaitingBytes = 64 * 1_024

  /// The work that waits for the writing thread: lines, the number of dropped messages, and calls of `flush`.
  private struct Waiting {
    var lines: [[UInt8]] = []
    var byteCount = 0
    /// The number of messages dropped after `lines`. Once a message is dropped, all later ones are dropped, too, until
    /// the thread has taken `lines`, so that the loss is reported where it has happened.
    var lost = 0
    /// For each waiting call of `flush`, the signal to send when `lines` are written or dropped.
    var flushes: [Signal] = []

    var isEmpty: Bool { lines.isEmpty && lost == 0 && flushes.isEmpty }
  }

  /// The file descriptor to which the lines are written.
  private let descriptor: Int32
  /// Makes the line that says how many messages were dropped.
  private let lossLine: @Sendable (Int) -> [UInt8]
  /// The work that waits for the writing thread.
  private let waiting = Mutex(Waiting())
  /// Signalled when `waiting` is no longer empty.
  private let filled = Signal()
  /// The writing thread. The first call of `add` or `flush` starts it.
  private let worker = Worker(name: "log", urgency: .ordinary)

  /// - Parameter lossLine: makes the line that says how many messages were dropped.
  init(descriptor: Int32, lossLine: @escaping @Sendable (Int) -> [UInt8]) {
    self.descriptor = descriptor
    self.lossLine = lossLine
  }

  /// Queues a line to be written. Never waits for the descriptor.
  func add(_ line: [UInt8]) {
    worker.start { [self] in run() }
    change { waiting in
      guard waiting.lost == 0, waiting.byteCount + line.count <= LogWriter.maxWaitingBytes else {
        waiting.lost += 1
        return
      }
      waiting.lines.append(line)
      waiting.byteCount += line.count
    }
  }

  /// Waits until all lines that were added before are written or dropped.
  /// - Returns: `false` when `deadline` passed first.
  @discardableResult func flush(by deadline: MediaTime) -> Bool {
    worker.start { [self] in run() }
    let done = Signal()
    change { $0.flushes.append(done) }
    return done.wait(until: deadline)
  }

  /// Changes `waiting`. If nothing waited before, this wakes the writing thread.
  private func change(_ body: (inout Waiting) -> Void) {
    let wasEmpty = waiting.withLock { waiting in
      defer { body(&waiting) }
      return waiting.isEmpty
    }
    if wasEmpty { filled.signal() }
  }

  /// The loop of the writing thread. It never returns.
  private func run() {
    var lost = 0
    while true {
      _ = filled.wait(until: .distantFuture)
      let taken = waiting.withLock { waiting in
        defer { waiting = Waiting() }
        return waiting
      }
      for line in taken.lines where !write(line) { lost += 1 }
      lost += taken.lost
      if lost > 0, write(lossLine(lost)) { lost = 0 }
      for flush in taken.flushes { flush.signal() }
    }
  }

  /// Writes a line, with a single system call if the kernel accepts all of it, so that it is not mixed with lines of
  /// other programs.
  /// - Returns: `false` when the line cannot be written, for example on a full disk.
  private func write(_ line: [UInt8]) -> Bool {
    var rest = line[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        // Another program that shares the descriptor has made it non-blocking: wait until the descriptor can be written
        // to.
        var output = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&output, 1, -1)
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }
}
