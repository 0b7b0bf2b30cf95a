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

/// Calls the system again when a signal has interrupted it (EINTR, signal(7)).
/// - Parameter call: returns -1 and sets errno on failure.
@discardableResult @inline(__always)
public func retrying<Result: SignedInteger>(_ call: () -> Result) throws(SystemError) -> Result {
  while true {
    let result = call()
    if result >= 0 { return result }
    let error = SystemError()
    guard error.code == EINTR else { throw error }
  }
}

/// As `retrying`, for a call that returns 0 or the number of its error.
@inline(__always)
public func retryingStatus(_ call: () -> Int32) throws(SystemError) {
  while true {
    let status = call()
    if status == 0 { return }
    guard status == EINTR else { throw SystemError(status) }
  }
}

extension String {
  /// The text of a C array of characters, which Swift imports as a tuple.
  public init<Characters>(cArray characters: Characters) {
    self = unsafe withUnsafeBytes(of: characters) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
