// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import NIOPosix

/// Reads and writes files for the API, one request after the other: that may block, and a pause must not wait for a disk.
/// Like the other threads that answer requests it gives way to the media path: an image takes long to decode.
enum DiskThread {
  private static let thread = {
    let thread = NIOThreadPool(numberOfThreads: 1)
    thread.start()
    thread.submit { _ in LowPriority.apply() }
    return thread
  }()

  static func run<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await thread.runIfActive { try body() }
  }
}
