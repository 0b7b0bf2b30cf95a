// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import HTTPTypes
internal import Hummingbird
internal import Posix

/// What a client may do, as `GET /api/session` writes it.
private struct SessionReply: Encodable {
  var setUp: Bool
  var loggedIn: Bool
  var needsCode: Bool
  /// There was a password, and the box has lost it.
  var passwordLost: Bool
  var scope: Scope?
  var name: String
  var version: String?
  /// A change of the network that is kept as soon as a page reaches the box.
  var networkChange: Int?
}

extension Routes {
  private struct SetUp: RequestBody {
    static let fields: Set = ["password", "code"]
    var password: String
    var code: String?
  }
  private struct LogIn: RequestBody {
    static let fields: Set = ["password"]
    var password: String
  }
  private struct NewPassword: RequestBody {
    static let fields: Set = ["old", "new"]
    var old: String?
    var new: String
  }
  private struct Reset: RequestBody {
    static let fields: Set = ["confirm"]
    /// What a person has to type.
    static let word = "reset"
    var confirm: String
  }
  private struct TokenRequest: RequestBody {
    static let fields: Set = ["name", "scope"]
    var name: String
    var scope: Scope
  }

  /// Who may use the box.
  func addAccess(to table: inout RouteTable) {
    table.on(.get, "api/session", needs: nil) { [self] _, context in
      Answer.json(session(context))
    }
    table.on(.post, "api/setup", needs: nil) { [self] request, context in
      let wanted = try await Routes.decode(SetUp.self, request)
      let caller = try Routes.caller(context)
      let secret = try await access.setUp(
        password: wanted.password, code: wanted.code, from: caller)
      return logIn(secret, request, context)
    }
    table.on(.post, "api/login", needs: nil) { [self] request, context in
      let wanted = try await Routes.decode(LogIn.self, request)
      let secret = try await access.logIn(
        password: wanted.password, from: Routes.caller(context))
      return logIn(secret, request, context)
    }
    table.on(.post, "api/logout", needs: .read) { [self] request, context in
      var wasIn = false
      if let session = context.session { wasIn = try await access.logOut(session: session) }
      var response = Answer.reply(ControlReply(changed: wasIn, "Logged out."))
      response.headers[.setCookie] = Routes.cookie("", maxAge: 0, request)
      return response
    }
    table.on(.post, "api/password", needs: .admin) { [self] request, context in
      let wanted = try await Routes.decode(NewPassword.self, request)
      switch try Routes.caller(context) {
      case .owner:
        if access.isSetUp {
          try await access.changePassword(to: wanted.new)
        } else {
          _ = try await access.setUp(password: wanted.new, from: .owner)
        }
      case let caller:
        try await access.changePassword(
          from: wanted.old ?? "", to: wanted.new, keeping: context.session, from: caller)
      }
      return Answer.reply(
        ControlReply(changed: true, "The password is changed; all other sessions have ended."))
    }
    table.on(.get, "api/tokens", needs: .admin) { [access] _, _ in Answer.json(access.tokens) }
    table.on(.post, "api/tokens", needs: .admin) { [access] request, _ in
      let wanted = try await Routes.decode(TokenRequest.self, request)
      let made = try await access.makeToken(name: wanted.name, scope: wanted.scope)
      return Answer.json(
        TokenReply(
          name: made.token.name, scope: made.token.scope.rawValue, made: made.token.made,
          token: made.secret.reveal()))
    }
    table.on(.delete, "api/tokens/:name", needs: .admin) { [access] _, context in
      try await access.removeToken(name: context.parameters.get("name") ?? "")
      return Answer.reply(ControlReply(changed: true, "The token does not count any more."))
    }
    table.on(.post, "api/factory_reset", needs: .admin) { [station] request, context in
      guard try await Routes.decode(Reset.self, request).confirm == Reset.word else {
        return Answer.fault(
          "not_confirmed", "Confirm it with {\"confirm\": \"\(Reset.word)\"}.", .badRequest)
      }
      let origin = context.origin
      return Answer.reply(
        try await DiskThread.run {
          do throws(Station.Fault) {
            try station.resetToFactory(by: origin)
            return ControlReply(
              changed: true, "Everything is forgotten. The box begins as it came from the factory.")
          } catch {
            return ControlReply(error)
          }
        })
    }
    table.on(.post, "api/access/reset", needs: .admin) { [access] _, context in
      guard case .owner = try Routes.caller(context) else {
        return Answer.fault(
          "forbidden",
          "Only on the box itself: hold the button for 10 s, or run \"onair password --reset\".",
          .forbidden)
      }
      try await access.reset()
      return Answer.reply(
        ControlReply(
          changed: true,
          "Password, sessions and tokens are forgotten: set a new password on the page."))
    }
  }

  private func session(_ context: APIContext) -> SessionReply {
    SessionReply(
      setUp: access.isSetUp, loggedIn: context.scope != nil,
      needsCode: context.caller.map { access.needsCode(from: $0) } ?? true,
      passwordLost: access.isLost, scope: context.scope,
      name: station.settings.box.shownName, version: context.scope == nil ? nil : Version.current,
      networkChange: network.state.unconfirmed)
  }

  private func logIn(
    _ secret: RandomSecret, _ request: Request, _ context: APIContext
  ) -> Response {
    var context = context
    context.scope = .admin
    return Answer.json(
      session(context),
      headers: [
        .setCookie: Routes.cookie(
          secret.reveal(), maxAge: Gatekeeper.sessionSeconds, request)
      ])
  }

  private static func caller(_ context: APIContext) throws -> Caller {
    guard let caller = context.caller else { throw HTTPError(.forbidden) }
    return caller
  }

  /// The session cookie (RFC 6265bis). Behind a proxy with TLS a browser sends it only over TLS.
  private static func cookie(_ value: String, maxAge: Int, _ request: Request) -> String {
    let isSecure = request.headers[FieldName.forwardedProto]?.lowercased() == "https"
    return "\(Gatekeeper.cookieName)=\(value); Path=/; HttpOnly; SameSite=Strict; Max-Age=\(maxAge)"
      + (isSecure ? "; Secure" : "")
  }
}
