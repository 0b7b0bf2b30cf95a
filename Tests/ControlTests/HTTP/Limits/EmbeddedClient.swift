// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import NIOCore
import NIOEmbedded
import NIOHTTP1

@testable import Control

/// A client of the handlers next to the socket, on virtual time, byte by byte.
struct EmbeddedClient {
  static let request = "GET / HTTP/1.1\r\nHost: box\r\n\r\n"

  /// Answers each whole request with "ok", or when told.
  final class Answerer: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart
    var requests: [HTTPRequestHead] = []
    var answers = true
    var answersAtHead = false
    var hasLength = true
    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head(let head):
        requests.append(head)
        if answersAtHead { answer() }
      case .end: if answers { answer() }
      case .body: break
      }
    }

    /// As a route whose request turns out to be wrong.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      if answers, !requests.isEmpty { answer() }
    }

    func answer() {
      guard let context else { return }
      var head = HTTPResponseHead(version: .http1_1, status: .ok)
      if hasLength { head.headers.add(name: "Content-Length", value: "2") }
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: "ok")))), promise: nil)
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
  }

  let channel = EmbeddedChannel()
  let answerer = Answerer()

  init(_ connections: Connections = Connections(most: 8, reserved: 2)) throws {
    let timer = ConnectionTimer(connections)
    let pipeline = channel.pipeline.syncOperations
    try pipeline.addHandler(timer)
    try pipeline.configureHTTPServerPipeline(
      withPipeliningAssistance: false, withErrorHandling: false)
    let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
    try pipeline.addHandler(RequestHeads(timer), position: .after(parser))
    try pipeline.addHandler(answerer)
    channel.connect(to: try SocketAddress(unixDomainSocketPath: "/x"), promise: nil)
    channel.read()
  }

  func send(_ text: String) {
    _ = try? channel.writeInbound(ByteBuffer(string: text))
    // As a channel does by itself when the server has room for more.
    channel.read()
  }

  func wait(_ seconds: Int64) { channel.embeddedEventLoop.advanceTime(by: .seconds(seconds)) }

  var isOpen: Bool { channel.isActive }

  var received: String {
    var text = ""
    while let data = try? channel.readOutbound(as: IOData.self) {
      if case .byteBuffer(let bytes) = data { text += String(buffer: bytes) }
    }
    return text
  }
}
