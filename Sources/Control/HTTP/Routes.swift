// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import NIOPosix
internal import Settings

/// Who sends a request.
struct APIContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The user at the other end of the Unix socket; `nil` over TCP.
  var user: uid_t?

  init(source: ApplicationRequestContextSource) { coreContext = .init(source: source) }

  /// For the log.
  var origin: String {
    user.map { $0 == 0 ? "by command (root)" : "by command" } ?? "by HTTP"
  }
}

/// The API, the same on the Unix socket and on `page.listen`: JSON, with names in snake_case.
///
/// | request | answer |
/// |---|---|
/// | `GET /api/status` | `Status` |
/// | `POST /api/start` and the other commands | `ControlReply`: 200 done, 404 no such command, 409 not possible now |
/// | `GET /api/settings` | a list: each setting, its value, where that comes from, when a change counts |
/// | `PATCH /api/settings` | takes an object of keys and values, `null` to unset; `ControlReply`: 200, or 400 with all `problems` |
/// | `GET /api/events` | each `Event` as a server-sent event; with `Last-Event-ID` also those missed since |
///
/// Over TCP, a request that a page of another site may have made gets 403; over the socket, one of another user.
struct Routes: Sendable {
  static let eventsPath = "/api/events"
  /// Bytes of a request's body.
  static let longestBody = 65_536
  /// Reads and writes settings, which may block: a pause must not wait for a disk.
  private static let settingsThread = {
    let thread = NIOThreadPool(numberOfThreads: 1)
    thread.start()
    return thread
  }()

  let station: Station
  private let events = EventStreams()

  init(station: Station) { self.station = station }

  func responder(guarding address: HTTPListener.Address) -> some HTTPResponder<APIContext> {
    let router = Router(context: APIContext.self)
    switch address {
    case .tcp(let host, _):
      let isLocal = host.hasPrefix("127.") || host == "::1"
      router.add(middleware: SiteMiddleware(requestGuard: .here(isLocal: isLocal)))
    case .unix: router.add(middleware: UserMiddleware())
    }
    router.get("api/status") { [station] _, _ in Routes.json(JSON.encode(station.status)) }
    router.get("api/settings") { [station] _, _ in
      Routes.json(try await Routes.settingsThread.runIfActive { station.settingsList })
    }
    router.patch("api/settings") { [station] request, context in
      let body = try await request.body.collect(upTo: Routes.longestBody)
      let patch: SettingsPatch
      do throws(PatchError) {
        patch = try SettingsPatch(json: Array(buffer: body))
      } catch {
        return Routes.reply(ControlReply(fault: "not_understood", error.sentence), .badRequest)
      }
      let origin = context.origin
      let answer = try await Routes.settingsThread.runIfActive { station.answer(patch, by: origin) }
      return Routes.reply(answer, answer.problems == nil ? nil : .badRequest)
    }
    router.post("api/:command") { [station] _, context in
      let command = context.parameters.get("command") ?? ""
      let origin = context.origin
      var reply =
        command == Station.reloadWord
        ? try await Routes.settingsThread.runIfActive { station.answer(command, by: origin) }
        : station.answer(command, by: origin)
      await station.settle(&reply)
      return Routes.reply(reply)
    }
    router.get("api/events") { [station, events] request, _ in
      let after = HTTPField.Name("Last-Event-ID").flatMap { request.headers[$0] }.flatMap {
        Int($0)
      }
      guard let place = events.take() else {
        return Routes.reply(
          ControlReply(fault: "too_many", "Too many clients listen to events already."),
          .serviceUnavailable)
      }
      return Response(
        status: .ok, headers: [.contentType: "text/event-stream"],
        body: EventStreams.body(of: station.events, after: after, place: place))
    }
    return router.buildResponder()
  }

  static var tooLong: Response {
    reply(
      ControlReply(fault: "too_long", "A request has at most \(longestBody) bytes."),
      .contentTooLarge)
  }

  fileprivate static func reply(
    _ reply: ControlReply, _ status: HTTPResponse.Status? = nil
  ) -> Response {
    json(JSON.encode(reply), status ?? reply.httpStatus)
  }

  private static func json(_ bytes: [UInt8], _ status: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: status,
      headers: [
        .contentType: "application/json; charset=utf-8", .cacheControl: "no-store",
        .xContentTypeOptions: "nosniff",
      ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }

  /// Answers errors in JSON, too.
  fileprivate static func answer(
    _ request: Request, _ context: APIContext,
    _ next: (Request, APIContext) async throws -> Response
  ) async -> Response {
    do {
      return try await next(request, context)
    } catch {
      let status =
        (error as? HTTPError)?.status
        ?? (error is NIOTooManyBytesError ? .contentTooLarge : .internalServerError)
      let fault =
        status == .notFound
        ? ControlReply(
          fault: "no_such_request",
          "See /api/status, /api/settings, /api/events and POST /api/pause.")
        : ControlReply(fault: "failed", "The request cannot be answered: \(status.code).")
      return reply(fault, status)
    }
  }
}

extension ControlReply {
  fileprivate var httpStatus: HTTPResponse.Status {
    if ok { return .ok }
    return code == ControlReply.unknown ? .notFound : .conflict
  }
}

/// Rejects requests that `RequestGuard` does not allow.
private struct SiteMiddleware: RouterMiddleware {
  let requestGuard: RequestGuard

  func handle(
    _ request: Request, context: APIContext,
    next: (Request, APIContext) async throws -> Response
  ) async throws -> Response {
    let origin = request.headers[.origin]
    let site = HTTPField.Name("Sec-Fetch-Site").flatMap { request.headers[$0] }
    if let objection = requestGuard.objection(
      authority: request.head.authority, origin: origin, site: site)
    {
      return Routes.reply(ControlReply(fault: "forbidden", objection), .forbidden)
    }
    return await Routes.answer(request, context, next)
  }
}

/// Rejects requests of other users.
private struct UserMiddleware: RouterMiddleware {
  func handle(
    _ request: Request, context: APIContext,
    next: (Request, APIContext) async throws -> Response
  ) async throws -> Response {
    guard let user = context.user, user == 0 || user == geteuid() else {
      return Routes.reply(
        ControlReply(
          fault: "forbidden",
          "Only root and the user that OnAir runs as may command it: try with sudo."), .forbidden)
    }
    return await Routes.answer(request, context, next)
  }
}
