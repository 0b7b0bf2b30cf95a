// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// Fetches a small file by HTTP, with the checks and deadlines of `HTTPStream`.
public enum HTTPDownload {
  /// Fetches a file. Blocks the thread of `worker`.
  /// - Parameter limit: the most bytes that are wanted; of a longer file, one byte more is returned.
  public static func bytes(
    of address: MusicAddress, limit: Int, worker: Worker
  ) throws(MusicTrouble) -> [UInt8] {
    let stream = try HTTPStream(address, MusicNet(), allowsLocal: true, worker: worker)
    let bytes = try stream.peek(limit + 1)
    guard bytes.count > limit || stream.isComplete else { throw .ended(of: "\(address)") }
    return bytes
  }
}
