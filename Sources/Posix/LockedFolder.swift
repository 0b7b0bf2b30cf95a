// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// Why a folder is not locked.
public enum LockedFolderError: Error, Hashable, Sendable {
  /// Another process has locked it.
  case inUse
  case system(SystemError)
  /// Another user owns it; the user's number.
  case foreign(owner: UInt32)
  /// Its group or everybody may write to it; its permission bits.
  case writableByOthers(mode: UInt32)
}

/// A folder that only this user can write, and that one process at a time has locked. The kernel releases the lock (flock(2))
/// when the process ends for any reason.
public final class LockedFolder: Sendable {
  private let lock: Int32

  /// Creates the folder (mode 0700) where it is missing, and locks it.
  /// - Parameter user: whose folder root may use, too.
  public init(_ path: String, rootMayUseThatOf user: String) throws(LockedFolderError) {
    do throws(SystemError) {
      try Self.make(path)
      // The folder itself is locked: a lock file could be deleted while it is locked.
      lock = try retrying { unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    } catch {
      throw .system(error)
    }
    do throws(LockedFolderError) {
      try Self.check(lock, path, user)
      guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
        let error = SystemError()
        throw error.code == EWOULDBLOCK ? .inUse : .system(error)
      }
    } catch {
      close(lock)
      throw error
    }
  }

  deinit { close(lock) }

  /// Why a folder could not be used, without creating or locking it. A lock of another process is no reason.
  public static func problem(at path: String, rootMayUseThatOf user: String) -> LockedFolderError? {
    let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder < 0 else {
      defer { close(folder) }
      do throws(LockedFolderError) {
        try check(folder, path, user)
        return nil
      } catch {
        return error
      }
    }
    let reason = SystemError()
    guard reason.code == ENOENT else { return .system(reason) }
    // It would be created in its nearest existing ancestor.
    var parent = path
    repeat {
      parent = Self.parent(of: parent)
    } while unsafe access(parent, F_OK) != 0 && parent != "/" && parent != "."
    var status = stat()
    guard unsafe stat(parent, &status) == 0 else { return .system(SystemError()) }
    guard status.st_mode & S_IFMT == S_IFDIR else { return .system(SystemError(ENOTDIR)) }
    return unsafe access(parent, W_OK | X_OK) == 0 ? nil : .system(SystemError())
  }

  /// "/a" of "/a/b", "." of "b".
  private static func parent(of path: String) -> String {
    var parts = path.split(separator: "/")
    parts.removeLast(min(1, parts.count))
    let joined = parts.joined(separator: "/")
    return path.hasPrefix("/") ? "/\(joined)" : joined.isEmpty ? "." : joined
  }

  private static func check(
    _ folder: Int32, _ path: String, _ user: String
  ) throws(LockedFolderError) {
    var status = stat()
    guard unsafe fstat(folder, &status) == 0, unsafe access(path, W_OK | X_OK) == 0 else {
      let reason = SystemError()
      // Name the owner rather than "Permission denied".
      guard reason.code == EACCES, status.st_uid != geteuid() else { throw .system(reason) }
      throw .foreign(owner: status.st_uid)
    }
    if status.st_uid != geteuid(), geteuid() != 0 || status.st_uid != File.userNumber(user) {
      throw .foreign(owner: status.st_uid)
    }
    guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
      throw .writableByOthers(mode: status.st_mode & 0o7777)
    }
  }

  private static func make(_ path: String) throws(SystemError) {
    var prefix = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      prefix += prefix.isEmpty || prefix == "/" ? String(part) : "/\(part)"
      if unsafe mkdir(prefix, 0o700) != 0, errno != EEXIST {
        // A parent that exists but may not be written to does not matter.
        let reason = SystemError()
        var status = stat()
        guard unsafe stat(prefix, &status) == 0 else { throw reason }
      }
    }
  }
}
