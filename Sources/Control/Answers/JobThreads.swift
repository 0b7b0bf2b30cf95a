// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Threads for slow work of requests, which must not block the station's own job thread (`Station.jobs`).
extension JobThread {
  /// Decodes still images, one at a time: an image takes seconds on a small board, and much memory.
  static let images = JobThread(name: "images", urgency: .request, mostWaiting: 256)

  /// Reads files that are sent to clients.
  static let files = JobThread(name: "files", urgency: .request, mostWaiting: 256)

  /// Writes the files that clients upload. Flushing a large file to a slow SD card takes minutes.
  static let uploads = JobThread(name: "uploads", urgency: .request, mostWaiting: 256)
}
