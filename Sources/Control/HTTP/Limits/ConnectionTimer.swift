// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Box
internal import NIOCore

/// The outbound user event that tells `ConnectionTimer` that the client of its connection is logged in.
struct ClientIsKnown {
  let by: Credential
}

/// The times that a client may take. A client that takes longer loses its connection.
enum Patience {
  /// For the head of a request: from the connection, or from the first byte after a response, to the end of the head.
  static let head = TimeAmount.seconds(5)
  /// For the pause between two requests: from a response to the first byte of the next request.
  static let idle = TimeAmount.seconds(30)
  /// The interval in which a body has to bring at least `bodyBytes`.
  static let body = TimeAmount.seconds(5)
  /// Bytes that a body has to bring in each interval of `body`.
  static let bodyBytes = 5_000
  /// For a body that is not an upload: from the end of the request's head to the end of the body.
  static let request = TimeAmount.seconds(120)
  /// For an upload: from the end of the request's head to the end of the body.
  static let upload = TimeAmount.minutes(20)
  /// The interval in which the client has to read some of a response.
  static let reading = TimeAmount.seconds(15)
}

/// The most bytes that a client may send after the head of a request: the body and its framing, such as chunk
/// extensions. Each is more than any route accepts. Where a body is too long, the rest is read and dropped: if the
/// connection were closed at once, the client would get a reset instead of the response (RFC 9112, section 9.6).
enum Allowance {
  /// For a request that is not an upload.
  static let request = 1 << 20
  /// For the upload of a still image: more than an image may have.
  static let upload = 64 << 20
  /// For the upload of a system update: more than an update may have.
  static let update = 512 << 20
  /// For the upload of a media file: more than a media file may have.
  static let media = MediaFiles.maxBytes + (64 << 20)
  /// Bytes that are read from a socket at a time: so few that only few pipelined requests come with one read.
  static let read = FixedSizeRecvByteBufferAllocator(capacity: 4_096)
  /// Bytes that are read from a socket at a time during an upload.
  static let uploadRead = FixedSizeRecvByteBufferAllocator(capacity: 65_536)
}

/// A channel handler that closes the connection of a client that exceeds the times of `Patience` or its `Allowance`. It
/// is next to the socket in the pipeline, so it sees raw bytes.
final class ConnectionTimer: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = IOData

  private enum Phase {
    /// The server waits for the first byte of a request.
    case idle
    case head
    case body
    /// The request has arrived completely, and its response is due.
    case response
  }

  private let connections: Connections
  /// The number of the connection in `connections`.
  private var number = 0
  private var phase = Phase.head
  private var context: ChannelHandlerContext?
  private var deadline: Scheduled<Void>?
  private var writeDeadline: Scheduled<Void>?
  /// The number of writes that the socket has not taken completely.
  private var writes = 0
  private var bodyBytes = 0
  /// The most bytes that may come after the head of the present request: see `Allowance`.
  private var allowance = Allowance.request
  private var bodyEnd = NIODeadline.distantFuture
  /// Whether the server waits for bytes of the client; `false` while it is busy with those that have come.
  private var isReading = false

  init(_ connections: Connections) { self.connections = connections }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    number = connections.enter(context.channel)
    set(.head)
  }

  func handlerRemoved(context: ChannelHandlerContext) { end() }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  private func end() {
    deadline?.cancel()
    writeDeadline?.cancel()
    connections.leave(number)
    context = nil
  }

  // MARK: Requests

  /// Notes that the head of a request has arrived completely.
  /// - Parameter bytes: the most bytes that may come after the head.
  func requestHasBegun(allowing bytes: Int) {
    connections.set(.receiving, of: number)
    bodyBytes = 0
    allow(bytes)
    bodyEnd =
      (context?.eventLoop.now ?? .now()) + (isUpload ? Patience.upload : Patience.request)
    set(.body)
  }

  /// Notes that a request has arrived completely.
  func requestHasEnded() {
    connections.set(.working, of: number)
    allow(Allowance.request)
    set(.response)
  }

  private var isUpload: Bool { allowance > Allowance.request }

  private func allow(_ bytes: Int) {
    guard bytes != allowance else { return }
    allowance = bytes
    try? context?.channel.syncOptions?.setOption(
      .recvAllocator, value: isUpload ? Allowance.uploadRead : Allowance.read)
  }

  /// Notes that the head of a response is handed over to the socket.
  func responseHasBegun() { connections.set(.answering, of: number) }

  /// Notes that all responses that were due have been handed over to the socket.
  func responsesHaveEnded() {
    connections.set(.idle, of: number)
    // A client that does not wait for responses may have begun its next request.
    if phase == .response { set(.idle) }
  }

  private func set(_ phase: Phase) {
    self.phase = phase
    deadline?.cancel()
    switch phase {
    case .idle: expect(in: Patience.idle)
    case .head: expect(in: Patience.head)
    case .body: watchBody()
    case .response: deadline = nil
    }
  }

  private func expect(in time: TimeAmount) {
    deadline = context?.eventLoop.assumeIsolated().scheduleTask(in: time) {
      self.close()
    }
  }

  private func watchBody() {
    let before = bodyBytes
    let wasReading = isReading
    deadline = context?.eventLoop.assumeIsolated().scheduleTask(in: Patience.body) {
      guard self.phase == .body else { return }
      if wasReading, self.isReading, self.bodyBytes - before < Patience.bodyBytes {
        return self.close()
      }
      guard let now = self.context?.eventLoop.now, now < self.bodyEnd else { return self.close() }
      self.watchBody()
    }
  }

  private func close() { context?.close(promise: nil) }

  func read(context: ChannelHandlerContext) {
    isReading = true
    context.read()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if phase == .idle { set(.head) }
    if phase == .body {
      bodyBytes += unwrapInboundIn(data).readableBytes
      guard bodyBytes <= allowance else { return close() }
    }
    context.fireChannelRead(data)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    isReading = false
    context.fireChannelReadComplete()
  }

  func triggerUserOutboundEvent(
    context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
  ) {
    guard let known = event as? ClientIsKnown else {
      return context.triggerUserOutboundEvent(event, promise: promise)
    }
    connections.know(number, known.by)
    promise?.succeed()
  }

  // MARK: Responses

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let written = promise ?? context.eventLoop.makePromise(of: Void.self)
    writes += 1
    if writes == 1 { watchReading() }
    written.futureResult.assumeIsolated().whenComplete { _ in
      self.writes -= 1
      self.writeDeadline?.cancel()
      if self.writes > 0 { self.watchReading() }
    }
    context.write(data, promise: written)
  }

  private func watchReading() {
    writeDeadline = context?.eventLoop.assumeIsolated().scheduleTask(
      in: Patience.reading
    ) {
      self.close()
    }
  }
}
