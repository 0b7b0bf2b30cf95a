// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Posix

/// A file that is sent as a response body. It is read piece by piece while it is sent, so it is never in memory as a
/// whole.
final class FileBody: Sendable {
  /// Bytes of the file that are read and sent at a time.
  private static let pieceBytes = 65_536

  /// The size of the file in bytes when it was opened.
  let bytes: Int
  /// The descriptor of the file, open for reading.
  private let descriptor: Int32

  /// Opens a regular file. Throws EINVAL if `path` is no regular file, or the error of open(2).
  init(_ path: String) throws(SystemError) {
    // Without O_NONBLOCK, opening a FIFO would block until another process opens its other end.
    descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw SystemError() }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw SystemError(EINVAL)
    }
    bytes = Int(status.st_size)
  }

  deinit { close(descriptor) }

  /// Reads at most `count` bytes of the file from `offset` on; fewer only at the end of the file.
  func read(_ count: Int, at offset: Int) throws(SystemError) -> [UInt8] {
    var piece = [UInt8](repeating: 0, count: count)
    let read = unsafe pread(descriptor, &piece, count, off_t(offset))
    guard read >= 0 else { throw SystemError() }
    piece.removeLast(count - read)
    return piece
  }

  /// Builds the response that sends the whole file.
  func answer(headers: HTTPFields) -> Response {
    var response = Answer.bytes([], headers: headers)
    response.body = ResponseBody(contentLength: bytes) { [self] writer in
      var sent = 0
      while sent < bytes {
        let (start, count) = (sent, min(Self.pieceBytes, bytes - sent))
        let piece = try await JobThread.files.run { try self.read(count, at: start) }
        // The file has become shorter while it is sent. The body ends before its Content-Length, so the client notices.
        guard !piece.isEmpty else { throw SystemError(EIO) }
        try await writer.write(ByteBuffer(bytes: piece))
        sent += piece.count
      }
      try await writer.finish(nil)
    }
    return response
  }
}
