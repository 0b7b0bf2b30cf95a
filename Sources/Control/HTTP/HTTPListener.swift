// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import Posix
internal import Synchronization

/// An HTTP server on one address. While it cannot listen, it tries again every ten seconds.
final class HTTPListener: Sendable {
  /// Where the server listens.
  enum Address: Sendable, Equatable {
    /// Listens at a port of an IP address of this machine.
    case tcp(host: String, port: Int)
    /// Listens at a Unix socket in a folder that only this user can write to.
    case unix(path: String)
  }

  /// Whether the server listens.
  enum Report: Sendable, Equatable {
    /// The server cannot listen, for this reason given by the system. It tries again until it is stopped.
    case unavailable(String)
    /// The server listens again, after `unavailable` was reported.
    case available
    /// The server listens, and `unavailable` was not reported before.
    case listening
  }

  /// What the server serves, and to whom.
  struct Content: Sendable {
    /// The responder for requests that arrive at an address.
    let responder: @Sendable (Address) -> any HTTPResponder<APIContext>
    /// Which sites' pages may embed the responses: the header Cross-Origin-Resource-Policy.
    var resourcePolicy = "same-origin"
    /// The most connections at a time.
    var mostConnections = 64
    /// The number of connections that are reserved for clients that are logged in. The same number is reserved for
    /// clients that are not logged in.
    var reservedConnections = 16
    /// The time within which a client must receive the next piece of a response.
    var readingPatience = Patience.reading
  }

  /// The backlog of listen(2): connections that the kernel has accepted and the server has not.
  private static let backlog = 128
  /// The pause before the next attempt to listen.
  private static let retryPause = Duration.seconds(10)
  /// The number of passes of the event loop from the last accept to the closing of the listening socket: more than
  /// SwiftNIO needs to hand an accepted connection to the server.
  private static let lastPasses = 20

  /// Where the server listens.
  private let address: Address
  /// How long the server waits before it first listens.
  private let startDelay: Duration
  private let content: Content
  /// Called when the server begins to listen, and when it finds that it cannot.
  private let report: @Sendable (Report) -> Void
  /// Whether `unavailable` was reported, and the server has not listened since.
  private let isUnavailable = Atomic(false)
  /// The listening socket, and the connections that it has accepted.
  private struct Service {
    let socket: any Channel
    let connections: Connections
  }

  /// Whether `start` was called.
  private let isStarted = Atomic(false)
  /// The present listening socket and its connections; `nil` while no socket listens.
  private let service = Mutex<Service?>(nil)
  /// Whether `stop` was called.
  private let isStopping = Atomic(false)
  /// Signalled when `run` has ended.
  private let ended = Signal()
  /// Tells whether the event loop still runs.
  private let pinger = Pinger()

  /// - Parameters:
  ///   - startDelay: how long to wait before the server first listens. At the start of the program the broadcast needs
  ///     the processor.
  ///   - report: called when the server begins to listen, and when it finds that it cannot.
  init(
    _ address: Address, after startDelay: Duration = .zero, serving content: Content,
    report: @escaping @Sendable (Report) -> Void
  ) {
    self.address = address
    self.startDelay = startDelay
    self.content = content
    self.report = report
  }

  /// Starts the server, and returns at once.
  func start() {
    isStarted.store(true, ordering: .relaxed)
    // Child tasks inherit this priority, and libdispatch derives the nice value of their threads from it. At the
    // default priority they would run before the threads of the media path.
    Task(priority: .utility) { [self] in await run() }
  }

  /// Whether the event loop of this listener still runs: see `Pinger`.
  func isAlive(_ now: MediaTime) -> Bool { pinger.isAlive(now) }

  /// Stops the server.
  /// - Parameter deadline: an instant on CLOCK_MONOTONIC.
  /// - Returns: `false` when the server had not ended by `deadline`.
  func stop(by deadline: MediaTime) -> Bool {
    guard isStarted.load(ordering: .relaxed) else { return true }
    if !isStopping.exchange(true, ordering: .sequentiallyConsistent) { end() }
    guard ended.wait(until: deadline) else { return false }
    ended.signal()
    return true
  }

  /// Stops accepting connections. Closes the socket and all connections, but only once SwiftNIO has handed all accepted
  /// connections to the server: SwiftNIO ends the program if an accepted connection is never served (NIOAsyncWriter's
  /// deinitialiser). For the same reason the server's task is not cancelled.
  private func end() {
    guard let service = service.withLock({ $0 }) else { return }
    service.socket.eventLoop.execute {
      try? service.socket.pipeline.syncOperations.addHandler(ReadBarrier(), position: .first)
      HTTPListener.close(service, after: HTTPListener.lastPasses)
    }
  }

