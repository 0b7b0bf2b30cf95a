// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Threads for what the station's own thread must not wait for.
extension JobThread {
  /// Decodes images: that takes seconds on a board, and one at a time takes memory enough.
  static let images = JobThread(name: "images", urgency: .request, mostWaiting: 256)

  /// Reads files that are sent to clients.
  static let files = JobThread(name: "files", urgency: .request, mostWaiting: 256)

  /// Writes files that clients send: a slow card takes minutes to flush a large one.
  static let uploads = JobThread(name: "uploads", urgency: .request, mostWaiting: 256)
}
