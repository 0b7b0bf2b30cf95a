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
  enum Address: Sendable, Equatable {
    /// Listens at a port of an IP address of this machine.
    case tcp(host: String, port: Int)
    /// Listens at a Unix socket in a folder that only this user can write to.
    case unix(path: String)
  }

  /// Tells that the server listens, or that it cannot.
  enum Report: Sendable, Equatable {
    /// The server cannot listen, for this reason of the system. It tries again until it is stopped.
    case unavailable(String)
    /// The server listens, after it could not.
    case available
    /// The server listens, and nothing was wrong before.
    case listening
  }

  /// The most connections at a time.
  static let mostConnections = 64
  /// How many of the connections are reserved for clients that are logged in. As many are reserved for clients that are
  /// not.
  private static let reservedConnections = 16
  /// The backlog of listen(2): connections that the kernel has accepted and the server has not.
  private static let backlog = 128
  private static let retryPause = Duration.seconds(10)
  /// Turns of the event loop from the last accept to the closing of the socket: more than SwiftNIO needs to hand an
  /// accepted connection to the server.
  private static let lastTurns = 20

  private let address: Address
  private let headStart: Duration
  private let routes: Routes
  private let report: @Sendable (Report) -> Void
  private let isUnavailable = Atomic(false)
  /// The listening socket, and the connections that it has accepted.
  private struct Service {
    let socket: any Channel
    let connections: Connections
  }

  private let isStarted = Atomic(false)
  /// The present listening socket and its connections; `nil` while no socket listens.
  private let service = Mutex<Service?>(nil)
  private let isStopping = Atomic(false)
  private let ended = Signal()
  private let pulse = Pinger()

  /// - Parameters:
  ///   - headStart: how long to wait before the server first listens. At the start of the program the broadcast needs
  ///     the processor.
  ///   - report: called when the server begins to listen, and when it finds that it cannot.
  init(
    _ address: Address, after headStart: Duration = .zero, routes: Routes,
    report: @escaping @Sendable (Report) -> Void
  ) {
    self.address = address
    self.headStart = headStart
    self.routes = routes
    self.report = report
  }

  func start() {
    isStarted.store(true, ordering: .relaxed)
    // The tasks that this one starts have the same priority: libdispatch gives their threads a nice value by it, and at
    // the usual priority they would run before the threads of the media path.
    Task(priority: .utility) { [self] in await run() }
  }

  /// Whether the event loop of this listener still runs: see `Pinger`.
  func isAlive(_ now: MediaTime) -> Bool { pulse.isAlive(now) }

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

  /// Stops accepting connections, and closes the socket and all connections once the server has got those that were
  /// accepted. The server is never cancelled, and its socket is not closed at once: SwiftNIO would end the program if
  /// an accepted connection were then not served (NIOAsyncWriter's deinitialiser).
  private func end() {
    guard let service = service.withLock({ $0 }) else { return }
    service.socket.eventLoop.execute {
      try? service.socket.pipeline.syncOperations.addHandler(ReadBarrier(), position: .first)
      HTTPListener.close(service, in: HTTPListener.lastTurns)
    }
  }

  private static func close(_ service: Service, in turns: Int) {
    guard turns == 0 else {
      return service.socket.eventLoop.execute { close(service, in: turns - 1) }
    }
    service.socket.close(promise: nil)
    service.connections.close()
  }

  /// Sleeps for `time`, or until the server is to stop.
  private func rest(_ time: Duration) async {
    let end = ContinuousClock.now + time
    while !isStopping.load(ordering: .relaxed), ContinuousClock.now < end {
      try? await Task.sleep(for: min(.milliseconds(100), time))
    }
  }

  private func run() async {
    defer { ended.signal() }
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    try? await group.next().submit { MediaThread.Urgency.request.apply() }.get()
    pulse.begin { _ = try? await group.next().submit {}.get() }
    await rest(headStart)
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
    pulse.end()
    try? await group.shutdownGracefully()
  }

  private func serve(_ group: MultiThreadedEventLoopGroup) async throws {
    // Hummingbird logs nothing that a person could act on.
    let silent = Logger(label: "http") { _ in SwiftLogNoOpLogHandler() }
    let responder = routes.responder(guarding: address)
    let bind: BindAddress =
      switch address {
      case .tcp(let host, let port): .hostname(host, port: port)
      case .unix(let path): .unixDomainSocket(path: path)
      }
    let connections = Connections(
      most: HTTPListener.mostConnections, reserved: HTTPListener.reservedConnections)
    let channel = LimitedChannel(connections: connections) { [address] request, writer, channel in
      MediaThread.Urgency.request.apply()
      var context = APIContext(
        source: ApplicationRequestContextSource(channel: channel, logger: silent))
      context.isWaitedFor = { connections.isWaiting(channel) }
      if case .unix = address { context.user = try await HTTPListener.user(of: channel) }
      var response = try await responder.respond(to: request, context: context)
      // A page of another site, or of another port of this machine, may not even embed it.
      response.headers[FieldName.resourcePolicy] = "same-origin"
      try await writer.write(response: response.head, body: response.body)
    }
    // Not Hummingbird's `Application`, which wakes once a second to update its Date header.
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

  func read(context: ChannelHandlerContext) {}
}
