// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import NIOCore
internal import NIOHTTP1

/// A channel handler that deals with HTTP/1.0, HEAD and faulty request heads (RFC 9112), so that the routes see only
/// well-formed requests, GET instead of HEAD, and few requests at a time. It is next to the HTTP parser in the
/// pipeline.
final class RequestHeads: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// A request whose response has not been sent completely.
  private struct Exchange {
    /// Whether the method of the request is HEAD.
    var isHead: Bool
    /// Whether the version of the request is HTTP/1.0.
    var isHTTP10: Bool
    /// Whether the connection is closed after the response.
    var closes: Bool
  }

  /// The most requests of a connection that may wait for their responses. Browsers send a request only after the last
  /// response; some programs send a few requests in one go (RFC 9112, section 9.3.2).
  static let mostOpen = 4

  /// The timer of the connection, which is told when requests and responses begin and end.
  private let timer: ConnectionTimer
  /// Requests without a response, the oldest first.
  private var open: [Exchange] = []
  /// Whether the body of the newest request is still to come.
  private var isReadingBody = false
  /// Whether nothing more is read from the connection, and no further request is answered.
  private var isBroken = false
  /// Whether the last response has been sent, and the rest of the body of its request is read and dropped.
  private var isDraining = false

  init(_ timer: ConnectionTimer) { self.timer = timer }

  /// Checks the head of each request, and passes well-formed requests on.
  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isBroken else { return }
    guard !isDraining else { return drain(context, unwrapInboundIn(data)) }
    switch unwrapInboundIn(data) {
    case .head(var head):
      guard open.count < RequestHeads.mostOpen else { return endAfterAnswers() }
      timer.requestHasBegun(allowing: RequestHeads.allowance(head))
      let isHTTP10 = head.version != .http1_1
      let hosts = head.headers["host"].count
      // HTTP/1.1 requires exactly one Host header (RFC 9112, section 3.2).
      guard hosts == 1 || hosts == 0 && isHTTP10, RequestHeads.namesOneHost(head) else {
        return refuse(context, .badRequest)
      }
      if !isHTTP10, let expectation = head.headers.first(name: "expect")?.lowercased() {
        guard expectation == "100-continue" else { return refuse(context, .expectationFailed) }
        // While responses to earlier requests are due, "100 Continue" would come before them.
        if open.isEmpty { sendContinue(context) }
      }
      isReadingBody = true
      open.append(
        Exchange(isHead: head.method == .HEAD, isHTTP10: isHTTP10, closes: !head.isKeepAlive))
      if head.method == .HEAD { head.method = .GET }
      context.fireChannelRead(wrapInboundOut(.head(head)))
    case .end:
      isReadingBody = false
      timer.requestHasEnded()
      context.fireChannelRead(data)
    case .body: context.fireChannelRead(data)
    }
  }

  /// The most bytes that may come after the head of a request: see `Allowance`.
  static func allowance(_ head: HTTPRequestHead) -> Int {
    guard head.method == .PUT else { return Allowance.request }
    if head.uri.hasPrefix("/api/stills/") { return Allowance.upload }
    if head.uri.hasPrefix("/api/media/") { return Allowance.media }
    return head.uri.prefix { $0 != "?" } == "/api/update" ? Allowance.update : Allowance.request
  }

  /// Drops a part of a request's body; closes the connection at the end of the body.
  private func drain(_ context: ChannelHandlerContext, _ part: HTTPServerRequestPart) {
    if case .body = part { return }
    context.close(promise: nil)
  }

  /// Asks for more bytes of the connection, unless `isBroken` says that nothing more is read.
  func read(context: ChannelHandlerContext) {
    if !isBroken { context.read() }
  }

  /// Handles an error of the HTTP parser. The parser cannot continue after an error, so the connection is closed after
  /// the responses that are due.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if isDraining { return context.close(promise: nil) }
    endAfterAnswers()
    context.fireErrorCaught(error)
  }

  /// Ignores all further requests of the connection, which is closed after the responses that are due.
  private func endAfterAnswers() {
    isBroken = true
    isReadingBody = false
    if !open.isEmpty { open[open.count - 1].closes = true }
  }

  /// Whether the request line, if it has an absolute URI, names the same host as the Host header. No browser and no
  /// proxy sends two different hosts. By the standard the host in the request line prevails, but only the Host header
  /// is checked (RFC 9112, section 3.2.2).
  private static func namesOneHost(_ head: HTTPRequestHead) -> Bool {
    guard !head.uri.hasPrefix("/"), let scheme = head.uri.firstRange(of: "://") else { return true }
    let authority = head.uri[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" }
    return head.headers.first(name: "host").map { $0.lowercased() == authority.lowercased() }
      ?? true
  }

  /// Sends "100 Continue", so that the client sends the body (RFC 9110, section 10.1.1).
  private func sendContinue(_ context: ChannelHandlerContext) {
    let head = HTTPResponseHead(version: .http1_1, status: .continue)
    context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
  }

  /// Answers a faulty request with a status and no body, and closes the connection.
  private func refuse(_ context: ChannelHandlerContext, _ status: HTTPResponseStatus) {
    isBroken = true
    let head = HTTPResponseHead(
      version: .http1_1, status: status,
      headers: ["Connection": "close", "Content-Length": "0"])
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    context.close(promise: nil)
  }

  /// Adapts a response to the version and method of its request, and closes the connection after it if necessary.
  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(var head):
      timer.responseHasBegun()
      guard let exchange = open.first else { return context.write(data, promise: promise) }
      // The encoder sends a body without a length in chunks, which HTTP/1.0 does not know.
      if exchange.isHTTP10 { head.version = .http1_0 }
      let hasLength = head.headers.contains(name: "content-length")
      // The response comes before the end of the request's body: what is left of the body must not count as the next
      // request.
      let isEarly = isReadingBody && open.count == 1
      if exchange.isHead && !hasLength || exchange.isHTTP10 || isEarly { open[0].closes = true }
      if open[0].closes { head.headers.replaceOrAdd(name: "Connection", value: "close") }
      if exchange.isHead, !hasLength {
        context.writeAndFlush(wrapOutboundOut(.head(head)), promise: promise)
        return context.close(promise: nil)
      }
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .body:
      if open.first?.isHead == true {
        promise?.succeed()
      } else {
        context.write(data, promise: promise)
      }
    case .end:
      let closes = open.first?.closes ?? false
      if !open.isEmpty { open.removeFirst() }
      isDraining = closes && isReadingBody && open.isEmpty
      let written = promise ?? context.eventLoop.makePromise(of: Void.self)
      if closes, !isDraining {
        let channel = context.channel
        written.futureResult.whenComplete { _ in channel.close(promise: nil) }
      }
      context.writeAndFlush(data, promise: written)
      if isDraining { context.read() }
      if open.isEmpty { timer.responsesHaveEnded() }
    }
  }

  /// Asks for more bytes while the body of a request is dropped, since no other handler asks for them.
  func channelReadComplete(context: ChannelHandlerContext) {
    if isDraining { context.read() }
    context.fireChannelReadComplete()
  }
}
