// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Posix

/// Why a state directory cannot be used.
public enum StateDirectoryError: Error, Equatable {
  /// Another OnAir has locked the directory.
  case inUse(path: String)
  /// The directory cannot be created or written. The reason is the system's error message.
  case unusable(path: String, reason: String)
  /// Another user owns the directory and could replace its files.
  case foreign(path: String, owner: String, user: String)
  /// The directory's permission bits allow its group or everybody to write to it.
  case writableByOthers(path: String, mode: UInt32)
  /// The file system that /etc/fstab mounts on `mount`, which is the directory or a folder above it, is not mounted.
  case notMounted(path: String, mount: String)

  /// The exit code of the program: EX_TEMPFAIL (75) while another OnAir runs, else EX_CANTCREAT (73) of sysexits.h.
  public var exitCode: Int32 {
    switch self {
    case .inUse: 75
    case .unusable, .foreign, .writableByOthers, .notMounted: 73
    }
  }

  /// A sentence for the user: what is wrong, and what to do.
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
    case .notMounted(let path, let mount):
      """
      The state directory \(path) is not there: /etc/fstab has a file system for \(mount), and it is not mounted. \
      Mount it with sudo mount \(mount), or name another with --set state.directory=DIR.
      """
    }
  }
}

/// The directory for files that must survive a restart, locked by one running OnAir. Only this user may write to it:
/// otherwise another user could place a symbolic link there, and OnAir would write to its target.
public final class StateDirectory: Sendable {
  /// The path of the directory.
  public let path: String
  /// The lock of the directory, which lasts as long as this object.
  private let folder: LockedFolder

  /// Creates the directory (mode 0700) where it is missing, and locks it.
  public init(path: String, mounts: MountTable = .system) throws(StateDirectoryError) {
    self.path = path
    do throws(LockedFolderError) {
      folder = try LockedFolder(path, rootMayUseFolderOf: Self.serviceUser, mounts: mounts)
    } catch {
      throw StateDirectoryError(error, path)
    }
  }

  /// The name of the user that the OnAir service runs as. Root may use the state directory of this user, too.
  private static let serviceUser = "onair"

  /// Checks whether a directory can be used, without creating or locking it.
  /// - Returns: the problem; `nil` if there is none. A directory that another OnAir has locked is no problem.
  public static func problem(at path: String) -> StateDirectoryError? {
    LockedFolder.problem(at: path, rootMayUseFolderOf: serviceUser).map {
      StateDirectoryError($0, path)
    }
  }
}

extension StateDirectoryError {
  fileprivate init(_ error: LockedFolderError, _ path: String) {
    self =
      switch error {
      case .inUse: .inUse(path: path)
      case .system(let error): .unusable(path: path, reason: "\(error)")
      case .foreign(let owner):
        .foreign(path: path, owner: File.userName(owner), user: File.userName(Host.userID))
      case .writableByOthers(let mode): .writableByOthers(path: path, mode: mode)
      case .notMounted(let mount): .notMounted(path: path, mount: mount)
      }
  }
}
