// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CPosix
internal import Glibc
internal import Posix

/// The reading end of a named pipe (fifo(7)), or standard input. Used by one thread.
///
/// A named pipe is opened without waiting for a writer, and for reading alone, so that poll(2) tells at once when the
/// last writer has left: what a new writer sends then begins with a whole frame. The end stays open until the next
/// writer comes, so no writer gets SIGPIPE.
@safe final class PipeEnd {
  /// How often an end without a writer is looked at, in nanoseconds: poll(2) would return at once.
  private static let lookNanos: Int64 = .milliseconds(20)

  let descriptor: Int32
  /// The path of the named pipe; `nil` for standard input.
  private let path: String?
  private let stamp: PipeStamp
  /// Whether a writer has sent something, and has not left since. Always `true` for standard input.
  private(set) var hasWriter: Bool

  /// Opens a named pipe.
  /// - Parameter bytes: the size of its buffer. A writer that is faster than the reader waits while the buffer is full.
  init(path: String, bytes: Int) throws(PipeTrouble) {
    // Before it is opened: to open a device may have an effect.
    _ = try PipeStamp(path: path)
    let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw .of(errno, path) }
    do throws(PipeTrouble) {
      stamp = try PipeStamp(descriptor: descriptor, path: path)
    } catch {
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
    self.path = path
    hasWriter = false
    setBuffer(bytes: bytes)
  }

  /// - Parameter standardInput: the file descriptor to read from; it is not closed.
  init(standardInput: Int32, bytes: Int) {
    descriptor = standardInput
    path = nil
    stamp = PipeStamp()
    hasWriter = true
    setBuffer(bytes: bytes)
  }

  deinit {
    if path != nil { close(descriptor) }
  }

  /// Asks the kernel for a buffer of this size, which it rounds up to a power of two of pages. A refusal does no harm.
  private func setBuffer(bytes: Int) {
    _ = fcntl(descriptor, 1031 /* F_SETPIPE_SZ, fcntl(2) */, Int32(clamping: bytes))
  }

  /// Whether another pipe, or nothing, has the path of this one now: what is written there does not come here.
  var isReplaced: Bool {
    guard let path else { return false }
    return (try? PipeStamp(path: path)) != stamp
  }

  /// The bytes that have been written and not been read.
  var waitingBytes: Int {
    var count: Int32 = 0
    return unsafe ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
  }

  /// Waits until `read` has something to tell, the worker is asked to stop, or `deadline` passes.
  /// - Returns: `false` if there is nothing to read.
  func wait(until deadline: MediaTime, _ worker: Worker) -> Bool {
    while true {
      let events = worker.wait(until: deadline, for: descriptor)
      if worker.isStopping { return false }
      if !events.isDisjoint(with: .readable) { return true }
      if !events.isDisjoint(with: .failed) {
        if hasWriter { return true }
        _ = worker.sleep(until: min(deadline, worker.clock.now + PipeEnd.lookNanos))
      }
      if worker.clock.now >= deadline { return false }
    }
  }

  enum Reading: Equatable {
    /// This many bytes were read, at least 1.
    case bytes(Int)
    /// Nothing has come.
    case none
    /// The last writer has left.
    case left
    case failed(errno: Int32)
  }

  /// Reads up to `count` bytes. To be called after `wait` has returned `true`.
  @unsafe func read(into target: UnsafeMutableRawPointer?, count: Int) -> Reading {
    note(unsafe Glibc.read(descriptor, target, count))
  }

  /// Moves up to `count` bytes to another descriptor without copying them. It fails with EINVAL if standard input is no
  /// pipe (splice(2)).
  func discard(count: Int, to other: Int32) -> Reading {
    note(splice(descriptor, nil, other, nil, count, 0))
  }

  private func note(_ count: Int) -> Reading {
    switch count {
    case 1...:
      hasWriter = true
      return .bytes(count)
    case 0:
      let hadWriter = hasWriter
      hasWriter = path == nil
      return hadWriter ? .left : .none
    default:
      let error = errno
      return error == EAGAIN || error == EINTR ? .none : .failed(errno: error)
    }
  }
}

/// Identifies a named pipe, whatever its path.
private struct PipeStamp: Equatable {
  private var device: UInt64 = 0
  private var number: UInt64 = 0

  init() {}

  init(path: String) throws(PipeTrouble) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { throw .of(errno, path) }
    try self.init(status, path)
  }

  init(descriptor: Int32, path: String) throws(PipeTrouble) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw .of(errno, path) }
    try self.init(status, path)
  }

  private init(_ status: stat, _ path: String) throws(PipeTrouble) {
    guard status.st_mode & S_IFMT == S_IFIFO else { throw .notAPipe(path: path) }
    device = UInt64(status.st_dev)
    number = UInt64(status.st_ino)
  }
}

extension PipeTrouble {
  fileprivate static func of(_ errno: Int32, _ path: String) -> PipeTrouble {
    switch errno {
    case ENOENT, ENOTDIR: .missing(path: path)
    case EACCES, EPERM: .forbidden(path: path)
    default: .failed(path: path, errno: errno)
    }
  }
}
