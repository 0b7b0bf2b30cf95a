// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Synchronization

// One attempt to publish.
extension Destination {
  /// Makes one attempt to publish, and returns when it has ended. It takes one connection, or several if the server
  /// asks for a user name and password or redirects the publisher.
  /// - Returns: why the attempt or the connection ended, `nil` if the program stops; and the server's words about that.
  func attempt(
    _ servers: ServerList.Snapshot, _ resolver: Resolver, firstAddress: Int, tries: Int,
    _ patience: inout StepPatience
  ) -> (cause: DestinationCause?, said: String) {
    let normal = deadlines
    let patient = patience.deadlines(normal)
    let dialNanos = normal.dial(
      tries, wasPublished: progress.withLock { $0.wasPublished }, patient: patient)
    var introduction = Introduction(servers.target)
    var resolver = resolver
    while true {
      let target = introduction.target
      let session = makeSession(target, patient)
      let end = run(session, servers, &patience, normal: normal) { () throws(PublishError) in
        // If a new connection gets through, then so did the RST of the old one before it. So the server does not take
        // the old connection for another publisher.
        try session.open(resolver, firstAddress: firstAddress, dialNanos: dialNanos) {
          lingering.release(target: servers.current)
        }
      }
      let wasTaken = progress.withLock { $0.publishedAt } != nil
      guard let refusal = session.refusal, !wasTaken, !isToEnd,
        introduction.follow(refusal, nonce: .random(8))
      else { return end }
      if introduction.target.host != target.host { resolver = Resolver(worker: worker) }
      guard introduction.isRedirected else { continue }
      progress.withLock { $0.target = introduction.target }
      enter(.connecting, said: servers.target.host)
    }
  }

  /// Whether the attempt is to end, because the program stops or wants another connection.
  private var isToEnd: Bool {
    order != .run || isRestarting.load(ordering: .relaxed)
  }

  private func makeSession(_ target: RTMPTarget, _ deadlines: RTMPDeadlines) -> RTMPSession {
    RTMPSession(
      target: target, deadlines: deadlines, control: control, worker: worker, meter: meter,
      connected: { [self] in
        progress.withLock { $0.noteConnected(clock.now) }
        enter(.connected)
      },
      stopping: { [self] in isToEnd })
  }

  /// Opens one connection and publishes on it, and returns when it has ended.
  /// - Returns: why the connection ended, `nil` if the program stops; and the server's words about that.
  private func run(
    _ session: RTMPSession, _ servers: ServerList.Snapshot, _ patience: inout StepPatience,
    normal: RTMPDeadlines, open: () throws(PublishError) -> Void
  ) -> (cause: DestinationCause?, said: String) {
    do throws(PublishError) {
      try open()
      // A restart may have been requested after the last check.
      if isRestarting.load(ordering: .relaxed) { throw .failed(.closedByServer(.send)) }
      patience.noteSuccess(took: session.took, normal: normal)
      meter.begin(session.target, now: clock.now)
      // The throughput of the last connection does not apply to this one.
      limit.forgetCapacity()
      queue.begin()
      progress.withLock {
        // The server of the settings may have redirected the publisher to the present one.
        $0.noteWorks(servers.target)
        $0.notePublished(clock.now)
      }
      enter(.publishing)
      begun()
      defer { queue.end() }
      try feed(session)
    } catch .failed(let cause, let said) {
      patience.noteFailure(cause)
      if cause == .timedOut(.send) || isRestarting.load(ordering: .relaxed) {
        abandon(session, servers)
      } else {
        session.close(reset: true)
      }
      return (cause, said)
    } catch {
      // Another connection was requested. The server may not notice the end of this one for a long time either.
      if order == .run {
        abandon(session, servers)
        return (.timedOut(.send), "")
      }
    }
    if case .sayGoodbye(let deadline) = order {
      session.sayGoodbye(by: deadline)
      session.close(reset: false)
    } else {
      session.close(reset: true)
    }
    return (nil, "")
  }
}

extension String {
  /// Random hexadecimal digits.
  fileprivate static func random(_ count: Int) -> String {
    String((0..<count).map { _ in "0123456789abcdef".randomElement() ?? "0" })
  }
}
