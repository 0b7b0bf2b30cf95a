// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Base
internal import Box
internal import Figures
internal import HTTPTypes
internal import Hummingbird
internal import Posix

/// The response to `GET /api/session`: whether the box is set up, and what the client may do.
private struct SessionReply: Encodable {
  /// Whether the box has a password.
  var setUp: Bool
  /// Whether the client has shown a valid session or token.
  var loggedIn: Bool
  /// Whether this client needs the set-up code to set the first password.
  var needsCode: Bool
  /// Whether the box had a password, but the file that contains it is gone.
  var passwordLost: Bool
  /// What the client may do; `nil` if it is not logged in.
  var scope: Scope?
  /// The name of the box.
  var name: String
  /// The version of OnAir; `nil` if the client is not logged in.
  var version: String?
  /// The number of the network change that waits to be confirmed; `nil` if none waits. A page confirms the change as
  /// soon as it reaches the box.
  var networkChange: Int?
  /// Whether there is an operator's password; `nil` unless the client has the scope "admin".
  var hasOperatorPassword: Bool?
}

extension Routes {
  /// The body of `POST /api/setup`.
  private struct SetUp: RequestBody {
    static let fields: Set = ["password", "code"]
    var password: String
    var code: String?
  }
  /// The body of `POST /api/login`.
  private struct LogInRequest: RequestBody {
    static let fields: Set = ["password"]
    var password: String
  }
  /// The body of `POST /api/password`.
  private struct NewPassword: RequestBody {
    static let fields: Set = ["old", "new", "remove_tokens"]
    var old: String?
    var new: String
    var removeTokens: Bool?
  }
  /// The body of `POST /api/operator_password`.
  private struct OperatorPassword: RequestBody {
    static let fields: Set = ["new", "password"]
    /// The operator's new password; `nil` removes the operator's password.
    var new: String?
    /// The owner's password, which confirms the change.
    var password: String?
  }
  /// The body of `POST /api/factory_reset`.
  private struct Reset: RequestBody {
    static let fields: Set = ["confirm", "password"]
    /// The text that `confirm` must contain.
    static let word = "reset"
    var confirm: String
    var password: String?
  }
  /// The body of `POST /api/tokens`.
  private struct TokenRequest: RequestBody {
    static let fields: Set = ["name", "scope"]
    var name: String
    var scope: Scope
  }

