// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Posix
internal import Synchronization

/// The errors that all kinds of uploads have in common.
protocol UploadError: Error {
  /// Another upload is under way.
  static var busy: Self { get }
  static var tooLong: Self { get }
  static func notSaved(_ error: SystemError) -> Self
}

/// Allows one upload at a time, so that no two write to the same file name.
final class UploadTurn: Sendable {
  private let taken = Mutex(false)

  var isTaken: Bool { taken.withLock { $0 } }

  /// Begins an upload, or throws `.busy` while another one is under way.
  /// - Parameter make: makes the upload, which gives the turn back when it ends.
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

/// A file that a client uploads. It has a temporary name until it is complete, and is removed if it never is.
final class FileUpload<Failure: UploadError>: Sendable {
  private let file: NewFile
  private let limit: Int
  private let tooLong: Failure
  private let turn: UploadTurn
  private let count = Mutex(0)
  private let hasEnded = Mutex(false)
  /// Bytes from one flush to the next: an SD card must not have to write a long film at the end.
  private static var flushBytes: Int { 8 << 20 }

  /// The path of the unfinished file; `keep` renames it.
  var path: String { file.path }

  /// - Parameters:
  ///   - path: a temporary path that nothing else uses.
  ///   - limit: the most bytes that the file may have.
  ///   - tooLong: the error that is thrown when the file has more bytes than `limit`.
  ///   - turn: is given back when the upload ends and its path is free again.
  init(
    _ path: String, limit: Int, tooLong: Failure = .tooLong, turn: UploadTurn
  ) throws(Failure) {
    do throws(SystemError) { file = try NewFile(path) } catch { throw .notSaved(error) }
    (self.limit, self.tooLong, self.turn) = (limit, tooLong, turn)
  }

  deinit { end() }

  /// Ends the upload: removes the file unless it was kept, and gives the turn back. Nothing can be written after that.
  func end() {
    let isFirst = hasEnded.withLock { hasEnded in
      defer { hasEnded = true }
      return !hasEnded
    }
    guard isFirst else { return }
    file.end()
    turn.giveBack()
  }

  /// Appends bytes. On an error the file is removed at once, so that the next upload can begin before the client knows
  /// of the error.
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
      if total / Self.flushBytes > (total - bytes.count) / Self.flushBytes { try file.flush() }
    }
  }

  /// Flushes the file, gives it its final name in the same folder, and ends the upload. After a power cut a complete
  /// file has that name, or none.
  func keep(as name: String) throws(Failure) {
    try saving { () throws(SystemError) in
      defer { end() }
      try file.keep(as: name)
    }
  }

  private func saving(_ body: () throws(SystemError) -> Void) throws(Failure) {
    do throws(SystemError) {
      // After the end the descriptor is closed, and may be another file's by now.
      guard !hasEnded.withLock({ $0 }) else { throw SystemError(EBADF) }
      try body()
    } catch {
      throw .notSaved(error)
    }
  }
}
