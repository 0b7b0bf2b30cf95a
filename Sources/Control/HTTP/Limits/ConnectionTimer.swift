// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Box
internal import NIOCore

/// The client of this connection is logged in. Fired in the pipeline as an outbound user event.
struct ClientIsKnown {
  let by: Credential
}

/// What a client may take, in time.
enum Patience {
  /// From the connection, or from the first byte after a response, to the end of a request's head.
  static let head = TimeAmount.seconds(5)
  /// Between a response and the first byte of the next request.
  static let idle = TimeAmount.seconds(30)
  /// A body has to bring `bodyBytes` in each such time.
  static let body = TimeAmount.seconds(5)
  static let bodyBytes = 5_000
  /// From the end of a request's head to the end of its body; the same for an upload.
  static let request = TimeAmount.seconds(120)
  static let upload = TimeAmount.minutes(20)
  /// In which the client has to read some of a response.
  static let reading = TimeAmount.seconds(15)
}

/// What a client may send after the head of a request, in bytes: the body, and what stands around it, such as the
/// extensions of chunks. It is more than any route reads. Where a body is too long, the rest is read and dropped: if the
/// connection were closed before, the client would get a reset instead of the answer (RFC 9112, section 9.6).
enum Allowance {
  static let request = 1 << 20
  /// Enough for an image that is too large.
  static let upload = 64 << 20
  /// Enough for an update that is too large.
  static let update = 512 << 20
  /// Enough for a film that is too large.
  static let media = MediaFiles.maxBytes + (64 << 20)
  /// What is read at a time: so little that the requests that come in one go are few, and more of an image.
  static let read = FixedSizeRecvByteBufferAllocator(capacity: 4_096)
  static let uploadRead = FixedSizeRecvByteBufferAllocator(capacity: 65_536)
}

/// Holds a client to its time and its bytes. It stands next to the socket, and sees bytes.
final class ConnectionTimer: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = IOData

  private enum Phase {
    /// Waits for the first byte of a request.
    case idle
    case head
    case body
    /// The request is whole.
    case response
  }

  private let connections: Connections
  private var number = 0
  private var phase = Phase.head
  private var context: ChannelHandlerContext?
  private var deadline: Scheduled<Void>?
  private var writeDeadline: Scheduled<Void>?
  private var writes = 0
  private var bodyBytes = 0
  /// Bytes that the body and what stands around it may have.
  private var allowance = Allowance.request
  private var bodyEnd = NIODeadline.distantFuture
  /// Whether the server waits for bytes, rather than being busy itself.
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

  /// The head of a request is whole.
  /// - Parameter bytes: what may come after it.
  func requestHasBegun(allowing bytes: Int) {
    connections.set(.receiving, of: number)
    bodyBytes = 0
    allow(bytes)
    bodyEnd =
      (context?.eventLoop.now ?? .now()) + (isUpload ? Patience.upload : Patience.request)
    set(.body)
  }

  /// The request is whole.
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

  /// The head of a response is handed over to the socket.
  func responseHasBegun() { connections.set(.answering, of: number) }

  /// All responses have been handed over to the socket.
  func responsesHaveEnded() {
    connections.set(.idle, of: number)
    // The next request of a client that does not wait for responses may have begun.
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
