// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Base
internal import Box
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import NIOHTTP1
internal import Preview

/// The routes of the API, each with the scope that it needs.
struct RouteTable {
  /// Answers the requests of a route.
  typealias Handler = @Sendable (Request, APIContext) async throws -> Response

  /// The most bytes in the body of a request that is not an upload.
  static let longestBody = 65_536

  /// Methods that are answered with 405 on a path that has no route for them: the ones of RFC 9110, PATCH (RFC 5789)
  /// and QUERY. HEAD is missing, since `RequestHeads` has turned it into GET.
  private static let methods: [HTTPRequest.Method] =
    [.get, .post, .put, .patch, .delete, .options, .trace]
    + [HTTPRequest.Method("QUERY")].compactMap(\.self)

  /// Whether the request with this path is exempt from `ChangeBudget`. Requests that pause, mute or stop a broadcast,
  /// or switch its picture or sound off, are never refused; repeating one changes nothing.
  private static func isUrgent(_ path: String) -> Bool {
    ["/api/pause", "/api/mute", "/api/video_off", "/api/audio_off", "/api/stop"].contains(path)
      || path.hasPrefix("/api/relays/") && (path.hasSuffix("/stop") || path.hasSuffix("/pause"))
  }

  /// Paths whose responses last for as long as the client likes, or wait for the camera. `LongAnswers` limits how many
  /// are open.
  private static let longAnswerPaths: Set = ["api/events", "api/preview.mp4", "api/snapshot.jpg"]

  /// A route: a method and a path, and the handler of its requests.
  struct Route {
    let method: HTTPRequest.Method
    let path: String
    let scope: Scope?
    /// The query parameters that a request may have; see `on`.
    let query: Set<String>
    fileprivate let handler: Handler
  }

  /// The routes that `on` has added.
  private(set) var routes: [Route] = []

  /// Adds a route.
  /// - Parameters:
  ///   - path: as in "api/media/:name", where ":name" stands for any text.
  ///   - scope: the scope that the caller needs; `nil` if the route needs no login.
  ///   - query: the query parameters of a request that changes something; any other is refused. A request that only
  ///     reads may have any.
  mutating func on(
    _ method: HTTPRequest.Method, _ path: String, needs scope: Scope?, query: Set<String> = [],
    _ handler: @escaping Handler
  ) {
    routes.append(
      Route(method: method, path: path, scope: scope, query: query, handler: handler))
  }

  /// Builds the responder that checks scope, limits and query parameters, and then calls the handler of a route.
  /// - Parameters:
  ///   - gate: the middleware that finds out who sends a request.
  ///   - budget: limits the requests that change something; `nil` for no limit.
  ///   - places: limits the number of long-lived responses; `nil` for no limit.
  func responder(
    after gate: some RouterMiddleware<APIContext>, budget: ChangeBudget?, places: LongAnswers?
  ) -> some HTTPResponder<APIContext> {
    let router = Router(context: APIContext.self)
    router.add(middleware: gate)
    router.add(middleware: Faults())
    for route in routes {
      router.on("\(route.path)", method: route.method) { request, context in
        if let scope = route.scope {
          guard let granted = context.scope else {
            return Answer.fault(
              "not_logged_in", "Log in, or send a token: \"Authorization: Bearer TOKEN\".",
              .unauthorized)
          }
          guard granted >= scope else {
            return Answer.fault(
              "scope_too_small", "This needs a token with the scope \"\(scope.rawValue)\".",
              .forbidden)
          }
          if !request.method.isSafe, !RouteTable.isUrgent(request.uri.path), let budget,
            !budget.spendChange(context.session ?? context.token ?? "")
          {
            var response = Answer.fault(
              "too_many", "Too many changes in a short time: try again in a second.",
              .tooManyRequests)
            response.headers[.retryAfter] = "1"
            return response
          }
        }
        // Refuse unknown parameters: with a misspelt "check", a request that should only check would make the change. A
        // request that only reads may have unknown parameters: pages add the time to get past caches.
        if !request.method.isSafe,
          let unknown = request.uri.queryParameters.first(where: {
            !route.query.contains(String($0.key))
          })
        {
          let known = route.query.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
          return Answer.fault(
            "not_understood",
            "There is no parameter \"\(String(unknown.key).onOneLine.prefix(32))\" here"
              + (known.isEmpty ? "." : "; there are \(known)."), .badRequest)
        }
        guard let places, let credential = context.credential, let scope = context.scope,
          RouteTable.longAnswerPaths.contains(route.path)
        else { return try await route.handler(request, context) }
        guard let place = places.reservePlace(credential, scope) else {
          return Answer.fault(
            "too_many",
            "This session or token has too many previews and streams of events open: close one.",
            .serviceUnavailable)
        }
        var response = try await route.handler(request, context)
        response.body = response.body.keeping(place)
        return response
      }
    }
    // A known path with a method that it does not have is answered with 405.
    let byPath = Dictionary(grouping: routes, by: \.path)
    for (path, routes) in byPath where !path.hasSuffix(":command") {
      let methods = routes.map(\.method)
      let allowed = (methods + (methods.contains(.get) ? [.head] : [])).map(\.rawValue)
      let allow = allowed.joined(separator: ", ")
      for method in RouteTable.methods where !methods.contains(method) {
        router.on("\(path)", method: method) { _, _ in
          var response = Answer.fault(
            "wrong_method", "Here one can use: \(allow).", .methodNotAllowed)
          response.headers[.allow] = allow
          return response
        }
      }
    }
    return router.buildResponder()
  }
}

/// Turns the errors that routes throw into JSON responses with a code and a sentence.
private struct Faults: RouterMiddleware {
  /// Calls the route, and turns the error that it throws into a response.
  func handle(
    _ request: Request, context: APIContext,
    next: (Request, APIContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as AccessError {
      return Answer.fault(error)
    } catch let error as PreviewError {
      return Answer.fault(error.code, error.sentence, .serviceUnavailable)
    } catch is JobThread.BusyError {
      return Answer.fault(
        "busy", "The box has too many requests to answer: try again in some seconds.",
        .serviceUnavailable)
    } catch {
      let status: HTTPResponse.Status =
        switch error {
        case let error as HTTPError: error.status
        case is NIOTooManyBytesError: .contentTooLarge
        case is HTTPParserError: .badRequest
        default: .internalServerError
        }
      return switch status {
      case .notFound:
        Answer.fault(
          "no_such_request", "There is no such address: /api/openapi.yaml describes all.", status)
      case .contentTooLarge:
        Answer.fault(
          "too_long", "Such a request has at most \(RouteTable.longestBody) bytes.", status)
      case .badRequest:
        Answer.fault("not_understood", "The request is not understood.", status)
      default: Answer.fault("failed", "The request cannot be answered: \(status.code).", status)
      }
    }
  }
}
