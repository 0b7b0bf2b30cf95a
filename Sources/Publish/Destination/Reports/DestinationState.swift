// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Synchronization

// Changes the destination's state, and reports the changes.
extension Destination {
  /// Checks whether packets arrive and whether the link is too slow, and updates the state, while the server accepts
  /// the stream. The link counts as too slow until 10 s after packets were last dropped. Packets that are dropped just
  /// after a standstill of this program do not count.
  func updateState(_ now: MediaTime) {
    let queued = queue.figures
    let progressAt = meter.figures.progressAt
    let suspendedNanos = clock.suspendedNanos
    report { progress in
      let before = progress.standstill.count
      let isExcused = progress.standstill.look(now: now, suspendedNanos: suspendedNanos)
      progress.hasJustResumed = isExcused
      if isExcused {
        progress.excusedOverflows += queued.overflows - progress.handledOverflows
        progress.excusedDrops += queued.dropped - progress.handledDrops
        progress.handledOverflows = queued.overflows
      }
      progress.handledDrops = queued.dropped
      guard let publishedAt = progress.publishedAt, progress.counters.state.isOnAir else {
        return nil
      }
      progress.counters.standstills += progress.standstill.count - before
      if !isExcused, queued.isHoldingVideo || queued.overflows != progress.handledOverflows {
        progress.handledOverflows = queued.overflows
        // If TCP has made no progress for a second, the link counts as dead, not as slow.
        if now - progressAt < .seconds(1) { progress.overflowedAt = now }
      }
      if now - publishedAt >= deadlines.shortPublish {
        progress.forgetObstacle()
        progress.counters.failuresInRow = 0
      }
      let isSlow = now - progress.overflowedAt <= .seconds(10) || queued.thinning > .whole
      progress.counters.isSlow = isSlow
      let newest = progress.deliveredUpTo ?? publishedAt
      let isLate = now - max(newest, progress.standstill.endedAt) > deadlines.confirmation
      let state =
        progress.deliveredUpTo != nil && !isLate ? DestinationState.delivering : .publishing
      let cause: DestinationCause? =
        if isSlow {
          .linkTooSlow
        } else if !isLate {
          nil
        } else {
          progress.isAwaitingDelivery ? .unconfirmed : .nothingToSend
        }
      if state == progress.counters.state, cause == progress.cause {
        return progress.reportFilter.settle(now: now)
      }
      return enter(
        state, cause, &progress,
        stoppedAt: cause == .unconfirmed ? max(publishedAt, progressAt) : nil, now: now)
    }
  }

  /// Changes the state, and reports the change unless the filter holds it back.
  func enter(
    _ state: DestinationState, _ cause: DestinationCause? = nil, said: String = "",
    retry: DestinationRetry? = nil
  ) {
    report { enter(state, cause, said: said, retry: retry, &$0, now: clock.now) }
  }

  /// Enters the state `waiting` after a failure.
  func enterWaiting(_ verdict: FailureVerdict, said: String) {
    progress.withLock { $0.counters.needsPerson = verdict.needsPerson }
    enter(.waiting, verdict.cause, said: said, retry: verdict.retry)
  }

  /// Changes the state in `progress`.
  /// - Returns: the report of the change; `nil` if the filter holds it back.
  private func enter(
    _ state: DestinationState, _ cause: DestinationCause?, said: String = "",
    retry: DestinationRetry? = nil, _ progress: inout Progress, stoppedAt: MediaTime? = nil,
    now: MediaTime
  ) -> DestinationReport? {
    progress.counters.state = state
    progress.cause = cause
    progress.noteTrouble(
      state, cause, said: said, retryAt: retry.map { now + $0.pauseNanos }, stoppedAt: stoppedAt,
      now: now)
    if state == .waiting {
      progress.counters.failures += 1
      if progress.counters.failuresInRow == 0 {
        let attempt = progress.attemptAt
        progress.counters.failingSince = max(attempt ?? now, progress.outage.since ?? now)
      }
      progress.counters.failuresInRow += 1
      progress.counters.obstacle = cause
    } else if state.isOnAir, progress.counters.obstacle != .closedAfterStart {
      progress.forgetObstacle()
    }
    return progress.reportFilter.process(
      DestinationReport(
        state: state, cause: cause, said: said, retry: retry, target: .rtmp(progress.target),
        wasPublished: progress.wasPublished, hasWorked: progress.hasWorked,
        publishedAfter: state.isOnAir ? progress.publishedAfter : nil,
        deliveredAfter: state.isOnAir ? progress.deliveredAfter : nil), now: now)
  }

  /// Calls the listener with the report that `change` returns, if any.
  private func report(_ change: (inout Progress) -> DestinationReport?) {
    reporting.withLock { _ in
      if let report = progress.withLock({ change(&$0) }) { listener(report) }
    }
  }
}
