// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Posix
internal import Synchronization

// Keeps the start time of the broadcast in a file, so that its time on air goes on after a restart of the program.

extension Station {
  /// The file in the state directory with the start time of the present broadcast, in milliseconds since 1970.
  private static let startTimeFile = StateFile<Int64>(
    "began", limit: 32, encode: { Array("\($0)\n".utf8) },
    decode: { Int64(String(decoding: $0, as: UTF8.self).filter { $0 != "\n" }) })

  /// Saves the present time as the start of the broadcast, without waiting for the disk. If that fails, the age of the
  /// broadcast is not known after a restart of the program.
  func saveStartTime() {
    let now = events.wallClock.milliseconds
    jobs.submit { [self] in
      // Remove the start time of an earlier broadcast first, so that it does not stay if the new one cannot be written.
      try? Station.startTimeFile.remove(in: directory)
      try? Station.startTimeFile.write(now, in: directory)
    }
  }

  /// Removes the saved start time of a broadcast that a person has ended, without waiting for the disk. Otherwise the
  /// program would find this old start time if it is started again before the next broadcast.
  func removeStartTime() {
    jobs.submit { [self] in try? Station.startTimeFile.remove(in: directory) }
  }

  /// Returns the time in nanoseconds since the start of the saved broadcast, by the wall clock; `nil` if it is not
  /// known, as on a board whose clock is not set yet.
  static func broadcastAge(_ directory: String, _ wallClock: WallClock) -> Int64? {
    guard let began = try? startTimeFile.read(in: directory) else { return nil }
    let age = wallClock.milliseconds - began
    return age < 0 || age > Int64.max / 2_000_000 ? nil : age * 1_000_000
  }
}
