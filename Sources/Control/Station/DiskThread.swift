// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import NIOPosix
internal import Synchronization

/// Does what blocks for the API, one request after the other. Like the other threads that answer requests it gives way to
/// the media path.
private final class BlockingThread: Sendable {
  /// How many requests wait for it, with the one that it does.
  let requests = Atomic(0)
  private let pool: NIOThreadPool

  init() {
    pool = NIOThreadPool(numberOfThreads: 1)
    pool.start()
    pool.submit { _ in LowPriority.apply() }
  }

  func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    requests.add(1, ordering: .relaxed)
    defer { requests.subtract(1, ordering: .relaxed) }
    return try await pool.runIfActive { try body() }
  }
}

/// Reads and writes small files: that may block, and a pause must not wait for a disk.
enum DiskThread {
  private static let thread = BlockingThread()

  static func run<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await thread.run(body)
  }
}

/// Decodes images: that takes seconds on a board, and one at a time takes memory enough.
enum ImageThread {
  private static let thread = BlockingThread()
  /// How many requests wait for it, with the one that it does.
  static var requests: Int { thread.requests.load(ordering: .relaxed) }

  static func run<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await thread.run(body)
  }
}

/// Writes files that clients send: a slow card takes minutes to flush a large one, for which settings must not wait.
enum UploadThread {
  private static let thread = BlockingThread()

  static func run<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await thread.run(body)
  }
}
