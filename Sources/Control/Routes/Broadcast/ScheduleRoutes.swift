// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Base
internal import Box
internal import Figures
internal import Hummingbird
internal import NIOCore
internal import Settings

extension ListRoutes {
  /// The routes of the entries of the schedule. `GET` also returns when each is next.
  static let schedule = ListRoutes(
    list: ScheduleSettings.list, entries: { $0.schedule.entries($0.settings) },
    readOnly: ScheduleKeeper.readOnlyFields)
}

extension Routes {
  /// Adds the routes of the schedule but those of its entries, which are in `addLists`.
  func addSchedule(to table: inout RouteTable) {
    table.on(.post, "api/schedule/extend", needs: .operate) { [station] request, context in
      let body = try await Routes.body(of: request)
      let wanted =
        body.isEmpty ? ScheduleExtension() : try Routes.decode(ScheduleExtension.self, body)
      let minutes = wanted.minutes ?? ScheduleExtension.usualMinutes
      guard ScheduleExtension.allowed.contains(minutes) else {
        return Answer.fault(
          "not_understood", "It is extended by 1 to 240 minutes at a time.", .badRequest)
      }
      let origin = context.origin
      return Answer.reply(
        try await station.jobs.run { station.schedule.extend(minutes: minutes, by: origin) })
    }
    table.on(.post, "api/schedule/skip", needs: .operate) { [station] request, context in
      let body = try await Routes.body(of: request)
      let wanted = body.isEmpty ? ScheduleSkip() : try Routes.decode(ScheduleSkip.self, body)
      let origin = context.origin
      return Answer.reply(
        try await station.jobs.run {
          station.schedule.skip(wanted.id, undo: wanted.undo ?? false, by: origin)
        })
    }
    table.on(.get, "api/schedule/calendar", needs: .read) { [station] _, _ in
      Answer.json(JSON.encode(try await station.jobs.run { station.schedule.calendar }))
    }
    table.on(.post, "api/schedule/import", needs: .admin) { [station] request, context in
      let bytes: [UInt8]
      do {
        bytes = Array(
          buffer: try await request.body.collect(upTo: ScheduleKeeper.longestCalendar))
      } catch is NIOTooManyBytesError {
        return Answer.fault("too_long", "A calendar has at most 1 MiB.", .contentTooLarge)
      }
      let origin = context.origin
      let reply = try await JobThread.uploads.run {
        station.schedule.take(calendar: bytes, by: origin)
      }
      return Answer.reply(reply, reply.code == "unfit_calendar" ? .badRequest : nil)
    }
    table.on(.delete, "api/schedule/import", needs: .admin) { [station] _, context in
      let origin = context.origin
      return Answer.reply(
        try await JobThread.uploads.run { station.schedule.removeCalendar(by: origin) })
    }
  }
}

/// The body of `POST /api/schedule/extend`.
private struct ScheduleExtension: RequestBody {
  static let fields: Set = ["minutes"]
  /// The minutes of a request that names none, and those that one may name.
  static let usualMinutes = 15
  static let allowed = 1...240
  var minutes: Int?
}

/// The body of `POST /api/schedule/skip`.
private struct ScheduleSkip: RequestBody {
  static let fields: Set = ["id", "undo"]
  var id: String?
  var undo: Bool?
}
