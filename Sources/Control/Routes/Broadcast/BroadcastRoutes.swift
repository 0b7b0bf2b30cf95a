// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Base
internal import Box
internal import Director
internal import Figures
internal import HTTPTypes
internal import Hummingbird

extension Routes {
  /// The body of `POST /api/start` and of `PUT /api/destination`.
  private struct Start: RequestBody {
    static let fields: Set = ["url", "key"]
    var url: String?
    var key: String?
  }

  /// A command is refused if the time in its header X-OnAir-Seen is longer ago than this, in milliseconds. A page gets
  /// a message from the box each second, and a command may take five seconds to arrive.
  private static let oldestSeenMilliseconds: Int64 = 8_000
  /// The commands, besides "start", for which the scope "operate" is enough.
  private static let operatorCommands: Set = [
    "stop", "pause", "resume", "mute", "unmute", "video_off", "video_on", "audio_off", "audio_on",
  ]

  /// Adds the routes for the broadcast: its status, the commands, and the stream of events.
  func addBroadcast(to table: inout RouteTable) {
    table.on(.get, "api/status", needs: .read) { [station] _, _ in
      Answer.json(JSON.encode(station.feed.present(station.clock.now) { station.status }))
    }
    table.on(.post, "api/start", needs: .operate) { [self] request, context in
      let body = try await Routes.body(of: request)
      let start = body.isEmpty ? Start() : (try? Routes.decode(Start.self, body))
      guard let start, start.url != nil || start.key == nil else {
        return Answer.fault(
          "not_understood",
          "The body must be empty, or as in {\"url\": \"rtmp://…\", \"key\": \"…\"}.",
          .badRequest)
      }
      guard let url = start.url else { return try await command("start", request, context) }
      guard context.scope == .admin else {
        return Answer.fault(
          "scope_too_small", "Another address needs the scope \"admin\".", .forbidden)
      }
      if let refusal = refuseLate("start", request, context) { return refusal }
      let once = OnceDestination(url: url, key: start.key ?? "")
      let origin = context.origin
      var reply = try await station.jobs.run { [desk] in desk.answer(once, by: origin) }
      await station.settle(&reply)
      return Answer.reply(reply)
    }
    table.on(.put, "api/destination", needs: .admin) { [self] request, context in
      let place = try await Routes.decode(Start.self, request)
      guard let url = place.url else {
        return Answer.fault(
          "not_understood", "The body must be as in {\"url\": \"rtmp://…\", \"key\": \"…\"}.",
          .badRequest)
      }
      if let refusal = refuseLate("destination", request, context) { return refusal }
      let once = OnceDestination(url: url, key: place.key ?? "")
      let origin = context.origin
      var reply = try await station.jobs.run { [desk] in
        desk.answer(movingTo: once, by: origin)
      }
      station.complete(&reply)
      return Answer.reply(reply)
    }
    for word in Command.allCases.map(\.rawValue) + [Station.reloadWord] where word != "start" {
      let scope: Scope =
        word == Station.reloadWord
        ? .admin : Routes.operatorCommands.contains(word) ? .operate : .control
      table.on(.post, "api/\(word)", needs: scope) { [self] request, context in
        // A command whose body does not arrive completely is not carried out.
        _ = try await Routes.body(of: request)
        return try await command(word, request, context)
      }
    }
    table.on(.post, "api/:command", needs: .control) { [self] request, context in
      _ = try await Routes.body(of: request)
      return try await command(context.parameters.get("command") ?? "", request, context)
    }
    table.on(.get, "api/events", needs: .read) { [self] request, context in
      let after =
        request.headers[FieldName.lastEventID]
        ?? request.uri.queryParameters["after"].map(String.init)
      guard let place = events.reservePlace() else {
        return Answer.fault(
          "too_many", "Too many clients listen to events already.", .serviceUnavailable)
      }
      return Response(
        status: .ok,
        headers: [
          .contentType: "text/event-stream", .cacheControl: "no-store",
          .xContentTypeOptions: "nosniff",
        ],
        body: events.body(
          of: station, after: after.flatMap { Int($0) },
          with: .init(names: request.uri.queryParameters["with"] ?? ""),
          mayViewOffAir: context.mayViewOffAir, place: place,
          while: { [access] in Gatekeeper.isStillLoggedIn(context, access) }))
    }
  }

  /// Refuses a command whose sender has hung up or has waited too long: meanwhile the person may have done something
  /// else, perhaps with the button. "pause", "mute", "video_off" and "audio_off" are always carried out, since they keep
  /// something of the room private.
  /// - Returns: the refusal; `nil` if the command is to be carried out.
  private func refuseLate(
    _ word: String, _ request: Request, _ context: APIContext
  ) -> Response? {
    let hides = Command(rawValue: word)?.onlyHides ?? false
    if hides || context.isWaitedFor() && !isOutdated(request) { return nil }
    return Answer.fault(
      "too_late", "The command came too late, and was not carried out: give it again.", .conflict)
  }

  /// Whether, by the header X-OnAir-Seen, more than `oldestSeenMilliseconds` have passed since the sender last heard
  /// from this box. Such a command was given on a page that had lost its connection, and the person has given up since.
  private func isOutdated(_ request: Request) -> Bool {
    guard let text = request.headers[FieldName.lastHeard], let heard = Int64(text) else {
      return false
    }
    let age = station.events.wallClock.milliseconds.subtractingReportingOverflow(heard)
    return age.overflow || age.partialValue > Routes.oldestSeenMilliseconds
  }

  /// Carries out a command, unless it came too late.
  private func command(
    _ word: String, _ request: Request, _ context: APIContext
  ) async throws -> Response {
    if let refusal = refuseLate(word, request, context) { return refusal }
    let origin = context.origin
    var reply =
      word == Station.reloadWord
      ? try await station.jobs.run { [desk] in desk.reload(by: origin) }
      : station.answer(word, by: origin)
    if word == Command.stop.rawValue { await station.awaitEnd() }
    await station.settle(&reply)
    return Answer.reply(reply)
  }
}
