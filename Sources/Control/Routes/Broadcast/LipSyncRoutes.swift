// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Box
internal import Hummingbird
internal import Video

extension Routes {
  /// The part of the picture in which the flashes of a measurement are, in fractions of its sides.
  private struct Area: RequestBody {
    static let fields: Set<String> = ["x", "y", "width", "height"]
    var x: Double
    var y: Double
    var width: Double
    var height: Double

    var isInside: Bool {
      [x, y].allSatisfy { (0..<1).contains($0) } && width > 0 && height > 0 && x + width <= 1.0001
        && y + height <= 1.0001
    }
  }

  /// Adds the routes for the lip-sync measurement.
  func addLipSync(to table: inout RouteTable) {
    table.on(.get, "api/lipsync", needs: .read) { [station] _, _ in Answer.json(station.lipSync) }
    table.on(.post, "api/lipsync", needs: .control) { [station] request, context in
      let body = try await Routes.body(of: request)
      let area = body.isEmpty ? nil : try Routes.decode(Area.self, body)
      guard area?.isInside ?? true else { throw HTTPError(.badRequest) }
      let part = area.map { LumaArea(x: $0.x, y: $0.y, width: $0.width, height: $0.height) }
      do throws(StationError) {
        return Answer.json(try station.measureLipSync(in: part, by: context.origin))
      } catch {
        return Answer.reply(ControlReply(error))
      }
    }
  }
}
