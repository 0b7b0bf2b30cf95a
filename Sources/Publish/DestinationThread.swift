// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Media
internal import Synchronization

// What the destination's own thread does.
extension Destination {
  private var order: Order { progress.withLock { $0.order } }

  func run() {
    // librtmp sends without MSG_NOSIGNAL, and the signal goes to the thread that sends.
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)

    var endpoints = self.endpoints.withLock { $0 }
    var resolvers = endpoints.targets.map { _ in Resolver(wakeup: wakeup) }
    var schedule = RetrySchedule(deadlines)
    /// Attempts since the stream was last taken.
    var tries = 0
    /// Of the server's addresses the one to begin with: the next after each that took the connection and then failed.
    var firstAddress = 0
    while order == .run {
      let began = MediaTime.now()
      progress.withLock { $0.counters.aliveAt = began }
      hurrying.store(false, ordering: .relaxed)
      // Cleared before the endpoints are read, so that a change after the read is not missed.
      restarting.store(false, ordering: .relaxed)
      let before = endpoints.number
      endpoints = self.endpoints.withLock { $0 }
      let isElsewhere = endpoints.number != before
      if isElsewhere {
        // Nothing that is known of the servers before counts for these.
        resolvers = endpoints.targets.map { _ in Resolver(wakeup: wakeup) }
        schedule = RetrySchedule(deadlines, mayBeHeld: true)
        lingering.withLock { $0 = nil }
        tries = 0
      }
      progress.withLock { progress in
        progress.target = endpoints.targets[endpoints.turn]
        guard isElsewhere else { return }
        progress.reportFilter = ReportFilter(deadlines)
        progress.counters.obstacle = nil
        progress.trouble = nil
      }
      enter(.connecting)
      let (cause, said) = attempt(
        endpoints, resolvers[endpoints.turn], firstAddress: firstAddress,
        dialNanos: progress.withLock { $0.published } ? deadlines.dial(tries) : deadlines.connect)
      tries = progress.withLock { $0.publishedAt } == nil ? tries + 1 : 0
      guard let cause, order == .run else { break }
      let now = MediaTime.now()
      let published = takePublished(now)
      var retry = schedule.next(
        after: cause, published: published, now: now, chance: .random(in: -1...1))
      if restarting.exchange(false, ordering: .relaxed) { continue }
      if published ?? 0 < deadlines.goodPublish { firstAddress += 1 }
      // An attempt that took its time has had its pause.
      if published == nil, !retry.isGrowing {
        retry.pauseNanos = max(0, retry.pauseNanos - (now - began))
      }
      enter(.waiting, cause, said: said, retry: retry)
      if tries > 0, tries.isMultiple(of: Destination.failuresPerTarget) {
        self.endpoints.withLock { now in
          if now.number == endpoints.number {
            now.turn = (endpoints.turn + 1) % endpoints.targets.count
          }
        }
      }
      rest(
        until: now + retry.pauseNanos,
        hurriedFrom: retry.isGrowing && cause.isServersWord ? nil : began + .seconds(1))
    }
    enter(.stopped)
  }

  /// One connection, from its beginning to its end.
  /// - Returns: why it ended; `nil` if the program wants it.
  private func attempt(
    _ endpoints: Endpoints, _ resolver: Resolver, firstAddress: Int, dialNanos: Int64
  ) -> (cause: DestinationCause?, said: String) {
    let session = RTMPSession(
      target: endpoints.targets[endpoints.turn], deadlines: deadlines, control: control,
      wakeup: wakeup,
      meter: meter,
      connected: { [self] in enter(.connected) },
      stopping: { [self] in order != .run || restarting.load(ordering: .relaxed) })
    do throws(PublishEnd) {
      // Where a new connection passes, the reset of the old one does, and before it: so the server does not take
      // that one for another publisher.
      try session.open(resolver, firstAddress: firstAddress, dialNanos: dialNanos) {
        lingering.withLock { if $0?.turn == endpoints.turn { $0 = nil } }
      }
      // Asked for at the last moment.
      if restarting.load(ordering: .relaxed) { throw .failed(.closedByServer(.send)) }
      meter.begin()
      // What the link before carried says nothing of this one.
      nanosPerByte.store(0, ordering: .relaxed)
      queue.begin()
      countPublish()
      enter(.publishing)
      begun()
      defer { queue.end() }
      try feed(session)
    } catch .failed(let cause, let said) {
      if cause == .timedOut(.send) || restarting.load(ordering: .relaxed) {
        leave(session, endpoints)
      } else {
        session.close(reset: true)
      }
      return (cause, said)
    } catch {
      // Another connection was asked for: of this one, too, the server may not know for long that it has ended.
      if order == .run {
        leave(session, endpoints)
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

  /// Ends a connection whose path may carry nothing, so that the server knows of it as soon as it can.
  private func leave(_ session: RTMPSession, _ endpoints: Endpoints) {
    control.endPatience()
    guard let handle = session.close(reset: true) else { return }
    lingering.withLock {
      if $0?.turn != endpoints.turn { $0 = LingeringSocket(handle: handle, turn: endpoints.turn) }
    }
  }

  /// Sends what is queued and serves what the server says, until something ends it.
  private func feed(_ session: RTMPSession) throws(PublishEnd) {
    var heldUntil: MediaTime?
    while true {
      // While there is something to send, the socket is only looked at.
      let idle = queue.sleeps()
      if idle { heldUntil = nil }
      let events = wakeup.wait(
        milliseconds: idle ? 1_000 : heldUntil == nil ? 0 : 5, socket: session.descriptor,
        for: [.readable, .ended])
      note(session)
      switch order {
      case .run: break
      case .stop: throw .stopped
      // What is queued comes before the good-bye.
      case .sayGoodbye: if idle { throw .stopped }
      }
      if !events.isEmpty { try session.serve() }
      // What is on its way cannot be taken back: there is no more of it than the link needs. What does not fit
      // beside it, as a key picture may not, goes when at most half of that is on its way.
      let onTheWay = meter.figures.onTheWayBytes
      let most = maxInFlight.load(ordering: .relaxed)
      guard onTheWay <= most / 2 || onTheWay + queue.nextBytes <= most else {
        // Time by its size, as each message has.
        let until =
          heldUntil ?? .now() + deadlines.send + Int64(onTheWay) * RTMPDeadlines.nanosPerByte
        heldUntil = until
        if MediaTime.now() > until { throw .failed(.timedOut(.send)) }
        continue
      }
      heldUntil = nil
      let nanosPerByte = nanosPerByte.load(ordering: .relaxed)
      guard
        let message = queue.next(
          behind: Int64(meter.figures.onTheWayBytes) * nanosPerByte, nanosPerByte: nanosPerByte)
      else { continue }
      let body = unsafe queue.body(of: message)
      unsafe try session.send(message, body: body)
      queue.finished()
      count(message)
    }
  }

  /// - Parameter hurriedFrom: from when on a change of the routes ends it; `nil` for never.
  private func rest(until deadline: MediaTime, hurriedFrom: MediaTime?) {
    while order == .run, !restarting.exchange(false, ordering: .relaxed) {
      let now = MediaTime.now()
      guard now < deadline else { return }
      progress.withLock { $0.counters.aliveAt = now }
      var next = min(deadline, now + .seconds(1))
      if let hurriedFrom, hurrying.load(ordering: .relaxed) {
        if now >= hurriedFrom { return }
        next = min(next, hurriedFrom)
      }
      _ = wakeup.wait(until: next)
    }
  }

  private func countPublish() {
    progress.withLock { progress in
      if progress.published { progress.counters.reconnects += 1 }
      progress.published = true
      progress.publishedAt = .now()
      progress.delivery = nil
      progress.isUnderWay = false
    }
  }

  /// - Returns: nanoseconds for which the server took the stream; `nil` if it did not.
  private func takePublished(_ now: MediaTime) -> Int64? {
    progress.withLock { progress in
      defer { progress.publishedAt = nil }
      return progress.publishedAt.map { now - $0 }
    }
  }

  private func count(_ message: QueuedMessage) {
    progress.withLock { progress in
      progress.counters.bytesSent += UInt64(message.bodyBytes)
      switch message.kind {
      case .keyframe, .frame: progress.counters.picturesSent += 1
      case .audio, .metadata, .videoHeader, .audioHeader: break
      }
    }
  }

  /// Notes for `judge` what the server has by now.
  private func note(_ session: RTMPSession) {
    session.lookAtTransport()
    let (delivery, isUnderWay) = meter.delivery
    progress.withLock { progress in
      progress.counters.aliveAt = .now()
      progress.delivery = delivery
      progress.isUnderWay = isUnderWay
      if let delivery = progress.delivery { progress.counters.delivery = delivery }
    }
  }

  /// Looks at what has changed while publishing: whether what is sent arrives, and whether the link is too
  /// slow, which it no longer is after 10 good seconds.
  func judge(_ now: MediaTime) {
    let queued = queue.figures
    let progressAt = meter.figures.progressAt
    tell { progress in
      guard let publishedAt = progress.publishedAt, progress.counters.state.isOnAir else {
        return nil
      }
      if queued.isLeavingOut || queued.overflows != progress.overflowsSeen {
        progress.overflowsSeen = queued.overflows
        // Where nothing moves the link is not slow, but dead or about to be back.
        if now - progressAt < .seconds(1) { progress.overflowedAt = now }
      }
      let isSlow = now - progress.overflowedAt <= .seconds(10)
      progress.counters.isSlow = isSlow
      let newest = progress.delivery?.capturedAt ?? publishedAt
      let isLate = now - newest > deadlines.confirmation
      let state = progress.delivery != nil && !isLate ? DestinationState.delivering : .publishing
      let cause: DestinationCause? =
        if isSlow { .linkTooSlow } else if !isLate { nil } else if progress.isUnderWay {
          .unconfirmed
        } else { .nothingToSend }
      if state == progress.counters.state, cause == progress.cause {
        return progress.reportFilter.settle(now: now)
      }
      return enter(state, cause, &progress, now: now)
    }
  }

  /// Changes the state, and tells of it if it is news.
  private func enter(
    _ state: DestinationState, _ cause: DestinationCause? = nil, said: String = "",
    retry: DestinationRetry? = nil
  ) {
    tell { enter(state, cause, said: said, retry: retry, &$0, now: .now()) }
  }

  /// - Returns: what to tell.
  private func enter(
    _ state: DestinationState, _ cause: DestinationCause?, said: String = "",
    retry: DestinationRetry? = nil, _ progress: inout Progress, now: MediaTime
  ) -> DestinationReport? {
    progress.counters.state = state
    progress.cause = cause
    progress.noteTrouble(
      state, cause, said: said, retryAt: retry.map { now + $0.pauseNanos }, now: now)
    if state == .waiting {
      progress.counters.failures += 1
      progress.counters.obstacle = cause
    } else if state.isOnAir {
      progress.counters.obstacle = nil
    }
    return progress.reportFilter.take(
      DestinationReport(
        state: state, cause: cause, said: said, retry: retry, target: progress.target,
        wasPublished: progress.published), now: now)
  }

  private func tell(_ news: (inout Progress) -> DestinationReport?) {
    telling.withLock { _ in
      if let report = progress.withLock({ news(&$0) }) { listener(report) }
    }
  }
}
