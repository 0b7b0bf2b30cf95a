// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// Why a folder could not be locked.
public enum LockedFolderError: Error, Hashable, Sendable {
  /// Another process has locked the folder.
  case inUse
  /// A system call failed.
  case system(SystemError)
  /// Another user owns the folder. `owner` is the number of that user.
  case foreign(owner: UInt32)
  /// The folder's group or all users may write to the folder. `mode` is its permission bits.
  case writableByOthers(mode: UInt32)
  /// The folder is not what it usually is: /etc/fstab mounts a file system on it or above it, which is not mounted. The
  /// value is the folder on which that file system is to be mounted.
  case notMounted(String)
}

/// A folder in which only this user can write, locked for this process until the object is released. The kernel also
/// releases the lock (flock(2)) when the process ends for any reason.
public final class LockedFolder: Sendable {
  private let lock: Int32

  /// Locks a folder. Creates it and its missing parents first, with mode 0700.
  /// - Parameter user: the name of a user whose folder this process may use, too, if it runs as root.
  public init(
    _ path: String, rootMayUseThatOf user: String, mounts: MountTable = .system
  ) throws(LockedFolderError) {
    if let mount = mounts.missingMount(above: path) { throw .notMounted(mount) }
    do throws(SystemError) {
      try Self.make(path)
      // The folder itself is locked, not a lock file in it, which could be deleted while it is locked.
      lock = try retrying { unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    } catch {
      throw .system(error)
    }
    // From here on `deinit` closes it, also when an error is thrown.
    try Self.check(lock, path, user)
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      let error = SystemError()
      throw error.code == EWOULDBLOCK ? .inUse : .system(error)
    }
  }

  deinit { close(lock) }

  /// Checks whether `init` could lock a folder, without creating or locking it. Whether another process has locked it
  /// is not checked.
  /// - Parameter user: the name of a user whose folder this process may use, too, if it runs as root.
  /// - Returns: the problem; `nil` if there is none.
  public static func problem(at path: String, rootMayUseThatOf user: String) -> LockedFolderError? {
    if let mount = MountTable.system.missingMount(above: path) { return .notMounted(mount) }
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
    // The folder would be created in its nearest existing ancestor.
    var parent = path
    repeat {
      parent = Self.parent(of: parent)
    } while unsafe access(parent, F_OK) != 0 && parent != "/" && parent != "."
    var status = stat()
    guard unsafe stat(parent, &status) == 0 else { return .system(SystemError()) }
    guard status.st_mode & S_IFMT == S_IFDIR else { return .system(SystemError(ENOTDIR)) }
    return unsafe access(parent, W_OK | X_OK) == 0 ? nil : .system(SystemError())
  }

  /// The parent folder of a path: "/a" for "/a/b", "." for "b".
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
        // A parent folder in which this user may not write is no problem if it exists.
        let reason = SystemError()
        var status = stat()
        guard unsafe stat(prefix, &status) == 0 else { throw reason }
      }
    }
  }
}
