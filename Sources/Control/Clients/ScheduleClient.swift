// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Box

// The schedule, for the command line.

extension ControlClient {
  /// The next broadcasts, and what of the calendars is not understood.
  package static func schedule(directory: String) throws(ControlError) -> ScheduleCalendar {
    try decode(ScheduleCalendar.self, request(.GET, "/api/schedule/calendar", directory: directory))
  }

  /// Lets the scheduled broadcast that runs go on for longer.
  package static func extendSchedule(
    minutes: Int, directory: String
  ) throws(ControlError) -> ControlReply {
    try post("schedule/extend", ["minutes": minutes], directory: directory)
  }

  /// Leaves a broadcast of the schedule out, or takes that back.
  /// - Parameter id: `nil` for the next one.
  package static func skipSchedule(
    _ id: String?, undo: Bool, directory: String
  ) throws(ControlError) -> ControlReply {
    struct Skip: Encodable { var id: String?, undo: Bool }
    return try post("schedule/skip", Skip(id: id, undo: undo), directory: directory)
  }

  /// Takes the events of a calendar file, in place of those of the file before.
  package static func importCalendar(
    _ bytes: [UInt8], directory: String
  ) throws(ControlError) -> ControlReply {
    try decode(
      ControlReply.self, request(.POST, "/api/schedule/import", bytes, directory: directory))
  }

  /// Removes the events of the imported calendar file.
  package static func removeCalendar(directory: String) throws(ControlError) -> ControlReply {
    try decode(ControlReply.self, request(.DELETE, "/api/schedule/import", directory: directory))
  }
}
