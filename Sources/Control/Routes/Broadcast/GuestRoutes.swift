// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Base
internal import Box
internal import Figures
internal import HTTPTypes
internal import Hummingbird
internal import Media
internal import Posix
internal import Preview
internal import Settings

extension ListRoutes {
  /// The routes of the list of guests. `GET` answers with the layout, too.
  static let guests = ListRoutes(
    list: GuestSettings.list,
    entries: { JSON.encode($0.guests(mayView: false).guests) },
    answer: { JSON.encode($0.guests(mayView: $0.mayViewGuests($1))) },
    readOnly: GuestsReply.readOnly)
}

extension Routes {
  /// The body of `POST /api/layout`.
  private struct Layout: RequestBody {
    static let fields: Set = ["layout"]
    /// `nil` to give the choice back.
    var layout: String?
  }

  /// The body of `POST /api/mix`, and of `PATCH /api/mix/ID`.
  private struct Mix: RequestBody {
    static let fields: Set = ["id", "mode", "source", "layout"]
    var id: String?
    var mode: String?
    var source: String?
    var layout: String?
  }

  /// The longest side of a guest's picture, in pixels.
  private static let pictureSide = 320

  /// Adds the routes of guests besides those of `addLists`, and those of the layout.
  func addGuests(to table: inout RouteTable) {
    for action in GuestAction.allCases {
      table.on(.post, "api/guests/:name/\(action.rawValue)", needs: .operate) {
        [station] request, context in
        // A command whose body does not arrive completely is not carried out.
        _ = try await Routes.body(of: request)
        return Routes.answer(
          station.guest(action, context.parameters.get("name") ?? "", by: context.origin))
      }
    }
    table.on(.get, "api/guests/:name/picture", needs: .read) { [station] _, context in
      let name = context.parameters.get("name") ?? ""
      guard station.mayViewGuests(context.scope) else {
        return Answer.fault(
          "scope_too_small",
          "It needs the scope \"control\", or \"operate\" during a broadcast.",
          .forbidden)
      }
      let picture = try await station.jobs.run {
        station.guestPicture(name)?.jpeg(longestSide: Routes.pictureSide)
      }
      guard let picture else {
        return Answer.fault("no_picture", "There is no picture of this guest.", .notFound)
      }
      return Answer.bytes(picture, headers: [.contentType: "image/jpeg"])
    }
    table.on(.get, "api/guests/:name/invitation", needs: .admin) { [self] request, context in
      answer(toInvitation: request, context) { Answer.json(JSON.encode($0)) }
    }
    table.on(.get, "api/guests/:name/invitation.svg", needs: .admin) { [self] request, context in
      answer(toInvitation: request, context) { invitation in
        let isSRT = request.uri.queryParameters["way"] == "srt"
        guard let code = QRCode(isSRT ? invitation.srt ?? "" : invitation.rtmp) else {
          return Answer.fault(
            "failed", "The code cannot be made: too little memory is left.", .serviceUnavailable)
        }
        return Answer.bytes(Array(code.svg.utf8), headers: [.contentType: "image/svg+xml"])
      }
    }
    table.on(.get, "api/layout", needs: .read) { [station] _, _ in
      Answer.json(station.guests(mayView: false).layout)
    }
    table.on(.post, "api/layout", needs: .operate) { [station] request, context in
      let body = try await Routes.decode(Layout.self, request)
      return Routes.answer(toBody: station.choose(layout: body.layout, by: context.origin))
    }
    addMix(to: &table)
  }

  /// Adds the routes by which programs choose the layout.
  private func addMix(to table: inout RouteTable) {
    table.on(.get, "api/mix", needs: .read) { [station] _, _ in
      Answer.json(station.mix.map { JSON.encode($0) } ?? Array("null".utf8))
    }
    table.on(.post, "api/mix", needs: .operate) { [station] request, context in
      let mix = try await Routes.decode(Mix.self, request)
      return Routes.answer(
        toBody: station.beginMix(
          mix.id ?? "", mode: mix.mode ?? "", source: mix.source, layout: mix.layout,
          by: context.origin))
    }
    table.on(.patch, "api/mix/:id", needs: .operate) { [station] request, context in
      let mix = try await Routes.decode(Mix.self, request)
      let id = Routes.mixID(context)
      guard mix.id == nil || mix.id == id else {
        return Answer.fault("not_understood", "The id of a task cannot be changed.", .badRequest)
      }
      return Routes.answer(
        station.changeMix(
          id, mode: mix.mode, source: mix.source, layout: mix.layout, by: context.origin))
    }
    table.on(.delete, "api/mix/:id", needs: .operate) { [station] _, context in
      Routes.answer(station.endMix(Routes.mixID(context), by: context.origin))
    }
  }

  /// The answer to the question how a guest sends to the box.
  private func answer(
    toInvitation request: Request, _ context: APIContext, _ answer: (GuestInvitation) -> Response
  ) -> Response {
    let name = context.parameters.get("name") ?? ""
    return switch station.invitation(ofGuest: name, host: Routes.host(of: request)) {
    case .refusal(let reply): Routes.answer(reply)
    case .invitation(let invitation): answer(invitation)
    }
  }

  /// The host of a request, as its sender reaches this box.
  private static func host(of request: Request) -> String {
    let host = RequestGuard.host(of: request.head.authority ?? "") ?? Host.name
    return host.contains(":") ? "[\(host)]" : host
  }

  private static func mixID(_ context: APIContext) -> String {
    context.parameters.get("id") ?? ""
  }

  /// The answer to a command to a guest or a task whose name is in the address.
  private static func answer(_ reply: ControlReply) -> Response {
    let isUnknown = reply.code == "unknown_guest" || reply.code == "unknown_task"
    return isUnknown ? Answer.reply(reply, .notFound) : answer(toBody: reply)
  }

  /// The answer to a request whose body names the guest or the layout.
  private static func answer(toBody reply: ControlReply) -> Response {
    switch reply.code {
    case "unknown_guest", "unknown_layout", "unfit_id", "unfit_mix":
      Answer.reply(reply, .badRequest)
    case "no_invitation": Answer.reply(reply, .conflict)
    default: Answer.reply(reply, nil)
    }
  }
}

extension Station {
  /// Whether a caller with this scope may see and hear guests whom viewers do not get: off air as the camera, and during
  /// a broadcast whoever may admit them.
  fileprivate func mayViewGuests(_ scope: Scope?) -> Bool {
    scope.map { $0 >= .control || $0 >= .operate && hasProgramme } ?? false
  }
}
