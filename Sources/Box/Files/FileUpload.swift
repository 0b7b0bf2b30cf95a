// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Posix
internal import Synchronization

/// The errors that all kinds of uploads have in common.
protocol UploadError: Error {
  /// Another upload is under way.
  static var busy: Self { get }
  /// The upload has more bytes than are allowed.
  static var tooLong: Self { get }
  /// A file cannot be written to the disk, or removed from it.
  static func notSaved(_ error: SystemError) -> Self
}

/// Allows one upload at a time, so that two uploads never write to the same file.
final class UploadSlot: Sendable {
  /// Whether an upload is under way.
  private let isUnderWay = Mutex(false)

  /// Whether an upload is under way.
  var isTaken: Bool { isUnderWay.withLock { $0 } }

  /// Begins an upload, or throws `.busy` while another one is under way.
  /// - Parameter make: creates the upload, which releases the slot when it ends.
  func beginUpload<Upload, Failure: UploadError>(
    _ make: () throws(Failure) -> Upload
  ) throws(Failure) -> Upload {
    let isFree = isUnderWay.withLock { isTaken in
      defer { isTaken = true }
      return !isTaken
    }
    guard isFree else { throw .busy }
    do throws(Failure) {
      return try make()
    } catch {
      release()
      throw error
    }
  }

  /// Frees the slot for the next upload.
  fileprivate func release() { isUnderWay.withLock { $0 = false } }
}

/// A file that a client uploads. The file has a temporary name until it is complete, and is removed if the upload
/// fails.
final class FileUpload<Failure: UploadError>: Sendable {
  /// The unfinished file, under its temporary name.
  private let file: NewFile
  /// The most bytes that the file may have.
  private let limit: Int
  /// The error that is thrown when the file has more bytes than `limit`.
  private let tooLong: Failure
  /// The slot of this upload, which `end` releases.
  private let slot: UploadSlot
  /// The number of bytes that the client has sent so far.
  private let receivedBytes = Mutex(0)
  /// Whether the upload has ended, so that later writes fail.
  private let hasEnded = Mutex(false)
  /// The file is flushed to the disk each time that this many further bytes have been written. Otherwise the flush at
  /// the end of a large upload would take minutes on a slow SD card.
  private static var flushBytes: Int { 8 << 20 }

  /// The path of the unfinished file; `keep` renames it.
  var path: String { file.path }

  /// - Parameters:
  ///   - path: a temporary path that nothing else uses.
  ///   - limit: the most bytes that the file may have.
  ///   - tooLong: the error that is thrown when the file has more bytes than `limit`.
  ///   - slot: the slot of this upload, which is released when the upload ends and its path is free again.
  init(
    _ path: String, limit: Int, tooLong: Failure = .tooLong, slot: UploadSlot
  ) throws(Failure) {
    do throws(SystemError) { file = try NewFile(path) } catch { throw .notSaved(error) }
    (self.limit, self.tooLong, self.slot) = (limit, tooLong, slot)
  }

  deinit { end() }

  /// Ends the upload: removes the file unless it was kept, and releases the slot. Later writes fail.
  func end() {
    let isFirst = hasEnded.withLock { hasEnded in
      defer { hasEnded = true }
      return !hasEnded
    }
    guard isFirst else { return }
    file.end()
    slot.release()
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

  /// Appends bytes to the file, and flushes the file after each `flushBytes`.
  private func append(_ bytes: [UInt8]) throws(Failure) {
    let total = receivedBytes.withLock { count in
      count += bytes.count
      return count
    }
    guard total <= limit else { throw tooLong }
    try saving { () throws(SystemError) in
      try file.append(bytes)
      if total / Self.flushBytes > (total - bytes.count) / Self.flushBytes { try file.flush() }
    }
  }

  /// Flushes the file, gives it its final name in the same folder, and ends the upload. A file of that name is always
  /// complete, even after a power cut.
  func keep(as name: String) throws(Failure) {
    try saving { () throws(SystemError) in
      defer { end() }
      try file.keep(as: name)
    }
  }

  /// Calls `body` and throws an error of the disk as `.notSaved`. Throws `.notSaved` if the upload has ended, too.
  private func saving(_ body: () throws(SystemError) -> Void) throws(Failure) {
    do throws(SystemError) {
      // After `end` the file's descriptor is closed, and its number may already belong to another file.
      guard !hasEnded.withLock({ $0 }) else { throw SystemError(EBADF) }
      try body()
    } catch {
      throw .notSaved(error)
    }
  }
}
