// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CPosix
internal import Glibc
internal import Posix

/// Why a state directory cannot be used.
public enum StateDirectoryError: Error, Equatable {
  /// Another OnAir has locked it.
  case inUse(path: String)
  /// It cannot be created or written, with the system's error message.
  case unusable(path: String, reason: String)
  /// Another user owns it and could replace its files.
  case foreign(path: String, owner: String, user: String)
  /// Its group or everybody may write to it, according to its permission bits.
  case writableByOthers(path: String, mode: UInt32)

  /// EX_TEMPFAIL (75) while another OnAir runs, else EX_CANTCREAT (73) of sysexits.h.
  public var exitCode: Int32 {
    switch self {
    case .inUse: 75
    case .unusable, .foreign, .writableByOthers: 73
    }
  }

  /// For the user: what is wrong, and what to do.
  public var sentence: String {
    switch self {
    case .inUse(let path):
      """
      Another OnAir is running with the state directory \(path). Stop that one, or give this one \
      its own with --set state.directory=DIR.
      """
    case .unusable(let path, let reason):
      """
      The state directory \(path) cannot be used (\(reason)). Make it writable, or name another \
      with --set state.directory=DIR.
      """
    case .foreign(let path, let owner, let user):
      """
      The state directory \(path) belongs to the user \(owner), but OnAir runs as \(user). Hand it over with \
      sudo chown \(user) \(path), or name another with --set state.directory=DIR.
      """
    case .writableByOthers(let path, let mode):
      """
      Other users may write to the state directory \(path) (mode \(String(mode, radix: 8))) and could change \
      what OnAir does. Take that away with chmod 700 \(path), or name another directory with \
      --set state.directory=DIR.
      """
    }
  }
}

/// The directory for files that must survive a restart, locked by one running OnAir.
///
/// The lock (flock(2)) is released by the kernel when the process ends for any reason. Only this user may write to the
/// directory: otherwise another user could place a symbolic link there, and OnAir would write to its target.
public final class StateDirectory: Sendable {
  public let path: String
  private let lock: Int32

  /// Creates the directory (mode 0700) where it is missing, and locks it.
  public init(path: String) throws(StateDirectoryError) {
    self.path = path
    if let reason = StateDirectory.makeDirectory(path) {
      throw .unusable(path: path, reason: "\(reason)")
    }
    // The directory itself is locked: a lock file could be deleted while it is locked.
    lock = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard lock >= 0 else { throw .unusable(path: path, reason: "\(SystemError())") }
    do throws(StateDirectoryError) {
      try StateDirectory.checkAccess(lock, path)
      guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
        let error = SystemError()
        throw error.code == EWOULDBLOCK
          ? .inUse(path: path) : .unusable(path: path, reason: "\(error)")
      }
    } catch {
      close(lock)
      throw error
    }
  }

  deinit { close(lock) }

  /// Checks whether a directory can be used, without creating or locking it.
  /// - Returns: the problem, if there is one. A lock of another OnAir is none.
  public static func problem(at path: String) -> StateDirectoryError? {
    let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder < 0 else {
      defer { close(folder) }
      do throws(StateDirectoryError) {
        try checkAccess(folder, path)
        return nil
      } catch {
        return error
      }
    }
    let reason = SystemError()
    guard reason.code == ENOENT else { return .unusable(path: path, reason: "\(reason)") }
    // It would be created in its nearest existing ancestor.
    var parent = path
    repeat {
      parent = StateDirectory.parent(of: parent)
    } while unsafe access(parent, F_OK) != 0 && parent != "/" && parent != "."
    var status = stat()
    guard unsafe stat(parent, &status) == 0 else {
      return .unusable(path: path, reason: "\(SystemError())")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      return .unusable(path: path, reason: "\(SystemError(ENOTDIR))")
    }
    return unsafe access(parent, W_OK | X_OK) == 0
      ? nil : .unusable(path: path, reason: "\(SystemError())")
  }

  /// "/a" of "/a/b", "." of "b".
  private static func parent(of path: String) -> String {
    var parts = path.split(separator: "/")
    parts.removeLast(min(1, parts.count))
    let joined = parts.joined(separator: "/")
    return path.hasPrefix("/") ? "/\(joined)" : joined.isEmpty ? "." : joined
  }

  private static func checkAccess(
    _ folder: Int32, _ path: String
  ) throws(StateDirectoryError) {
    var status = stat()
    guard unsafe fstat(folder, &status) == 0, unsafe access(path, W_OK | X_OK) == 0 else {
      let reason = SystemError()
      // Name the owner rather than "Permission denied".
      guard reason.code == EACCES, status.st_uid != geteuid() else {
        throw .unusable(path: path, reason: "\(reason)")
      }
      throw foreign(path, status.st_uid)
    }
    let user = geteuid()
    // Root may use the directory of the service's user, whom root has created.
    if status.st_uid != user, user != 0 || status.st_uid != File.userNumber("onair") {
      throw foreign(path, status.st_uid)
    }
    guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
      throw .writableByOthers(path: path, mode: status.st_mode & 0o7777)
    }
  }

  private static func foreign(_ path: String, _ owner: uid_t) -> StateDirectoryError {
    .foreign(path: path, owner: File.userName(owner), user: File.userName(geteuid()))
  }

  /// - Returns: why it could not be created.
  private static func makeDirectory(_ path: String) -> SystemError? {
    var prefix = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      prefix += prefix.isEmpty || prefix == "/" ? String(part) : "/\(part)"
      if unsafe mkdir(prefix, 0o700) != 0, errno != EEXIST {
        // A parent that exists but may not be written to does not matter.
        let reason = SystemError()
        var status = stat()
        guard unsafe stat(prefix, &status) == 0 else { return reason }
      }
    }
    return nil
  }
}
