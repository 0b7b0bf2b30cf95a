// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Glibc
internal import Hummingbird
internal import NIOCore

/// What a client that is logged in has shown, with its secret.
enum Credential: Hashable {
  case session(String)
  case token(String)

  var isSession: Bool { if case .session = self { true } else { false } }
}

/// Who sends a request.
struct APIContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel
  /// The user at the other end of the Unix socket; `nil` over TCP.
  var user: uid_t?
  /// `nil` until it is known.
  var caller: Caller?
  /// What the caller may do; `nil` if it is not logged in.
  var scope: Scope?
  /// The secret of the caller's session, or of its token.
  var session: String?
  var token: String?
  /// Whether the request is not perhaps one that a page of another site, or of another port of this host, has made with the
  /// cookie of this one. Such a request can only ask to get something.
  var isOwn = true
  /// Whether the sender may still wait for the answer.
  var isWaitedFor: @Sendable () -> Bool = { true }

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
  }

  /// `nil` if the caller is not logged in, or on the Unix socket.
  var credential: Credential? {
    guard scope != nil else { return nil }
    return session.map(Credential.session) ?? token.map(Credential.token)
  }

  /// Whether the caller may open camera and microphone off air.
  var mayAim: Bool { scope.map { $0 >= .control } ?? false }

  /// For the log.
  var origin: String {
    user.map { $0 == 0 ? "by command (root)" : "by command" } ?? "by HTTP"
  }
}
