// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc
internal import Posix
internal import Settings

/// The time since the machine was switched on.
enum PowerOn {
  /// - Returns: milliseconds; the time in which the machine was suspended counts, too.
  static func milliseconds(until time: MediaTime) -> Int {
    var sinceBoot = timespec()
    unsafe clock_gettime(CLOCK_BOOTTIME, &sinceBoot)
    let suspended =
      Int64.seconds(Int64(sinceBoot.tv_sec)) + Int64(sinceBoot.tv_nsec) - MediaTime.now().nanos
    // Between the two readings some time has passed, which is no suspension.
    let isSuspension = suspended > .milliseconds(100)
    return Int((time.nanos + (isSuspension ? suspended : 0)) / 1_000_000)
  }
}

extension BoxSettings {
  /// What people see as the name of the box.
  package var shownName: String { name.isEmpty ? Host.name : name }
  /// The zone in which times are shown to people.
  var shownZone: String { zone.isEmpty ? Host.timeZone : zone }
}
