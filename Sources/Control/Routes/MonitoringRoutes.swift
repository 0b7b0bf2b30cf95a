// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Base
internal import Events
internal import HTTPTypes
internal import Hummingbird

extension Routes {
  /// Adds the routes that only show something: the health check, figures, metrics, the log and the diagnostics file.
  func addMonitoring(to table: inout RouteTable) {
    table.on(.get, "healthz", needs: nil) { [station] _, _ in
      station.isAlive(station.clock.now)
        ? Answer.text("ok\n")
        : Answer.text("A thread of the media path hangs.\n", .serviceUnavailable)
    }
    table.on(.get, "api/figures", needs: .read) { [station] _, _ in
      guard let figures = station.figures else {
        return Answer.fault("not_ready", "There are no figures yet.", .serviceUnavailable)
      }
      return Answer.json(figures)
    }
    table.on(.get, "api/history", needs: .read) { [station] request, _ in
      guard let seconds = Routes.number(request, "seconds", 1...7_200, default: 7_200) else {
        return Routes.unfitNumber("seconds", 1...7_200)
      }
      return Answer.json(station.history(seconds: seconds))
    }
    table.on(.get, "metrics", needs: .read) { [station] _, _ in
      // The text format 0.0.4 of Prometheus.
      Answer.bytes(
        Array(station.metrics.utf8),
        headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"])
    }
    table.on(.get, "api/log", needs: .admin) { [log] request, _ in
      guard let count = Routes.number(request, "lines", 1...LogTail.maxLines, default: 200) else {
        return Routes.unfitNumber("lines", 1...LogTail.maxLines)
      }
      return Answer.json(log.newest(count))
    }
    table.on(.get, "api/diagnostics", needs: .admin) { [self] _, _ in
      var response = Answer.json(try await station.jobs.run { diagnostics })
      response.headers[.contentDisposition] = "attachment; filename=\"onair-diagnostics.json\""
      return response
    }
  }

  /// The integer in a query parameter: `standard` if the request does not have the parameter, and `nil` if the value is
  /// not an integer in `range`.
  static func number(
    _ request: Request, _ name: String, _ range: ClosedRange<Int>, default standard: Int
  ) -> Int? {
    guard let text = request.uri.queryParameters[name[...]] else { return standard }
    return Int(text).flatMap { range.contains($0) ? $0 : nil }
  }

  /// The answer to a request for which `number` has returned `nil`.
  static func unfitNumber(_ name: String, _ range: ClosedRange<Int>) -> Response {
    Answer.fault(
      "not_understood", "\(name) must be a number from \(range.lowerBound) to \(range.upperBound).",
      .badRequest)
  }
}
