// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Posix

/// A file as the body of an answer. It is read while it is sent, so that it never takes memory as a whole.
final class FileBody: Sendable {
  /// Bytes that are read at a time.
  private static let piece = 65_536

  let bytes: Int
  private let descriptor: Int32

  init(_ path: String) throws(SystemError) {
    // O_NONBLOCK: opening a FIFO would wait for its other end.
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

  /// Its bytes from `offset` on, `count` at most; fewer only at its end.
  func read(_ count: Int, at offset: Int) throws(SystemError) -> [UInt8] {
    var piece = [UInt8](repeating: 0, count: count)
    let read = unsafe pread(descriptor, &piece, count, off_t(offset))
    guard read >= 0 else { throw SystemError() }
    piece.removeLast(count - read)
    return piece
  }

  func answer(headers: HTTPFields) -> Response {
    var response = Answer.bytes([], headers: headers)
    response.body = ResponseBody(contentLength: bytes) { [self] writer in
      var sent = 0
      while sent < bytes {
        let (start, count) = (sent, min(Self.piece, bytes - sent))
        let piece = try await JobThread.files.run { try self.read(count, at: start) }
        // It has become shorter meanwhile: the client sees that bytes are missing.
        guard !piece.isEmpty else { throw SystemError(EIO) }
        try await writer.write(ByteBuffer(bytes: piece))
        sent += piece.count
      }
      try await writer.finish(nil)
    }
    return response
  }
}
