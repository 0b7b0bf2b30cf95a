// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Glibc
internal import Hummingbird

/// The middleware of the Unix socket: it lets in root and the user that OnAir runs as, with all rights, and nobody
/// else.
struct OwnerGate: RouterMiddleware {
  /// Calls the route with all rights, or refuses the request of another user.
  func handle(
    _ request: Request, context: APIContext,
    next: (Request, APIContext) async throws -> Response
  ) async throws -> Response {
    guard let user = context.user, user == 0 || user == geteuid() else {
      return Answer.fault(
        "forbidden",
        "Only root and the user that OnAir runs as may command it: try with sudo.", .forbidden)
    }
    var context = context
    context.caller = .owner
    context.scope = .admin
    return try await next(request, context)
  }
}
