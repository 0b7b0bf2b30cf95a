// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import HTTPTypes
import HummingbirdCore
import NIOCore
import Synchronization
import Testing

@testable import Control

/// What is handed to the socket at a time: its limit begins anew only with a write that is complete.
@Suite struct AnswerTests {
  private final class Pieces: ResponseBodyWriter, Sendable {
    let all = Mutex<[[UInt8]]>([])
    func write(_ buffer: ByteBuffer) async throws {
      all.withLock { $0.append(Array(buffer: buffer)) }
    }
    func finish(_ trailingHeaders: HTTPFields?) async throws {}
  }

  @Test(arguments: [0, 1, 16_384, 16_385, 100_000])
  func aLargeAnswerIsWrittenInPieces(count: Int) async throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    let response = Answer.bytes(bytes, headers: [:])
    #expect(response.headers[.contentLength] == "\(count)")
    let pieces = Pieces()
    try await response.body.write(pieces)
    let written = pieces.all.withLock { $0 }
    #expect(written.allSatisfy { $0.count <= 16_384 })
    #expect(Array(written.joined()) == bytes)
  }
}
