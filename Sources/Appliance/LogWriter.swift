// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc
internal import Synchronization

/// Writes lines to a descriptor, on a thread of its own: a reader that is slow, or a disk, never delays the thread that
/// logs. Lines that find no room are lost, and counted in a line at their place. Lives as long as the program.
final class LogWriter: Sendable {
  /// Bytes of the lines that may wait.
  static let mostWaiting = 64 * 1_024

  private struct Waiting {
    var lines: [[UInt8]] = []
    var byteCount = 0
    /// Messages lost after these lines. Once there are any, all are, until the thread has taken the lines.
    var lost = 0
    var flushes: [Signal] = []

    var isEmpty: Bool { lines.isEmpty && lost == 0 && flushes.isEmpty }
  }

  private let descriptor: Int32
  private let lossLine: @Sendable (Int) -> [UInt8]
  private let waiting = Mutex(Waiting())
  private let filled = Signal()
  private let worker = Worker(name: "log", urgency: .ordinary)

  /// - Parameter lossLine: the line that tells how many messages were lost.
  init(descriptor: Int32, lossLine: @escaping @Sendable (Int) -> [UInt8]) {
    self.descriptor = descriptor
    self.lossLine = lossLine
  }

  /// Never waits for the descriptor.
  func add(_ line: [UInt8]) {
    worker.start { [self] in run() }
    change { waiting in
      guard waiting.lost == 0, waiting.byteCount + line.count <= LogWriter.mostWaiting else {
        waiting.lost += 1
        return
      }
      waiting.lines.append(line)
      waiting.byteCount += line.count
    }
  }

  /// Waits until all lines up to now are written or lost.
  /// - Returns: `false` when `deadline` passed first.
  @discardableResult func flush(by deadline: MediaTime) -> Bool {
    worker.start { [self] in run() }
    let done = Signal()
    change { $0.flushes.append(done) }
    return done.wait(until: deadline)
  }

  private func change(_ body: (inout Waiting) -> Void) {
    let wasEmpty = waiting.withLock { waiting in
      defer { body(&waiting) }
      return waiting.isEmpty
    }
    if wasEmpty { filled.signal() }
  }

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

  /// Writes a line with one system call where the kernel takes it whole, so that lines never mix with those of other
  /// programs.
  /// - Returns: `false` when it cannot be written, as on a full disk.
  private func write(_ line: [UInt8]) -> Bool {
    var rest = line[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        // Another program that shares it has made it non-blocking.
        var output = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&output, 1, -1)
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }
}
