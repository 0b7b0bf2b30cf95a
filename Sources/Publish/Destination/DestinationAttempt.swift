// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Synchronization

// One attempt to publish.
extension Destination {
  /// Makes one attempt to publish, and returns when it has ended. An attempt takes one connection, or several if the
  /// server asks for a user name and password or redirects the publisher.
  /// - Parameters:
  ///   - firstAddress: which of the server's addresses to try first: an index that wraps at the number of addresses.
  ///   - tries: the number of attempts that have failed in a row.
  ///   - patience: lengthens the deadlines of steps that have timed out, and learns from this attempt.
  /// - Returns: why the attempt or the connection ended, `nil` if the program stops; and the error text of the server
  ///   or of GnuTLS, "" if there is none.
  func attempt(
    _ servers: ServerList.Snapshot, _ resolver: Resolver, firstAddress: Int, tries: Int,
    _ patience: inout StepPatience
  ) -> (cause: DestinationCause?, said: String) {
    let normal = deadlines
    let patient = patience.deadlines(normal)
    let dialNanos = normal.dialNanos(
      tries, wasPublished: progress.withLock { $0.wasPublished }, patient: patient)
    var connectionTarget = ConnectionTarget(servers.target)
    var resolver = resolver
    while true {
      let target = connectionTarget.target
      let session = makeSession(target, patient)
      let end = run(session, servers, &patience, normal: normal) { () throws(PublishError) in
        // The path works again, so the RST of the old connection, which is sent now, reaches the server. Without it the
        // server would treat the old connection as another publisher of the stream.
        try session.open(resolver, firstAddress: firstAddress, dialNanos: dialNanos) {
          lingering.release(target: servers.current)
        }
      }
      let wasTaken = progress.withLock { $0.publishedAt } != nil
      guard let refusal = session.refusal, !wasTaken, !mustEnd,
        connectionTarget.follow(refusal, nonce: .random(8))
      else { return end }
      if connectionTarget.target.host != target.host { resolver = Resolver(worker: worker) }
      guard connectionTarget.isRedirected else { continue }
      progress.withLock { $0.target = connectionTarget.target }
      enter(.connecting, said: servers.target.host)
    }
  }

  /// Whether the attempt is to end, because the program stops or requests a new connection.
  private var mustEnd: Bool {
    order != .run || isReconnectRequested.load(ordering: .relaxed)
  }

  /// Makes a session that is not connected yet.
  private func makeSession(_ target: RTMPTarget, _ deadlines: RTMPDeadlines) -> RTMPSession {
    RTMPSession(
      target: target, deadlines: deadlines, control: control, worker: worker, meter: meter,
      connected: { [self] in
        progress.withLock { $0.noteConnected(clock.now) }
        enter(.connected)
      },
      stopping: { [self] in mustEnd })
  }

  /// Opens one connection and publishes on it, and returns when it has ended.
  /// - Returns: why the connection ended, `nil` if the program stops; and the error text of the server or of GnuTLS, ""
  ///   if there is none.
  private func run(
    _ session: RTMPSession, _ servers: ServerList.Snapshot, _ patience: inout StepPatience,
    normal: RTMPDeadlines, open: () throws(PublishError) -> Void
  ) -> (cause: DestinationCause?, said: String) {
    do throws(PublishError) {
      try open()
      // Another thread may have requested a new connection after the last check.
      if isReconnectRequested.load(ordering: .relaxed) { throw .failed(.closedByServer(.send)) }
      patience.noteSuccess(took: session.stepNanos, normal: normal)
      meter.begin(session.target, now: clock.now)
      // The throughput of the last connection does not apply to the new connection.
      inFlightLimit.forgetCapacity()
      queue.begin()
      progress.withLock {
        // The configured server has accepted the stream too, even if it has redirected the publisher to another server.
        $0.noteAccepted(servers.target)
        $0.notePublished(clock.now)
      }
      enter(.publishing)
      accepted()
      defer { queue.end() }
      try sendPackets(session)
    } catch .failed(let cause, let said) {
      patience.noteFailure(cause)
      if cause == .timedOut(.send) || isReconnectRequested.load(ordering: .relaxed) {
        abandon(session, servers)
      } else {
        session.close(reset: true)
      }
      return (cause, said)
    } catch {
      // A new connection was requested. As after a time-out, the server may be slow to notice the end of the old one.
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
  /// A string of `count` random hexadecimal digits.
  fileprivate static func random(_ count: Int) -> String {
    String((0..<count).map { _ in "0123456789abcdef".randomElement() ?? "0" })
  }
}
