// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Box
internal import NIOCore

/// The outbound user event that tells `ConnectionTimer` that the client of its connection is logged in.
struct ClientIsKnown {
  /// The session or token with which the client is logged in.
  let by: Credential
}

/// Timeouts for clients: the connection of a client that takes longer is closed.
enum Patience {
  /// Time for the head of a request: from the start of the connection, or from the first byte after a response, to the
  /// end of the head.
  static let head = TimeAmount.seconds(5)
  /// Time between two requests: from a response to the first byte of the next request.
  static let idle = TimeAmount.seconds(30)
  /// The interval in which at least `bodyBytes` of a request's body must arrive.
  static let body = TimeAmount.seconds(5)
  /// Bytes of a request's body that must arrive in each interval of `body`.
  static let bodyBytes = 5_000
  /// Time for a body that is not an upload: from the end of the request's head to the end of the body.
  static let request = TimeAmount.seconds(120)
  /// Time for an upload: from the end of the request's head to the end of the body.
  static let upload = TimeAmount.minutes(20)
  /// The time within which the client must receive the next piece of a response.
  static let reading = TimeAmount.seconds(15)
}

/// The most bytes that a client may send after the head of a request: the body and its framing, such as chunk
/// extensions. Each limit is higher than the longest body that a route accepts, so that a body that is somewhat too
/// long is still read to its end and dropped. If the connection were closed at once, the client would get a reset
/// instead of the response (RFC 9112, section 9.6).
enum Allowance {
  /// Bytes for a request that is not an upload.
  static let request = 1 << 20
  /// Bytes for the upload of a still image: more than the largest image that is accepted.
  static let upload = 64 << 20
  /// Bytes for the upload of a system update: more than the largest update that is accepted.
  static let update = 512 << 20
  /// Bytes for the upload of a media file: more than the largest media file that is accepted.
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

  /// What the server expects of the connection.
  private enum Phase {
    /// The server waits for the first byte of a request.
    case idle
    case head
    case body
    /// The request has arrived completely, and its response is due.
    case response
  }

  /// The open connections of the listener, this one among them.
  private let connections: Connections
  /// The time within which the client must receive the next piece of a response.
  private let reading: TimeAmount
  /// The number of the connection in `connections`.
  private var number = 0
  /// What the server expects of the connection now.
  private var phase = Phase.head
  /// The context of this handler; `nil` once the connection has ended.
  private var context: ChannelHandlerContext?
  /// The timer that closes the connection if the present phase takes too long.
  private var deadline: Scheduled<Void>?
  /// The timer that closes the connection if the client does not receive a response.
  private var writeDeadline: Scheduled<Void>?
  /// The number of writes that are not completely in the socket's send buffer yet.
  private var pendingWrites = 0
  /// Bytes of the present request that have arrived after its head.
  private var bodyBytes = 0
  /// The most bytes that may come after the head of the present request: see `Allowance`.
  private var allowance = Allowance.request
  /// When the body of the present request must have arrived completely.
  private var bodyDeadline = NIODeadline.distantFuture
  /// Whether the server waits for bytes of the client; `false` while it processes bytes that have arrived.
  private var isReading = false

  /// - Parameter reading: the time within which the client must receive the next piece of a response.
  init(_ connections: Connections, reading: TimeAmount = Patience.reading) {
    self.connections = connections
    self.reading = reading
  }

  /// Enters the connection into `connections`, and waits for the head of its first request.
  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    number = connections.enter(context.channel)
    set(.head)
  }

  /// Ends the timers of the connection.
  func handlerRemoved(context: ChannelHandlerContext) { end() }

  /// Ends the timers of a connection that was closed.
  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  /// Cancels the timers, and removes the connection from `connections`.
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
    bodyDeadline =
      (context?.eventLoop.now ?? .now()) + (isUpload ? Patience.upload : Patience.request)
    set(.body)
  }

  /// Notes that a request has arrived completely.
  func requestHasEnded() {
    connections.set(.working, of: number)
    allow(Allowance.request)
    set(.response)
  }

  /// Whether the present request is an upload, whose body may have more bytes than that of other requests.
  private var isUpload: Bool { allowance > Allowance.request }

  /// Sets the allowance, and how many bytes are read at a time.
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

  /// Begins a phase: cancels the timer of the last phase, and starts the timer of the new phase.
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

  /// Closes the connection after `time`, unless the next phase begins before that.
  private func expect(in time: TimeAmount) {
    deadline = context?.eventLoop.assumeIsolated().scheduleTask(in: time) {
      self.close()
    }
  }

  /// Closes the connection if too little of the body arrives in an interval of `Patience.body`, or at `bodyDeadline`.
  private func watchBody() {
    let before = bodyBytes
    let wasReading = isReading
    deadline = context?.eventLoop.assumeIsolated().scheduleTask(in: Patience.body) {
      guard self.phase == .body else { return }
      if wasReading, self.isReading, self.bodyBytes - before < Patience.bodyBytes {
        return self.close()
      }
      guard let now = self.context?.eventLoop.now, now < self.bodyDeadline else {
        return self.close()
      }
      self.watchBody()
    }
  }

  /// Closes the connection at once.
  private func close() { context?.close(promise: nil) }

  /// Notes that the server waits for bytes of the client.
  func read(context: ChannelHandlerContext) {
    isReading = true
    context.read()
  }

  /// Begins the phase `head` at the first byte of a request, and limits the bytes after a head.
  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if phase == .idle { set(.head) }
    if phase == .body {
      bodyBytes += unwrapInboundIn(data).readableBytes
      guard bodyBytes <= allowance else { return close() }
    }
    context.fireChannelRead(data)
  }

  /// Notes that the server processes the bytes that have arrived.
  func channelReadComplete(context: ChannelHandlerContext) {
    isReading = false
    context.fireChannelReadComplete()
  }

  /// Notes a login (`ClientIsKnown`), and passes other events on.
  func triggerUserOutboundEvent(
    context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
  ) {
    guard let known = event as? ClientIsKnown else {
      return context.triggerUserOutboundEvent(event, promise: promise)
    }
    connections.noteLogin(of: number, known.by)
    promise?.succeed()
  }

  // MARK: Responses

  /// Watches a write: the client has to receive its bytes within `reading`.
  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let written = promise ?? context.eventLoop.makePromise(of: Void.self)
    pendingWrites += 1
    if pendingWrites == 1 { watchReading() }
    written.futureResult.assumeIsolated().whenComplete { _ in
      self.pendingWrites -= 1
      self.writeDeadline?.cancel()
      if self.pendingWrites > 0 { self.watchReading() }
    }
    context.write(data, promise: written)
  }

  /// Closes the connection if no pending write is done within `reading`.
  private func watchReading() {
    writeDeadline = context?.eventLoop.assumeIsolated().scheduleTask(in: reading) {
      self.close()
    }
  }
}
