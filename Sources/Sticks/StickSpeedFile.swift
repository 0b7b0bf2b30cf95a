// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
public import Posix

/// The file of a speed test on a stick, which is removed with this value.
public struct StickSpeedFile: SpeedTestFile, ~Copyable {
  private static let name = ".onair-speed-test"

  private let folder: Int32
  private let file: Int32

  /// Creates the file in a stick's folder. A file that an earlier test left there is removed.
  /// - Parameter folder: must stay open as long as this value.
  public init(in folder: borrowing StickFolder) throws(SystemError) {
    self.folder = folder.descriptor
    _ = unsafe unlinkat(folder.descriptor, StickSpeedFile.name, 0)
    let descriptor = folder.descriptor
    file = try retrying {
      unsafe openat(
        descriptor, StickSpeedFile.name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    }
  }

  deinit {
    close(file)
    _ = unsafe unlinkat(folder, StickSpeedFile.name, 0)
  }

  public mutating func append(_ bytes: [UInt8]) throws(SystemError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = try retrying {
        unsafe rest.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
      }
      rest = rest.dropFirst(count)
    }
    try retrying { fdatasync(file) }
  }

  public func read(at offset: Int, count: Int) throws(SystemError) -> [UInt8] {
    // Only pages that are on the stick leave the memory.
    try retryingStatus { posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) }
    var bytes = [UInt8](repeating: 0, count: count)
    let got = try retrying { unsafe pread(file, &bytes, count, off_t(offset)) }
    return Array(bytes[..<got])
  }
}