  /// Closes the socket and its connections after a number of further passes of the event loop.
  private static func close(_ service: Service, after passes: Int) {
    guard passes == 0 else {
      return service.socket.eventLoop.execute { close(service, after: passes - 1) }
    }
    service.socket.close(promise: nil)
    service.connections.close()
  }

  /// Sleeps for `time`, or until the server is asked to stop.
  private func rest(_ time: Duration) async {
    let end = ContinuousClock.now + time
    while !isStopping.load(ordering: .relaxed), ContinuousClock.now < end {
      try? await Task.sleep(for: min(.milliseconds(100), time))
    }
  }

  /// Listens, and tries again after each failure, until the server is asked to stop.
  private func run() async {
    defer { ended.signal() }
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    try? await group.next().submit { MediaThread.Urgency.request.apply() }.get()
    pinger.beginWatching { _ = try? await group.next().submit {}.get() }
    await rest(startDelay)
    while !isStopping.load(ordering: .relaxed) {
      do {
        try await serve(group)
      } catch {
        if !isStopping.load(ordering: .relaxed), !isUnavailable.exchange(true, ordering: .relaxed) {
          report(.unavailable(HTTPListener.reason(error)))
        }
      }
      service.withLock { $0 = nil }
      await rest(HTTPListener.retryPause)
    }
    if case .unix(let path) = address { File.unlink(path) }
    pinger.endWatching()
    try? await group.shutdownGracefully()
  }

  /// Listens and answers requests until the socket is closed. Throws if the server cannot listen.
  private func serve(_ group: MultiThreadedEventLoopGroup) async throws {
    // Hummingbird logs nothing that a person could act on.
    let silent = Logger(label: "http") { _ in SwiftLogNoOpLogHandler() }
    let responder = content.responder(address)
    let bind: BindAddress =
      switch address {
      case .tcp(let host, let port): .hostname(host, port: port)
      case .unix(let path): .unixDomainSocket(path: path)
      }
    let connections = Connections(
      most: content.mostConnections, reserved: content.reservedConnections)
    let channel = LimitedChannel(
      connections: connections, readingPatience: content.readingPatience
    ) { [address, content] request, writer, channel in
      MediaThread.Urgency.request.apply()
      var context = APIContext(
        source: ApplicationRequestContextSource(channel: channel, logger: silent))
      context.isWaitedFor = { connections.isWaiting(channel) }
      if case .unix = address { context.user = try await HTTPListener.user(of: channel) }
      var response = try await responder.respond(to: request, context: context)
      // With "same-origin" pages of other sites, or of other ports of this machine, may not even embed the response.
      response.headers[FieldName.resourcePolicy] = content.resourcePolicy
      try await writer.write(response: response.head, body: response.body)
    }
    // Hummingbird's `Application` is not used: it wakes once a second to update its Date header.
    let server = channel.server(
      configuration: ServerConfiguration(address: bind, backlog: HTTPListener.backlog),
      onServerRunning: { [self] channel in
        service.withLock { $0 = Service(socket: channel, connections: connections) }
        if isStopping.load(ordering: .sequentiallyConsistent) { end() }
        if case .unix(let path) = address { File.makePrivate(path) }
        report(isUnavailable.exchange(false, ordering: .relaxed) ? .available : .listening)
      }, eventLoopGroup: group, logger: silent)
    try await server.run()
  }

  /// The reason why the server cannot listen, in words.
  private static func reason(_ error: any Error) -> String {
    if let error = error as? IOError { return "\(SystemError(error.errnoCode))" }
    if error is SocketAddressError { return "the path is too long for a socket" }
    return "\(error)"
  }

  /// The user ID of the process at the other end of a Unix socket, as the kernel knows it (unix(7), SO_PEERCRED).
  private static func user(of channel: any Channel) async throws -> uid_t? {
    // struct ucred, which glibc declares only under _GNU_SOURCE.
    struct Credentials { var process: pid_t, user: uid_t, group: gid_t }
    guard let options = channel as? any SocketOptionProvider else { return nil }
    let credentials: Credentials = try await options.unsafeGetSocketOption(
      level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED)
    ).get()
    return credentials.user
  }
}

/// A channel handler that drops reads. On a listening socket a read accepts connections, so no more are accepted.
private final class ReadBarrier: ChannelOutboundHandler {
  typealias OutboundIn = Never

  /// Drops the read.
  func read(context: ChannelHandlerContext) {}
}
