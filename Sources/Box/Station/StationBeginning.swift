// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Posix
internal import Synchronization

// The time on air counts on over a new start of the program: the beginning of the broadcast is kept in a file.

extension Station {
  /// In the state directory: the beginning of the broadcast that was begun last, in milliseconds since 1970.
  private static let beginning = StateFile<Int64>(
    "began", limit: 32, encode: { Array("\($0)\n".utf8) },
    decode: { Int64(String(decoding: $0, as: UTF8.self).filter { $0 != "\n" }) })

  /// Keeps the beginning of a broadcast, without waiting for the disk. If that fails, the time begins anew after a new start.
  func keepBeginning() {
    let now = events.wallClock.milliseconds
    jobs.submit { [self] in
      try? Station.beginning.write(now, in: directory)
    }
  }

  /// - Returns: nanoseconds since the beginning of the broadcast that was begun last; `nil` if it is not known, as on a board
  ///   whose clock is not set yet.
  static func broadcastAge(_ directory: String, _ wallClock: WallClock) -> Int64? {
    guard let began = try? beginning.read(in: directory) else { return nil }
    let age = wallClock.milliseconds - began
    return age < 0 || age > Int64.max / 2_000_000 ? nil : age * 1_000_000
  }
}
