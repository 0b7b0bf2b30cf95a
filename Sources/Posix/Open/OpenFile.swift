// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CPosix
internal import Glibc

/// An open regular file of any size, closed when the object is released.
public final class OpenFile: Sendable {
  /// The descriptor, which is valid as long as this object.
  public let descriptor: Int32

  init(descriptor: Int32) { self.descriptor = descriptor }

  /// Opens a regular file for reading. Throws EINVAL if `path` is no regular file.
  public convenience init(_ path: String) throws(SystemError) {
    // Without O_NONBLOCK, opening a FIFO would wait for its other end.
    self.init(
      descriptor: try retrying { unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) })
    var status = stat()
    try retrying { unsafe fstat(descriptor, &status) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError(EINVAL) }
  }

  deinit { close(descriptor) }

  /// The size in bytes, and the time of the last change in seconds since 1970-01-01 UTC (fstat(2)).
  public func status() throws(SystemError) -> (size: Int, modifiedAt: Int64) {
    var status = stat()
    try retrying { unsafe fstat(descriptor, &status) }
    return (Int(status.st_size), Int64(status.st_mtim.tv_sec))
  }

  /// Reads bytes at an offset (pread(2)).
  /// - Returns: fewer bytes than `count` at the end of the file.
  public func read(at offset: Int, count: Int) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let more = try retrying {
        unsafe bytes.withUnsafeMutableBytes { buffer in
          unsafe pread(
            descriptor, buffer.baseAddress?.advanced(by: done), count - done, off_t(offset + done))
        }
      }
      if more == 0 { break }
      done += more
    }
    bytes.removeLast(count - done)
    return bytes
  }

  /// Writes all bytes at an offset (pwrite(2)).
  public func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
    var done = 0
    while done < bytes.count {
      done += try retrying {
        unsafe bytes.withUnsafeBytes { buffer in
          unsafe pwrite(
            descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done,
            off_t(offset + done))
        }
      }
    }
  }

  /// Waits until what was written is on the disk (fdatasync(2)).
  public func flush() throws(SystemError) { try retrying { fdatasync(descriptor) } }

  /// Cuts the file off, and gives back what was reserved behind its end (ftruncate(2)).
  public func truncate(to size: Int) throws(SystemError) {
    try retrying { ftruncate(descriptor, off_t(size)) }
  }

  /// Reserves space behind the end of the file, without making the file longer (fallocate(2)).
  public func reserve(at offset: Int, count: Int) throws(SystemError) {
    try retrying { fallocate(descriptor, Int32(onair_keep_size), off_t(offset), off_t(count)) }
  }
}
