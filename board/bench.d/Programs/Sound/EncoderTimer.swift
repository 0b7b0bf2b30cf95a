// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc

/// The processor time that a program spends in libavcodec's encoders, as Tools/encoder.c writes it into a file.
@safe final class EncoderTimer {
  let path: String
  private let memory: UnsafeMutableRawPointer
  private static let bytes = MemoryLayout<UInt64>.size

  /// - Parameter path: of the file, which is made anew.
  init(_ path: String) throws {
    self.path = path
    let file = unsafe open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    defer { close(file) }
    guard file >= 0, ftruncate(file, EncoderTimer.bytes) == 0,
      let memory = unsafe mmap(
        nil, EncoderTimer.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
      unsafe memory != MAP_FAILED
    else { throw Child.FailedError(description: "cannot write to \(path)") }
    unsafe self.memory = memory
  }

  deinit { unsafe munmap(memory, EncoderTimer.bytes) }

  var nanos: Int64 { unsafe Int64(clamping: memory.load(as: UInt64.self)) }
}
