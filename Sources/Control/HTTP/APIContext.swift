// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Glibc
internal import Hummingbird
internal import NIOCore

/// The session or token with which a client is logged in, with its secret.
enum Credential: Hashable {
  /// A session of a browser. The value is its secret.
  case session(String)
  /// An access token that was made for a script. The value is the token's text, as the script sends it.
  case token(String)

  var isSession: Bool { if case .session = self { true } else { false } }
}

/// The context of a request: who sends it, and what the sender may do.
struct APIContext: RequestContext {
  /// The part of the context that Hummingbird itself uses.
  var coreContext: CoreRequestContextStorage
  /// The connection on which the request has come.
  let channel: any Channel
  /// The user ID of the process at the other end of the Unix socket; `nil` over TCP.
  var user: uid_t?
  /// Where the request comes from; `nil` until `Gatekeeper` or `OwnerGate` has found out.
  var caller: Caller?
  /// The rights of the caller; `nil` if the caller is not logged in.
  var scope: Scope?
  /// The secret of the caller's session; `nil` if the request shows no valid one.
  var session: String?
  /// The token's secret as the caller has sent it, valid or not; `nil` if the request has none.
  var token: String?
  /// `false` if a page of another site, or of another port of this host, may have caused the request: a browser adds
  /// this box's session cookie to such a request, too. Only a request that reads can have `false`. A request that
  /// changes something is refused unless it proves that it comes from a page of this box.
  var isSameOrigin = true
  /// Whether the sender may still wait for the response: it is connected, and has not waited for longer than
  /// `Connections.patienceNanos`.
  var isWaitedFor: @Sendable () -> Bool = { true }

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
  }

  /// The session or token of the caller; `nil` if the caller is not logged in, or uses the Unix socket.
  var credential: Credential? {
    guard scope != nil else { return nil }
    return session.map(Credential.session) ?? token.map(Credential.token)
  }

  /// Whether the caller may open camera and microphone off air.
  var mayViewOffAir: Bool { scope.map { $0 >= .control } ?? false }

  /// The name of the caller's token; `nil` if the request has no valid one.
  var tokenName: String?

  /// How the request came, in words for the log: "by command", "on the page", or "with the token NAME".
  var origin: String {
    if let user { return user == 0 ? "by command (root)" : "by command" }
    if session != nil { return "on the page" }
    return tokenName.map { "with the token \($0)" } ?? "by HTTP"
  }
}
