// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// Why a system call failed.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// errno(3).
  public let code: Int32

  public init(_ code: Int32) { self.code = code }

  /// The last one of the calling thread.
  public init() { code = errno }

  /// The C library's sentence for it: "No such file or directory".
  public var description: String {
    guard let text = unsafe strerror(code) else { return "error \(code)" }
    return unsafe String(cString: text)
  }
}
