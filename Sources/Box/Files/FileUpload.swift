// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Posix
internal import Synchronization

/// A file that a client sends. It has a name of its own until it is whole, and is removed if it never is.
final class FileUpload: Sendable {
  enum Fault: Error {
    case tooLong
    case notSaved(SystemError)
  }

  /// Path of the unfinished file; `keep` renames it.
  let path: String
  private let limit: Int
  private let file: Int32
  private let whenGone: @Sendable () -> Void
  private let count = Mutex(0)
  private let hasEnded = Mutex(false)
  /// Bytes after which they are flushed: a card must not have a whole film to write at the end.
  private static let flushed = 8 << 20

  /// - Parameters:
  ///   - path: a name that nothing else uses.
  ///   - limit: the most bytes it may have.
  ///   - whenGone: is called once the name can be used again.
  init(
    _ path: String, limit: Int, whenGone: @escaping @Sendable () -> Void
  ) throws(Fault) {
    _ = unsafe unlink(path)
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw .notSaved(SystemError()) }
    self.path = path
    self.limit = limit
    self.file = file
    self.whenGone = whenGone
  }

  deinit { end() }

  /// Removes the file, unless it was kept. Nothing can be written after it.
  func end() {
    let isFirst = hasEnded.withLock { hasEnded in
      defer { hasEnded = true }
      return !hasEnded
    }
    guard isFirst else { return }
    close(file)
    _ = unsafe unlink(path)
    whenGone()
  }

  /// After an error the file is removed, so that the next one can come before the client knows of the error.
  func write(_ bytes: [UInt8]) throws(Fault) {
    do throws(Fault) {
      try append(bytes)
    } catch {
      end()
      throw error
    }
  }

  /// The descriptor of one that has ended may be another file's by now.
  private func checkOpen() throws(Fault) {
    guard !hasEnded.withLock({ $0 }) else { throw .notSaved(SystemError(EBADF)) }
  }

  private func append(_ bytes: [UInt8]) throws(Fault) {
    try checkOpen()
    let total = count.withLock { count in
      count += bytes.count
      return count
    }
    guard total <= limit else { throw .tooLong }
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = unsafe rest.withUnsafeBytes {
        unsafe Glibc.write(file, $0.baseAddress, $0.count)
      }
      guard written > 0 else { throw .notSaved(SystemError()) }
      rest = rest.dropFirst(written)
    }
    if total / Self.flushed > (total - bytes.count) / Self.flushed, fdatasync(file) != 0 {
      throw .notSaved(SystemError())
    }
  }

  /// Flushes it, and gives it its final name in the same folder: a power cut leaves the whole file there, or none. It ends.
  func keep(as name: String) throws(Fault) {
    try checkOpen()
    defer { end() }
    let folder = String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex))
    guard fsync(file) == 0, unsafe rename(path, "\(folder)/\(name)") == 0 else {
      throw .notSaved(SystemError())
    }
    let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}
