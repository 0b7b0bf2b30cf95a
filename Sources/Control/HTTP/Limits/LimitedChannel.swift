// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1

/// Hummingbird's HTTP/1 channel for clients that may be slow, many or hostile: with a limited number of connections
/// (`Connections`), deadlines (`ConnectionTimer`) and checked request heads (`RequestHeads`).
struct LimitedChannel: ServerChildChannel {
  /// Bytes of a socket's send buffer. The kernel reports a socket as writable when a third of the buffer is free. With
  /// the kernel's default of several megabytes, a client that reads steadily, but slowly, would seem to read nothing
  /// for longer than `Patience.reading`.
  private static let sendBufferBytes = 262_144
  /// Time after which a client that acknowledges no data counts as gone (TCP_USER_TIMEOUT, RFC 5482): a phone that has
  /// left the network does not keep its connections.
  private static let userTimeoutMilliseconds = 30_000

  /// The open connections of the listener.
  let connections: Connections
  /// The time within which a client must receive the next piece of a response.
  private let readingPatience: TimeAmount
  /// Hummingbird's own channel, which parses the requests and writes the responses.
  private let http: HTTP1Channel

  init(
    connections: Connections, readingPatience: TimeAmount,
    responder: @escaping HTTPChannelHandler.Responder
  ) {
    self.connections = connections
    self.readingPatience = readingPatience
    http = HTTP1Channel(
      responder: responder,
      configuration: .init(
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: 8_192, maxHeaderListSize: 16_384, maxHeaderFieldCount: 100)))
  }

  /// Adds the handlers to a new connection, and sets the options of its socket.
  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
    let timer = ConnectionTimer(connections, reading: readingPatience)
    let pipeline = channel.pipeline.syncOperations
    do {
      try pipeline.addHandler(timer)
      let value = http.setup(channel: channel, logger: logger)
      let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
      try pipeline.addHandler(RequestHeads(timer), position: .after(parser))
      let options = channel.syncOptions
      try options?.setOption(.socketOption(.so_sndbuf), value: LimitedChannel.sendBufferBytes)
      try options?.setOption(.maxMessagesPerRead, value: 1)
      try options?.setOption(.recvAllocator, value: Allowance.read)
      if channel.remoteAddress?.ipAddress != nil {
        try options?.setOption(
          .tcpOption(.init(rawValue: TCP_USER_TIMEOUT)),
          value: LimitedChannel.userTimeoutMilliseconds)
      }
      return value
    } catch {
      return channel.eventLoop.makeFailedFuture(error)
    }
  }

  /// Serves the requests of a connection until the connection is closed.
  func handle(value: HTTP1Channel.Value, logger: Logger) async {
    let task = Task { await http.handle(value: value, logger: logger) }
    // When a connection is closed, the work for its request is cancelled, even if it writes nothing at the moment. That
    // also ends the permissions that the request has got from `LongAnswers` and `EventStreams`.
    value.channel.closeFuture.whenComplete { _ in task.cancel() }
    await task.value
  }
}
