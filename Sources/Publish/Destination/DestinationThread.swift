// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc
internal import Media
internal import Synchronization

// The body of the destination's thread.
extension Destination {
  /// The present command for the destination's thread.
  var order: Order { progress.withLock { $0.order } }

  /// The body of the thread: makes one attempt to publish after the other, until the destination is stopped.
  func run() {
    // Block SIGPIPE: librtmp sends without MSG_NOSIGNAL, so a broken connection would send the signal to this thread.
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)

    var servers = self.servers.snapshot
    var resolvers = servers.targets.map { _ in Resolver(worker: worker) }
    var schedule = RetrySchedule(deadlines)
    var patience = servers.targets.map { _ in StepPatience() }
    /// The number of attempts since a server last accepted the stream.
    var tries = 0
    /// Which of the addresses of the server's name to try first: an index that wraps at the number of addresses.
    /// Incremented after each failure, unless the server had accepted the stream for `RTMPDeadlines.goodPublish` on
    /// that connection.
    var firstAddress = 0
    while order == .run {
      let began = clock.now
      skipsRetryPause.store(false, ordering: .relaxed)
      // Cleared before the servers are read, so that a change of the servers after the read is not missed.
      isReconnectRequested.store(false, ordering: .relaxed)
      let before = servers.version
      servers = self.servers.snapshot
      let haveServersChanged = servers.version != before
      if haveServersChanged {
        // The servers have changed: discard the state that was kept for the earlier servers.
        resolvers = servers.targets.map { _ in Resolver(worker: worker) }
        patience = servers.targets.map { _ in StepPatience() }
        schedule = RetrySchedule(deadlines, mayBeHeld: true)
        lingering.release()
        tries = 0
      }
      progress.withLock { progress in
        progress.target = servers.target
        progress.attemptAt = began
        guard haveServersChanged else { return }
        progress.reportFilter = ReportFilter(deadlines)
        progress.counters.obstacle = nil
        progress.counters.needsPerson = false
        progress.counters.failuresInRow = 0
        progress.counters.deliveredUpTo = nil
        progress.trouble = nil
      }
      enter(.connecting)
      let (cause, said) = attempt(
        servers, resolvers[servers.current], firstAddress: firstAddress, tries: tries,
        &patience[servers.current])
      tries = progress.withLock { $0.publishedAt } == nil ? tries + 1 : 0
      guard let cause, order == .run else { break }
      let now = clock.now
      let published = progress.withLock { $0.noteEnd(now) }
      let isRestart = isReconnectRequested.exchange(false, ordering: .relaxed)
      schedule.deadlines = deadlines
      var verdict = schedule.next(
        after: isRestart ? .timedOut(.send) : cause, published: published, now: now,
        chance: .random(in: -1...1))
      if isRestart { continue }
      if published ?? 0 < deadlines.goodPublish { firstAddress += 1 }
      // After a failed attempt, a pause of constant length is counted from the start of that attempt.
      if published == nil, !verdict.retry.isGrowing {
        verdict.retry.pauseNanos = max(0, verdict.retry.pauseNanos - (now - began))
      }
      enterWaiting(verdict, said: said)
      if tries > 0, tries.isMultiple(of: Destination.failuresPerTarget) {
        self.servers.failOver(from: servers)
      }
      waitForRetry(
        until: now + verdict.retry.pauseNanos,
        skippableFrom: verdict.retry.isGrowing && verdict.cause.isServerDecision
          ? nil : began + .seconds(1))
    }
    progress.withLock { _ = $0.outage.end(clock.now) }
    enter(.stopped)
  }

  /// Closes a connection whose path may be dead, but keeps its socket (`LingeringSocket`), so that a RST reaches the
  /// server when the path works again.
  func abandon(_ session: RTMPSession, _ servers: ServerList.Snapshot) {
    control.removeUserTimeout()
    guard let handle = session.close(reset: true) else { return }
    lingering.keep(handle, target: servers.current)
  }

  /// Sends the queued packets and handles the server's messages. Ends only by throwing: when the connection fails, or
  /// when the program stops or requests a new connection.
  func sendPackets(_ session: RTMPSession) throws(PublishError) {
    var muxer = FLVMuxer(hasVideo: hasVideo, encoder: encoder)
    /// Until when to wait for fewer bytes in flight, or for room in the kernel's send buffer, before the connection
    /// counts as timed out; `nil` while packets can be sent.
    var heldUntil: MediaTime?
    /// Whether the kernel's send buffer has no room.
    var isFull = false
    while true {
      let isIdle = queue.prepareToSleep()
      if isIdle { (heldUntil, isFull) = (nil, false) }
      // While packets can be sent, the socket is polled without waiting.
      let pause: Int64 =
        isIdle ? .seconds(1) : isFull ? .milliseconds(50) : heldUntil == nil ? 0 : .milliseconds(5)
      let events = worker.wait(
        until: pause == 0 ? .distantPast : clock.now + pause, for: session.descriptor,
        events: isFull ? [.readable, .peerClosed, .writable] : [.readable, .peerClosed])
      try measure(session)
      switch order {
      case .run: break
      case .stop: throw .stopped
      // All queued packets are sent before the good-bye.
      case .sayGoodbye: if isIdle { throw .stopped }
      }
      if !events.subtracting(.writable).isEmpty { try session.handleInput() }
      let inFlight = meter.figures.inFlightBytes
      let nextBytes = queue.nextBytes
      let isAllowed = inFlightLimit.allows(inFlight: inFlight, next: nextBytes)
      // A packet that has left the queue is sent completely, even if a new scene begins (`PacketQueue.cut`). So while
      // send(2) would block before the first byte, the packet stays in the queue, where it can be dropped.
      isFull = isAllowed && nextBytes > 0 && !session.hasRoom
      guard isAllowed, !isFull else {
        let until =
          heldUntil ?? clock.now + deadlines.send
          + Int64(isFull ? nextBytes : inFlight) * RTMPDeadlines.nanosPerByte
        heldUntil = until
        if clock.now > until { throw .failed(.timedOut(.send)) }
        continue
      }
      heldUntil = nil
      let nanosPerByte = inFlightLimit.nanosPerByte
      let next = queue.next(
        known: muxer.announced, behind: Int64(meter.figures.inFlightBytes) * nanosPerByte,
        nanosPerByte: nanosPerByte)
      switch next {
      case .nothing: continue
      case .formats(let packet): try sendHeaders(before: packet, &muxer, session)
      case .packet(let packet):
        let message = muxer.message(packet, start: queue.startedAt ?? packet.time)
        let body = unsafe FLVMuxer.body(of: packet, queue.bytes(of: packet))
        unsafe try session.send(message, body: body)
        queue.finished()
        let now = clock.now
        progress.withLock {
          $0.noteSent(packet, bytes: message.bodyBytes, hasVideo: hasVideo, now: now)
        }
      }
    }
  }

  /// Sends the metadata and the sequence headers that have to precede a packet. The packet itself stays in the queue,
  /// where it can still be dropped when a new scene begins.
  private func sendHeaders(
    before packet: QueuedPacket, _ muxer: inout FLVMuxer, _ session: RTMPSession
  ) throws(PublishError) {
    let (video, audio) = queue.formats(of: packet)
    let headers = muxer.headers(
      before: packet, video: video, audio: audio, start: queue.startedAt ?? packet.time)
    for header in headers {
      try session.send(header)
      progress.withLock { $0.counters.bytesSent += UInt64(header.body.count) }
    }
  }

  /// Waits before the next attempt.
  /// - Parameter skippableFrom: the time from which a change of this machine's routes ends the wait; `nil` if it never
  ///   does.
  private func waitForRetry(until deadline: MediaTime, skippableFrom: MediaTime?) {
    while order == .run, !isReconnectRequested.exchange(false, ordering: .relaxed) {
      let now = clock.now
      guard now < deadline else { return }
      var next = deadline
      if let skippableFrom, skipsRetryPause.load(ordering: .relaxed) {
        if now >= skippableFrom { return }
        next = min(next, skippableFrom)
      }
      worker.wait(until: next)
    }
  }

  /// Measures the connection, and notes which packets have been delivered, for `updateState`.
  private func measure(_ session: RTMPSession) throws(PublishError) {
    try session.measure()
    let (upTo, isAwaited) = meter.delivery
    let now = clock.now
    progress.withLock { $0.noteDelivery(upTo, isAwaited: isAwaited, now: now) }
  }
}
