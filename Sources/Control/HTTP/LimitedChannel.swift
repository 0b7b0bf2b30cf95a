// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1

/// HTTP/1 for clients that may be slow, many or hostile: Hummingbird's, with a place, deadlines and checked heads.
struct LimitedChannel: ServerChildChannel {
  let connections: Connections
  private let http: HTTP1Channel

  init(connections: Connections, responder: @escaping HTTPChannelHandler.Responder) {
    self.connections = connections
    http = HTTP1Channel(
      responder: responder,
      configuration: .init(
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: 8_192, maxHeaderListSize: 16_384, maxHeaderFieldCount: 100)))
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
    let timer = ConnectionTimer(connections)
    let pipeline = channel.pipeline.syncOperations
    do {
      try pipeline.addHandler(timer)
      let value = http.setup(channel: channel, logger: logger)
      let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
      try pipeline.addHandler(RequestHeads(timer), position: .after(parser))
      let options = channel.syncOptions
      try options?.setOption(.maxMessagesPerRead, value: 1)
      try options?.setOption(.recvAllocator, value: Allowance.read)
      return value
    } catch {
      return channel.eventLoop.makeFailedFuture(error)
    }
  }

  func handle(value: HTTP1Channel.Value, logger: Logger) async {
    await http.handle(value: value, logger: logger)
  }
}
