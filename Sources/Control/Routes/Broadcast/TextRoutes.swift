// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Box
internal import HTTPTypes
internal import Hummingbird

extension Routes {
  /// The body of `PATCH /api/text/NAME`.
  private struct Text: RequestBody {
    static let fields: Set = ["text"]
    var text: String
  }

  /// Adds the routes that list and set the texts that replace `{api:NAME}` in text overlays.
  func addTexts(to table: inout RouteTable) {
    table.on(.get, "api/text", needs: .read) { [station] _, _ in Answer.json(station.texts) }
    table.on(.patch, "api/text/:name", needs: .operate) { [station] request, context in
      let body = try await Routes.decode(Text.self, request)
      let reply = station.set(text: body.text, for: context.parameters.get("name") ?? "")
      let isUnfit = reply.code == "unfit_name" || reply.code == "unfit_text"
      return Answer.reply(reply, isUnfit ? .badRequest : nil)
    }
  }
}
