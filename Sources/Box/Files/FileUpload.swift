// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Posix
internal import Synchronization

/// Why an upload fails, whatever is uploaded.
protocol UploadError: Error {
  /// Another upload is under way.
  static var busy: Self { get }
  static var tooLong: Self { get }
  static func notSaved(_ error: SystemError) -> Self
}

/// Lets one upload at a time have a file's name.
final class UploadTurn: Sendable {
  private let taken = Mutex(false)

  var isTaken: Bool { taken.withLock { $0 } }

  /// - Parameter make: makes an upload, which gives the turn back when it is gone.
  func begin<Upload, Failure: UploadError>(
    _ make: () throws(Failure) -> Upload
  ) throws(Failure) -> Upload {
    let isFree = taken.withLock { isTaken in
      defer { isTaken = true }
      return !isTaken
    }
    guard isFree else { throw .busy }
    do throws(Failure) {
      return try make()
    } catch {
      giveBack()
      throw error
    }
  }

  fileprivate func giveBack() { taken.withLock { $0 = false } }
}

/// A file that a client sends. It has a name of its own until it is whole, and is removed if it never is.
final class FileUpload<Failure: UploadError>: Sendable {
  private let file: NewFile
  private let limit: Int
  private let tooLong: Failure
  private let turn: UploadTurn
  private let count = Mutex(0)
  private let hasEnded = Mutex(false)
  /// Bytes after which they are flushed: a card must not have a whole film to write at the end.
  private static var flushed: Int { 8 << 20 }

  /// Path of the unfinished file; `keep` renames it.
  var path: String { file.path }

  /// - Parameters:
  ///   - path: a name that nothing else uses.
  ///   - limit: the most bytes it may have.
  ///   - tooLong: is thrown for more.
  ///   - turn: is given back once the name can be used again.
  init(
    _ path: String, limit: Int, tooLong: Failure = .tooLong, turn: UploadTurn
  ) throws(Failure) {
    do throws(SystemError) { file = try NewFile(path) } catch { throw .notSaved(error) }
    (self.limit, self.tooLong, self.turn) = (limit, tooLong, turn)
  }

  deinit { end() }

  /// Removes the file, unless it was kept. Nothing can be written after it.
  func end() {
    let isFirst = hasEnded.withLock { hasEnded in
      defer { hasEnded = true }
      return !hasEnded
    }
    guard isFirst else { return }
    file.end()
    turn.giveBack()
  }

  /// After an error the file is removed, so that the next one can come before the client knows of the error.
  func write(_ bytes: [UInt8]) throws(Failure) {
    do throws(Failure) {
      try append(bytes)
    } catch {
      end()
      throw error
    }
  }

  private func append(_ bytes: [UInt8]) throws(Failure) {
    let total = count.withLock { count in
      count += bytes.count
      return count
    }
    guard total <= limit else { throw tooLong }
    try saving { () throws(SystemError) in
      try file.append(bytes)
      if total / Self.flushed > (total - bytes.count) / Self.flushed { try file.flush() }
    }
  }

  /// Flushes it, and gives it its final name in the same folder: a power cut leaves the whole file there, or none. It ends.
  func keep(as name: String) throws(Failure) {
    try saving { () throws(SystemError) in
      defer { end() }
      try file.keep(as: name)
    }
  }

  private func saving(_ body: () throws(SystemError) -> Void) throws(Failure) {
    do throws(SystemError) {
      // The descriptor of one that has ended may be another file's by now.
      guard !hasEnded.withLock({ $0 }) else { throw SystemError(EBADF) }
      try body()
    } catch {
      throw .notSaved(error)
    }
  }
}
