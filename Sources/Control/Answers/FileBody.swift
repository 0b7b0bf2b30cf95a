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
struct FileBody: Sendable {
  /// Bytes of the file that are read and sent at a time.
  private static let pieceBytes = 65_536

  /// The size of the file in bytes when it was opened.
  let bytes: Int
  private let file: OpenFile
  /// The entity tag of the file (RFC 9110, section 8.8.3), made of its size and the time of its last change.
  let tag: String

  /// Opens a regular file. Throws EINVAL if `path` is no regular file, or the error of open(2).
  init(_ path: String) throws(SystemError) { try self.init(OpenFile(path)) }

  init(_ file: OpenFile) throws(SystemError) {
    let status = try file.status()
    (self.file, bytes) = (file, status.size)
    tag = "\"\(String(status.size, radix: 16))-\(String(status.modifiedAt, radix: 16))\""
  }

  /// The first bytes of the file.
  func beginning(_ count: Int) throws(SystemError) -> [UInt8] {
    try file.read(at: 0, count: count)
  }

  /// Builds the response that sends the whole file.
  func answer(headers: HTTPFields) -> Response {
    var response = Answer.bytes([], headers: headers)
    response.body = pieces(of: 0..<bytes)
    return response
  }

  /// Builds the response that sends a range of the file (RFC 9110, section 15.3.7).
  func answer(_ range: Range<Int>, headers: HTTPFields) -> Response {
    var headers = headers
    headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes)"
    var response = Answer.bytes([], .partialContent, headers: headers)
    response.body = pieces(of: range)
    return response
  }

  private func pieces(of range: Range<Int>) -> ResponseBody {
    ResponseBody(contentLength: range.count) { [self] writer in
      var next = range.lowerBound
      while next < range.upperBound {
        let (start, count) = (next, min(Self.pieceBytes, range.upperBound - next))
        let piece = try await JobThread.files.run { try file.read(at: start, count: count) }
        // The file has become shorter while it is sent. The body ends before its Content-Length, so the client notices.
        guard !piece.isEmpty else { throw SystemError(EIO) }
        try await writer.write(ByteBuffer(bytes: piece))
        next += piece.count
      }
      try await writer.finish(nil)
    }
  }
}

/// The range of a request (RFC 9110, section 14.1.2).
enum ByteRange: Equatable {
  /// From an offset on, up to and including another one; `nil` to the end.
  case from(Int, through: Int?)
  /// So many bytes at the end.
  case last(Int)

  /// Parses the field Range. Several ranges count as none, so that the whole file is sent.
  init?(_ text: String) {
    let unit = "bytes="
    guard text.lowercased().hasPrefix(unit) else { return nil }
    let parts = text.dropFirst(unit.count).split(separator: "-", omittingEmptySubsequences: false)
      .map { $0.trimmingPrefix(while: { $0 == " " }) }
    guard parts.count == 2 else { return nil }
    let (first, last) = (ByteRange.number(parts[0]), ByteRange.number(parts[1]))
    switch (first, last) {
    case (let first?, let last?) where first <= last: self = .from(first, through: last)
    case (let first?, nil) where parts[1].isEmpty: self = .from(first, through: nil)
    case (nil, let count?) where parts[0].isEmpty: self = .last(count)
    default: return nil
    }
  }

  private static func number(_ text: Substring) -> Int? {
    text.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ? Int(text) : nil
  }

  /// The bytes of a file of this size that are asked for; `nil` if it has none of them.
  func within(_ size: Int) -> Range<Int>? {
    switch self {
    case .from(let first, let last):
      first < size ? first..<min(size, last.map { $0 < size ? $0 + 1 : size } ?? size) : nil
    case .last(let count): count > 0 && size > 0 ? max(0, size - count)..<size : nil
    }
  }
}
