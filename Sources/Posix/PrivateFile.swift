// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// Why a file that must be private to this user is not read or written.
public enum PrivateFileError: Error, Hashable, Sendable {
  /// There is no such file.
  case missing
  /// The path is that of a symbolic link.
  case isSymbolicLink
  /// The path leads to a folder, a pipe, a socket or a device.
  case isNotRegular
  /// Another user owns the file. `owner` is the user ID (UID) of that user.
  case isForeign(owner: UInt32)
  /// The file has more than one name (hard links), so that writing to it would change a file elsewhere.
  case hasOtherNames
  /// The file has more bytes than the limit.
  case tooLong
  /// The content of the file is not in the format that this program writes.
  case malformed
  /// Any other error of a system call.
  case system(SystemError)

  /// The reason as the end of a sentence that begins with the file's name: "is a symbolic link".
  public var sentence: String {
    switch self {
    case .missing: "is not there"
    case .isSymbolicLink: "is a symbolic link"
    case .isNotRegular: "is not a regular file"
    case .isForeign(let owner): "belongs to another user (\(File.userName(owner)))"
    case .hasOtherNames: "has a second name (a hard link)"
    case .tooLong: "is too long"
    case .malformed: "is damaged, or of another version of OnAir"
    case .system(let error): "cannot be opened (\(error))"
    }
  }
}

extension File {
  /// Reads a small file after checking that only this user can have written it: the file is not a symbolic link, has no
  /// second hard link, and belongs to this user. Root may also read a file that belongs to the folder's owner.
  /// - Parameters:
  ///   - directory: the folder of the file, in which only this user can write.
  ///   - limit: the maximum number of bytes to read; the bytes after them are ignored.
  public static func readPrivate(
    _ name: String, in directory: String, limit: Int
  ) throws(PrivateFileError) -> [UInt8] {
    let file = try openPrivate(name, in: directory, O_RDONLY)
    defer { close(file) }
    do throws(SystemError) {
      return try read(file, limit: limit)
    } catch {
      throw .system(error)
    }
  }

  /// Overwrites the beginning of an existing private file in place, and flushes it to the disk. Since a power cut may
  /// leave a mix of old and new bytes, call this function only if `replace` fails: a full disk has no space for a new
  /// file, but the old file keeps its blocks.
  public static func overwritePrivate(
    _ name: String, in directory: String, with bytes: [UInt8]
  ) throws(PrivateFileError) {
    let file = try openPrivate(name, in: directory, O_WRONLY)
    defer { close(file) }
    let count = unsafe pwrite(file, bytes, bytes.count, 0)
    guard count == bytes.count else { throw .system(count < 0 ? SystemError() : SystemError(EIO)) }
    guard fsync(file) == 0 else { throw .system(SystemError()) }
  }

  /// Opens a file without following a symbolic link, and then checks the open file. A check before opening would be a
  /// race: the file could be exchanged between the check and the opening.
  private static func openPrivate(
    _ name: String, in directory: String, _ access: Int32
  ) throws(PrivateFileError) -> Int32 {
    // Without O_NONBLOCK, open(2) of a FIFO would wait for its other end.
    let file = unsafe open(
      "\(directory)/\(name)", access | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else {
      switch errno {
      case ENOENT: throw .missing
      case ELOOP: throw .isSymbolicLink
      case EISDIR, ENXIO: throw .isNotRegular
      default: throw .system(SystemError())
      }
    }
    do throws(PrivateFileError) {
      try checkPrivate(file, in: directory)
    } catch {
      close(file)
      throw error
    }
    return file
  }

  /// Throws if an open file is not private: not regular, with a second hard link, or of another user.
  /// - Parameter directory: the folder of the file, whose owner may own the file, too, if this process runs as root.
  private static func checkPrivate(
    _ file: Int32, in directory: String
  ) throws(PrivateFileError) {
    var status = stat()
    guard unsafe fstat(file, &status) == 0 else { throw .system(SystemError()) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .isNotRegular }
    guard status.st_nlink == 1 else { throw .hasOtherNames }
    guard status.st_uid != geteuid() else { return }
    // Root may also use a file that belongs to the owner of the folder, such as the service's user.
    var folder = stat()
    guard geteuid() == 0, unsafe stat(directory, &folder) == 0, folder.st_uid == status.st_uid
    else { throw .isForeign(owner: status.st_uid) }
  }

  /// The name of the user with this user ID (UID); a text such as "number 1000" if the system knows no name.
  public static func userName(_ user: UInt32) -> String {
    let name: String? = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4_096) {
      buffer in
      var entry = unsafe passwd()
      var found: UnsafeMutablePointer<passwd>?
      guard let room = buffer.baseAddress,
        unsafe getpwuid_r(user, &entry, room, buffer.count, &found) == 0,
        unsafe found != nil
      else { return nil }
      return unsafe String(cString: entry.pw_name)
    }
    return name ?? "number \(user)"
  }

  /// The user ID (UID) of the user with this name; `nil` if there is no such user.
  public static func userID(named name: String) -> UInt32? {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4_096) { buffer in
      var entry = unsafe passwd()
      var found: UnsafeMutablePointer<passwd>?
      guard let room = buffer.baseAddress,
        unsafe getpwnam_r(name, &entry, room, buffer.count, &found) == 0,
        unsafe found != nil
      else { return nil }
      return unsafe entry.pw_uid
    }
  }
}
