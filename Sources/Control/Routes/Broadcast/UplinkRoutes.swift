// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Base
internal import Box
internal import Hummingbird

extension Routes {
  /// The test of the connection to the platform, and what it and the processor are enough for.
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
