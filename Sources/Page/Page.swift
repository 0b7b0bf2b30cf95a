// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
public import Media
internal import NIOCore
internal import NIOPosix
internal import Posix
internal import Synchronization

/// The HTTP server: status, commands and events as JSON.
///
/// | request | answer |
/// |---|---|
/// | `GET /api/status` | the status, with all that is wrong now |
/// | `POST /api/start` and so on | 200 done, 404 no such command, 409 not possible now |
/// | `POST /api/reload` | the same; the address and the bit rate of the settings take effect |
/// | `GET /api/events` | server-sent events as they happen; with `Last-Event-ID` also those missed since |
///
/// A request that a page of another site may have made gets 403.
public final class Page: Sendable {
  /// Whether the server can listen.
  public enum Report: Sendable, Equatable {
    /// It cannot; the system's reason. It tries again until it is stopped.
    case unavailable(String)
    /// It can again.
    case available
  }

  /// Connections at a time.
  static let mostConnections = 32
  /// How long a connection may be idle.
  private static let idle = TimeAmount.seconds(30)
  /// How long a request may take, with its body and the client's reading of the answer.
  private static let longest = TimeAmount.seconds(10)
  private static let eventsPath = "/api/events"
  private static let retryPause = Duration.seconds(10)
  private static let headStart = Duration.milliseconds(500)

  private let host: String
  private let port: Int
  private let box: any PageBox
  private let requestGuard: RequestGuard
  private let report: @Sendable (Report) -> Void
  private let events = EventStreams()
  private let isUnavailable = Atomic(false)
  private let task = Mutex<Task<Void, Never>?>(nil)
  private let ended = Signal()

  /// - Parameters:
  ///   - host: an IP address of this machine.
  ///   - report: is called when that changes.
  public convenience init(
    host: String, port: Int, box: any PageBox, report: @escaping @Sendable (Report) -> Void
  ) {
    let requestGuard = RequestGuard.here(isLocal: host.hasPrefix("127.") || host == "::1")
    self.init(host: host, port: port, box: box, requestGuard: requestGuard, report: report)
  }

  init(
    host: String, port: Int, box: any PageBox, requestGuard: RequestGuard,
    report: @escaping @Sendable (Report) -> Void
  ) {
    self.host = host
    self.port = port
    self.box = box
    self.requestGuard = requestGuard
    self.report = report
  }

  public func start() {
    task.withLock { $0 = Task { [self] in await run() } }
  }

  /// - Returns: `false` when it had not ended by `deadline`.
  public func stop(by deadline: MediaTime) -> Bool {
    guard let task = task.withLock({ $0 }) else { return true }
    task.cancel()
    guard ended.wait(until: deadline) else { return false }
    ended.signal()
    return true
  }

  private func run() async {
    defer { ended.signal() }
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    // Hummingbird logs nothing that a person could act on.
    let silent = Logger(label: "page") { _ in SwiftLogNoOpLogHandler() }
    let responder = router().buildResponder()
    // At the start the broadcast needs the processor first.
    try? await Task.sleep(for: Page.headStart)
    while !Task.isCancelled {
      do {
        // Not Hummingbird's `Application`, which wakes once a second to update its Date header.
        let server = try HTTPServerBuilder.http1(
          configuration: .init(
            idleTimeout: Page.idle,
            httpDecoderConfiguration: .init(
              maxHeaderFieldSize: 8_192, maxHeaderListSize: 16_384, maxHeaderFieldCount: 100))
        ).buildServer(
          configuration: ServerConfiguration(
            address: .hostname(host, port: port), backlog: 16,
            availableConnectionsDelegate: .maximum(Page.mostConnections, logger: silent)),
          eventLoopGroup: group, logger: silent
        ) { request, writer, channel in
          // A body that never ends, or an answer that is never read, would hold one of the few connections.
          let end =
            request.uri.path == Page.eventsPath
            ? nil : channel.eventLoop.scheduleTask(in: Page.longest) { channel.close(promise: nil) }
          let context = BasicRequestContext(
            source: ApplicationRequestContextSource(channel: channel, logger: silent))
          let response = try await responder.respond(to: request, context: context)
          try await writer.write(response: response.head, body: response.body)
          if !request.hasBody { end?.cancel() }
        } onServerRunning: { [self] _ in
          if isUnavailable.exchange(false, ordering: .relaxed) { report(.available) }
        }
        try await server.run()
      } catch {
        if !Task.isCancelled, !isUnavailable.exchange(true, ordering: .relaxed) {
          let reason = (error as? IOError).map { "\(SystemError($0.errnoCode))" } ?? "\(error)"
          report(.unavailable(reason))
        }
      }
      try? await Task.sleep(for: Page.retryPause)
    }
    try? await group.shutdownGracefully()
  }

  // MARK: Requests

  private func router() -> Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: GuardMiddleware(requestGuard: requestGuard))
    router.get("api/status") { [box] _, _ in Page.json(box.status()) }
    router.post("api/:command") { [box] _, context in
      let command = context.parameters.get("command") ?? ""
      let answer = await box.perform(command)
      return Page.json(answer.json, answer.outcome.status)
    }
    router.get("api/events") { [box, events] request, _ in
      let after = HTTPField.Name("Last-Event-ID").flatMap { request.headers[$0] }.flatMap {
        Int($0)
      }
      guard let place = events.take() else {
        return Page.json(
          Page.fault("too_many", "Too many clients listen to events already."), .serviceUnavailable)
      }
      return Response(
        status: .ok, headers: [.contentType: "text/event-stream"],
        body: EventStreams.body(of: box, after: after, place: place))
    }
    return router
  }

  fileprivate static func json(_ bytes: [UInt8], _ status: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: status, headers: [.contentType: "application/json; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }

  /// - Parameters: text without characters that JSON escapes.
  fileprivate static func fault(_ code: String, _ sentence: String) -> [UInt8] {
    Array("{\"ok\":false,\"code\":\"\(code)\",\"sentence\":\"\(sentence)\"}".utf8)
  }
}

extension Request {
  /// Whether a body follows the head.
  fileprivate var hasBody: Bool {
    headers[.transferEncoding] != nil || headers[.contentLength].map { $0 != "0" } ?? false
  }
}

extension PageAnswer.Outcome {
  fileprivate var status: HTTPResponse.Status {
    switch self {
    case .done: .ok
    case .unknown: .notFound
    case .refused: .conflict
    }
  }
}

/// Rejects requests that `RequestGuard` does not allow. Errors are answered in JSON as well.
private struct GuardMiddleware: RouterMiddleware {
  let requestGuard: RequestGuard

  func handle(
    _ request: Request, context: BasicRequestContext,
    next: (Request, BasicRequestContext) async throws -> Response
  ) async throws -> Response {
    var response: Response
    let origin = request.headers[.origin]
    let site = HTTPField.Name("Sec-Fetch-Site").flatMap { request.headers[$0] }
    if let objection = requestGuard.objection(
      authority: request.head.authority, origin: origin, site: site)
    {
      response = Page.json(Page.fault("forbidden", objection), .forbidden)
    } else {
      do {
        response = try await next(request, context)
      } catch {
        let status = (error as? HTTPError)?.status ?? .internalServerError
        response = Page.json(
          status == .notFound
            ? Page.fault("no_such_request", "See /api/status, /api/events and POST /api/pause.")
            : Page.fault("failed", "The request cannot be answered: \(status.code)."), status)
      }
    }
    response.headers[.cacheControl] = "no-store"
    response.headers[.xContentTypeOptions] = "nosniff"
    return response
  }
}
