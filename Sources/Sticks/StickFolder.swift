// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
public import Posix

/// Why the folder of a stick cannot be used.
public enum StickError: Error, Hashable, Sendable {
  /// The stick is not mounted any more: it was pulled or removed.
  case gone
  /// The folder is a symbolic link, or no folder.
  case notAFolder
  /// The stick can only be read, since its file system was found to be damaged.
  case readOnly
  /// A system call failed.
  case system(SystemError)

  init(_ error: SystemError) {
    self =
      switch error.code {
      case ENOENT, ENODEV, ENXIO, EIO: .gone
      case ELOOP, ENOTDIR: .notAFolder
      case EROFS: .readOnly
      default: .system(error)
      }
  }
}

/// The open folder for OnAir's files on a stick. It is on the stick for certain, and not on the card in its place.
public struct StickFolder: ~Copyable {
  /// The descriptor of the folder, for openat(2). It is closed with this value.
  public let descriptor: Int32

  /// Opens the folder, without following symbolic links. May wait for the stick.
  /// - Throws: `StickError`, also if `stick` is not ready.
  public init(of stick: Stick, in places: StickPlaces) throws(StickError) {
    guard let directory = stick.directory, let name = directory.split(separator: "/").last else {
      throw .gone
    }
    let opened: Int32
    do throws(SystemError) {
      opened = try StickFolder.openMounted(String(name), of: stick, in: places)
    } catch {
      throw StickError(error)
    }
    descriptor = opened
  }

  deinit { close(descriptor) }

  /// The free bytes and all bytes of the stick. They are not true any more once it was pulled.
  public func room() throws(SystemError) -> (freeBytes: Int, totalBytes: Int) {
    let system = try StickFolder.system(of: descriptor)
    let bytes = { (blocks: fsblkcnt_t) in
      Int(clamping: blocks.multipliedReportingOverflow(by: system.f_frsize).partialValue)
    }
    return (bytes(system.f_bavail), bytes(system.f_blocks))
  }

  /// Opens a folder of a stick; ENODEV if the stick is not mounted, EROFS if it can only be read.
  private static func openMounted(
    _ name: String, of stick: Stick, in places: StickPlaces
  ) throws(SystemError) -> Int32 {
    let media = try open(places.media, in: AT_FDCWD)
    defer { close(media) }
    let root = try open(stick.id, in: media)
    defer { close(root) }
    let folder = try open(name, in: root)
    do throws(SystemError) {
      // A mounted file system has another device than the folder above it.
      let (above, mounted) = (try device(of: media), try device(of: root))
      guard above != mounted, try device(of: folder) == mounted else { throw SystemError(ENODEV) }
      guard try system(of: folder).f_flag & UInt(ST_RDONLY) == 0 else { throw SystemError(EROFS) }
      return folder
    } catch {
      close(folder)
      throw error
    }
  }

  private static func open(_ name: String, in folder: Int32) throws(SystemError) -> Int32 {
    try retrying {
      unsafe openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    }
  }

  private static func system(of folder: Int32) throws(SystemError) -> statvfs {
    var system = statvfs()
    try retrying { unsafe fstatvfs(folder, &system) }
    return system
  }

  private static func device(of folder: Int32) throws(SystemError) -> dev_t {
    var status = stat()
    try retrying { unsafe fstat(folder, &status) }
    return status.st_dev
  }
}
