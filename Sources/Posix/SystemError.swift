// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// The error of a failed system call.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The error number, as in errno(3).
  public let code: Int32

  public init(_ code: Int32) { self.code = code }

  /// The present errno of the calling thread: the error of its last failed call.
  public init() { code = errno }

  /// The C library's text for the error: "No such file or directory".
  public var description: String {
    guard let text = unsafe strerror(code) else { return "error \(code)" }
    return unsafe String(cString: text)
  }
}

/// Makes a system call, and repeats it while a signal interrupts it (EINTR, signal(7)).
/// - Parameter call: the system call, which returns -1 and sets errno on failure.
/// - Returns: the result of the successful call.
@discardableResult @inline(__always)
public func retrying<Result: SignedInteger>(_ call: () -> Result) throws(SystemError) -> Result {
  while true {
    let result = call()
    if result >= 0 { return result }
    let error = SystemError()
    guard error.code == EINTR else { throw error }
  }
}

/// Makes a call that returns 0 on success or an error number, and repeats it while a signal interrupts it (EINTR).
@inline(__always)
public func retryingStatus(_ call: () -> Int32) throws(SystemError) {
  while true {
    let status = call()
    if status == 0 { return }
    guard status == EINTR else { throw SystemError(status) }
  }
}

extension String {
  /// Creates a string from a C array of characters, which Swift imports as a tuple. The text ends before the first zero
  /// byte.
  public init<Characters>(cArray characters: Characters) {
    self = unsafe withUnsafeBytes(of: characters) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
