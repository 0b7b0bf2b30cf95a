// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Box
internal import NIOHTTP1

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

  /// Takes the events of a calendar file; without bytes, removes those of the one before.
  package static func importCalendar(
    _ bytes: [UInt8], directory: String
  ) throws(ControlError) -> ControlReply {
    let method: HTTPMethod = bytes.isEmpty ? .DELETE : .POST
    return try decode(
      ControlReply.self, request(method, "/api/schedule/import", bytes, directory: directory))
  }
}
