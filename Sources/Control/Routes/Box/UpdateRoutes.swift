// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Box
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

extension Routes {
  /// The body of `POST /api/update`.
  private struct DownloadRequest: RequestBody {
    static let fields: Set = ["url", "older"]
    var url: String
    /// Whether a version that is older than the present one may be installed; `nil` stands for `false`.
    var older: Bool?
  }

  /// Adds the routes for updates of the whole system: their state, a download and an upload.
  func addUpdate(to table: inout RouteTable) {
    table.on(.get, "api/update", needs: .read) { [update] _, _ in
      Answer.json(try await station.jobs.run { update.state })
    }
    table.on(.post, "api/update", needs: .admin) { [self] request, context in
      let wanted = try await Routes.decode(DownloadRequest.self, request)
      return try await reply(by: context.origin) {
        ControlReply(
          changed: true, try update.fetch(wanted.url, allowsOlder: wanted.older ?? false))
      }
    }
    table.on(.put, "api/update", needs: .admin, query: ["older"]) { [self] request, context in
      // A body that is too long is refused before any of it is read.
      if let length = request.headers[.contentLength].flatMap({ Int($0) }),
        length > SystemUpdate.maxBytes
      {
        return Answer.reply(UpdateError.tooLong.reply, .contentTooLarge)
      }
      let older = request.uri.queryParameters["older"].map(String.init)
      guard [nil, "0", "1"].contains(older) else {
        return Answer.fault("not_understood", "older is 0 or 1.", .badRequest)
      }
      return try await reply(by: context.origin) {
        let upload = try await JobThread.uploads.run { [update] in
          try update.beginUpload(allowsOlder: older == "1")
        }
        for try await piece in request.body {
          let bytes = Array(buffer: piece)
          try await JobThread.uploads.run { try upload.write(bytes) }
        }
        try await JobThread.uploads.run { try upload.finish() }
        return ControlReply(changed: true, "The update has arrived, and is installed.")
      }
    }
  }

  /// Answers with the reply of `body` and reports the update as an event; refuses the update during a broadcast.
  private func reply(
    by origin: String, _ body: () async throws -> ControlReply
  ) async throws -> Response {
    do {
      if station.isBroadcasting { throw UpdateError.onAir }
      let reply = try await body()
      station.events.report(.updating, subject: "system", "An update was asked for \(origin).")
      return Answer.reply(reply)
    } catch let fault as UpdateError {
      return Answer.reply(fault.reply, fault.httpStatus)
    }
  }
}

extension UpdateError {
  /// The status of the response that reports the error.
  fileprivate var httpStatus: HTTPResponse.Status {
    switch self {
    case .notAvailable, .onAir, .busy, .notSaved: .conflict
    case .tooLong: .contentTooLarge
    case .noBundle, .unfitAddress: .badRequest
    }
  }
}