  /// Adds the routes for set-up, login, passwords, tokens and resets.
  func addAccess(to table: inout RouteTable) {
    table.on(.get, "api/session", needs: nil) { [self] _, context in
      Answer.json(session(context))
    }
    table.on(.post, "api/setup", needs: nil) { [self] request, context in
      let wanted = try await Routes.decode(SetUp.self, request)
      let caller = try Routes.caller(context)
      let logIn = try await access.setUp(
        password: wanted.password, code: wanted.code, from: caller)
      return answer(logIn, request, context)
    }
    table.on(.post, "api/login", needs: nil) { [self] request, context in
      let wanted = try await Routes.decode(LogInRequest.self, request)
      let device = cookies.devices(in: request.headers).first(where: access.isKnown(device:))
      let logIn = try await access.logIn(
        password: wanted.password, from: Routes.caller(context), device: device)
      return answer(logIn, request, context, device: device)
    }
    table.on(.post, "api/logout", needs: .read) { [self] request, context in
      var wasIn = false
      if let session = context.session { wasIn = try await access.logOut(session: session) }
      var response = Answer.reply(ControlReply(changed: wasIn, "Logged out."))
      response.headers[.setCookie] = cookies.sessionRemovalField(request)
      return response
    }
    table.on(.post, "api/password", needs: .admin) { [self] request, context in
      let wanted = try await Routes.decode(NewPassword.self, request)
      let removesTokens = wanted.removeTokens ?? false
      switch try Routes.caller(context) {
      case .owner:
        if access.isSetUp {
          try await access.changePassword(to: wanted.new, removesTokens: removesTokens)
        } else {
          _ = try await access.setUp(password: wanted.new, from: .owner)
        }
      case let caller:
        try await access.changePassword(
          from: wanted.old ?? "", to: wanted.new, keeping: context.session, from: caller,
          removesTokens: removesTokens)
      }
      return Answer.reply(
        ControlReply(
          changed: true,
          removesTokens
            ? "The password is changed; all other sessions have ended, and no token and no operator's password counts any more."
            : "The password is changed; all other sessions have ended."))
    }
    table.on(.post, "api/operator_password", needs: .admin) { [self] request, context in
      let wanted = try await Routes.decode(OperatorPassword.self, request)
      // The owner's password is needed, because the session or token that sets the operator's password may be stolen,
      // and the operator's password outlives it.
      if let refusal = try await refuse(
        wanted.password, context,
        "The password for operators needs yours, except on the box itself.")
      {
        return refusal
      }
      let new = wanted.new
      try await access.setOperatorPassword(new)
      return Answer.reply(
        ControlReply(
          changed: true,
          new == nil
            ? "There is no password for operators any more."
            : "The password for operators is set: with it one can start, pause, mute and end the broadcast."
        ))
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
    table.on(.post, "api/factory_reset", needs: .admin) { [self, station] request, context in
      let wanted = try await Routes.decode(Reset.self, request)
      guard wanted.confirm == Reset.word else {
        return Answer.fault(
          "not_confirmed",
          "Confirm it with {\"confirm\": \"\(Reset.word)\", \"password\": \"…\"}.", .badRequest)
      }
      // After a reset the box belongs to whoever sets it up first, so a stolen session or token must not be enough for
      // a reset.
      if let refusal = try await refuse(
        wanted.password, context, "A reset from elsewhere than the box needs the password.")
      {
        return refusal
      }
      let origin = context.origin
      return Answer.reply(
        try await station.jobs.run {
          do throws(StationError) {
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

  /// Refuses a request that only the owner may make, unless it comes over the Unix socket or has the owner's password.
  /// - Parameter sentence: the reason in the answer to a request without a password.
  /// - Returns: the refusal; `nil` if the request may go on.
  /// - Throws: `AccessError` if the password is wrong or cannot be checked.
  private func refuse(
    _ password: String?, _ context: APIContext, _ sentence: String
  ) async throws -> Response? {
    let caller = try Routes.caller(context)
    if caller == .owner { return nil }
    guard let password else { return Answer.fault("password_needed", sentence, .forbidden) }
    try await access.confirm(password: password, session: context.session, from: caller)
    return nil
  }

  /// What `GET /api/session` answers to a client.
  private func session(_ context: APIContext) -> SessionReply {
    SessionReply(
      setUp: access.isSetUp, loggedIn: context.scope != nil,
      needsCode: context.caller.map { access.needsCode(from: $0) } ?? true,
      passwordLost: access.isPasswordLost, scope: context.scope,
      name: station.settings.box.shownName, version: context.scope == nil ? nil : Version.current,
      networkChange: network.state.unconfirmed,
      hasOperatorPassword: context.scope == .admin ? access.hasOperatorPassword : nil)
  }

  /// The response to a login: the state of the session, with its cookies.
  /// - Parameter device: the device secret that the browser has from an earlier login; `nil` if it has none.
  private func answer(
    _ logIn: LogIn, _ request: Request, _ context: APIContext, device: String? = nil
  ) -> Response {
    var context = context
    context.scope = logIn.scope
    var headers: HTTPFields = [
      .setCookie: cookies.sessionField(logIn.session.reveal(), request)
    ]
    if let device = logIn.device?.reveal() ?? device {
      headers.append(HTTPField(name: .setCookie, value: cookies.deviceField(device, request)))
    }
    return Answer.json(session(context), headers: headers)
  }

  /// The sender of a request; throws the status 403 if it is not known.
  private static func caller(_ context: APIContext) throws -> Caller {
    guard let caller = context.caller else { throw HTTPError(.forbidden) }
    return caller
  }
}
