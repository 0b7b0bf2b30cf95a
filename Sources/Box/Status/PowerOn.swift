// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc
internal import Posix
internal import Settings

/// Measures the time since the machine was switched on.
enum PowerOn {
  /// - Returns: milliseconds from power-on to `time`; time in which the machine was suspended counts, too.
  static func milliseconds(until time: MediaTime) -> Int {
    var sinceBoot = timespec()
    unsafe clock_gettime(CLOCK_BOOTTIME, &sinceBoot)
    let suspended =
      Int64.seconds(Int64(sinceBoot.tv_sec)) + Int64(sinceBoot.tv_nsec) - MediaTime.now().nanos
    // The short time between the two readings of clocks must not count as suspension.
    let isSuspension = suspended > .milliseconds(100)
    return Int((time.nanos + (isSuspension ? suspended : 0)) / 1_000_000)
  }
}

extension BoxSettings {
  /// The name of the box for people: `box.name`, else its host name.
  package var shownName: String { name.isEmpty ? Host.name : name }
  /// The time zone in which times are shown to people: `box.zone`, else that of the system.
  var shownZone: String { zone.isEmpty ? Host.timeZone : zone }
}
