// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Base
internal import Box
internal import Hummingbird

extension Routes {
  /// Adds the routes for the uplink test, and for the quality that the uplink and the processor allow.
  func addUplink(to table: inout RouteTable) {
    table.on(.get, "api/quality", needs: .read) { [station] _, _ in
      Answer.json(try await station.jobs.run { station.quality })
    }
    table.on(.get, "api/uplink", needs: .read) { [station] _, _ in Answer.json(station.uplink) }
    table.on(.post, "api/uplink", needs: .control) { [station] request, context in
      _ = try await Routes.body(of: request)
      do throws(StationError) {
        return Answer.json(try station.testUplink(by: context.origin))
      } catch {
        return Answer.reply(ControlReply(error))
      }
    }
  }
}
