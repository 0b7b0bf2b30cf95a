// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CPosix
internal import Glibc

/// Why a state directory cannot be used.
public enum StateDirectoryError: Error, Equatable {
  /// Another OnAir holds it.
  case inUse(path: String)
  /// It cannot be made or written; the system's reason.
  case unusable(path: String, reason: String)

  /// Of sysexits.h: EX_TEMPFAIL while another runs, else EX_CANTCREAT.
  public var exitCode: Int32 {
    switch self {
    case .inUse: 75
    case .unusable: 73
    }
  }

  /// For a person: what is the matter, and what to do.
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
    }
  }
}

/// The directory for what must last, held by one running OnAir.
///
/// The hold is a lock of the kernel's (flock(2)), so it ends with the process, however that ends.
public final class StateDirectory: Sendable {
  public let path: String
  private let lock: Int32

  /// Makes the directory (mode 0700) where it is missing, and takes hold of it.
  public init(path: String) throws(StateDirectoryError) {
    self.path = path
    if let reason = StateDirectory.makeDirectory(path) {
      throw .unusable(path: path, reason: reason)
    }
    // The directory itself is locked: a file in it could be deleted under the lock.
    lock = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard lock >= 0, unsafe access(path, W_OK) == 0 else {
      throw .unusable(path: path, reason: systemError())
    }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      let isHeld = errno == EWOULDBLOCK
      let reason = systemError()
      close(lock)
      throw isHeld ? .inUse(path: path) : .unusable(path: path, reason: reason)
    }
  }

  deinit { close(lock) }

  /// - Returns: the system's reason when it could not be made.
  private static func makeDirectory(_ path: String) -> String? {
    var prefix = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      prefix += prefix.isEmpty || prefix == "/" ? String(part) : "/\(part)"
      if unsafe mkdir(prefix, 0o700) != 0, errno != EEXIST {
        // A parent that is there but may not be written to is no matter.
        let reason = systemError()
        var status = stat()
        guard unsafe stat(prefix, &status) == 0 else { return reason }
      }
    }
    return nil
  }
}

/// The system's words for the last error.
func systemError(_ code: Int32 = errno) -> String {
  unsafe String(cString: strerror(code))
}
