// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Box
internal import Hummingbird
internal import Video

extension Routes {
  /// What flashes and beeps, and in which part of the picture, in fractions of its sides.
  private struct Measurement: RequestBody {
    static let fields: Set<String> = ["by", "x", "y", "width", "height"]
    /// "box" for its lamp and buzzer, or hands that clap; "phone" for a phone that flashes and beeps.
    var by: String?
    var x: Double?
    var y: Double?
    var width: Double?
    var height: Double?

    var isByPhone: Bool { by == "phone" }

    /// The part of the picture; `nil` for the usual one.
    /// - Throws: `HTTPError` if a side is missing, or if the part is not inside the picture.
    func area() throws -> LumaArea? {
      guard [x, y, width, height].contains(where: { $0 != nil }) else { return nil }
      guard let x, let y, let width, let height, [x, y].allSatisfy({ (0..<1).contains($0) }),
        width > 0, height > 0, x + width <= 1.0001, y + height <= 1.0001
      else { throw HTTPError(.badRequest) }
      return LumaArea(x: x, y: y, width: width, height: height)
    }
  }

  /// Adds the routes for the lip-sync measurement.
  func addLipSync(to table: inout RouteTable) {
    table.on(.get, "api/lipsync", needs: .read) { [station] _, _ in Answer.json(station.lipSync) }
    table.on(.post, "api/lipsync", needs: .control) { [station] request, context in
      let body = try await Routes.body(of: request)
      let asked = body.isEmpty ? Measurement() : try Routes.decode(Measurement.self, body)
      guard ["box", "phone", nil].contains(asked.by) else { throw HTTPError(.badRequest) }
      let area = try asked.area()
      do throws(StationError) {
        return Answer.json(
          try station.measureLipSync(in: area, isByPhone: asked.isByPhone, by: context.origin))
      } catch {
        return Answer.reply(ControlReply(error))
      }
    }
  }
}
