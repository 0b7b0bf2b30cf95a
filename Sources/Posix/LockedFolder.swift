// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// Why a folder could not be locked.
public enum LockedFolderError: Error, Hashable, Sendable {
  /// Another process has locked the folder.
  case inUse
  /// A system call failed.
  case system(SystemError)
  /// Another user owns the folder. `owner` is the user ID (UID) of that user.
  case foreign(owner: UInt32)
  /// The folder's group or all users may write to the folder. `mode` is its permission bits.
  case writableByOthers(mode: UInt32)
  /// A file system that /etc/fstab mounts on the folder or above it is not mounted now, so the folder's usual contents
  /// are missing. The value is the mount point of that file system.
  case notMounted(String)
}

/// A folder in which only this user can write, locked for this process until the object is released. The kernel also
/// releases the lock (flock(2)) when the process ends for any reason.
public final class LockedFolder: Sendable {
  /// The file descriptor of the folder, which holds the lock.
  private let lock: Int32

  /// Locks a folder. Creates it and its missing parents first, with mode 0700.
  /// - Parameter user: the name of a user. A process that runs as root may also use a folder of this user.
  public init(
    _ path: String, rootMayUseFolderOf user: String, mounts: MountTable = .system
  ) throws(LockedFolderError) {
    if let mount = mounts.missingMount(above: path) { throw .notMounted(mount) }
    do throws(SystemError) {
      try Self.make(path)
      // Lock the folder itself: a lock file in the folder could be deleted while it is locked.
      lock = try retrying { unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    } catch {
      throw .system(error)
    }
    // From here on, `deinit` closes the descriptor, even if an error is thrown.
    try Self.check(lock, path, user)
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      let error = SystemError()
      throw error.code == EWOULDBLOCK ? .inUse : .system(error)
    }
  }

  deinit { close(lock) }

  /// Checks whether `init` could lock a folder, without creating or locking the folder. A lock of another process is
  /// not detected.
  /// - Parameter user: the name of a user. A process that runs as root may also use a folder of this user.
  /// - Returns: the problem; `nil` if there is none.
  public static func problem(
    at path: String, rootMayUseFolderOf user: String
  ) -> LockedFolderError? {
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
    // Check the nearest existing parent folder, in which `init` would create the folder.
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

  /// Checks that this process may use the open folder, and that no other user can write to it.
  private static func check(
    _ folder: Int32, _ path: String, _ user: String
  ) throws(LockedFolderError) {
    var status = stat()
    guard unsafe fstat(folder, &status) == 0, unsafe access(path, W_OK | X_OK) == 0 else {
      let reason = SystemError()
      // Report the owner instead of "Permission denied".
      guard reason.code == EACCES, status.st_uid != geteuid() else { throw .system(reason) }
      throw .foreign(owner: status.st_uid)
    }
    if status.st_uid != geteuid(), geteuid() != 0 || status.st_uid != File.userID(named: user) {
      throw .foreign(owner: status.st_uid)
    }
    guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
      throw .writableByOthers(mode: status.st_mode & 0o7777)
    }
  }

  /// Creates a folder and its missing parents, with mode 0700.
  private static func make(_ path: String) throws(SystemError) {
    var prefix = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      prefix += prefix.isEmpty || prefix == "/" ? String(part) : "/\(part)"
      if unsafe mkdir(prefix, 0o700) != 0, errno != EEXIST {
        // Accept a parent folder that exists, even if this user may not write in it.
        let reason = SystemError()
        var status = stat()
        guard unsafe stat(prefix, &status) == 0 else { throw reason }
      }
    }
  }
}
