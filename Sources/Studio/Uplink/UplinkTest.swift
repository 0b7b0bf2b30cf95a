// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Publish
public import RateControl
public import Settings
internal import Synchronization

/// Measures the capacity of the uplink to a server, off air: publishes a still, silence and padding at rising bit
/// rates, and closes the stream at the server when the test ends. Runs on a thread of its own, and opens no device.
public final class UplinkTest: Sendable {
  /// Why a test has no result.
  public enum Failure: Sendable, Equatable {
    /// The server cannot be reached, refuses the stream, or closes the connection. `said` is the text of the server's
    /// answer, as in `DestinationReport.said`; empty if there is none.
    case destination(DestinationCause, said: String, PublishTarget)
    /// The stream for the test could not be produced. The text is the reason.
    case stream(String)
    /// The test was stopped before it had a result.
    case stopped
  }

  /// The state of the test, with its result once it has ended.
  public enum State: Sendable, Equatable {
    case running(secondsLeft: Int)
    case done(UplinkVerdict)
    case failed(Failure)
  }

  /// The progress and the result, shared by the test's thread and its callers.
  private struct Progress {
    /// The result of the test; `nil` while it runs.
    var outcome: Result<UplinkVerdict, RefusedError>?
    /// Decides which bit rate is tried next.
    var probe: UplinkProbe
    /// When the server accepted the stream; `nil` before.
    var publishedAt: MediaTime?
    /// The first failure that the destination reported; `nil` if there was none.
    var failure: DestinationReport?
  }

  /// The error that ends the test, with the reason that the test's caller gets.
  private struct RefusedError: Error { var failure: Failure }

  /// Nanoseconds from one round of the test to the next. In each round frames are sent, a reading is taken, and the
  /// connection is supervised.
  private static let tickNanos = Int64.milliseconds(50)
  /// The age, in nanoseconds, at which queued packets are dropped. Much higher than in a broadcast, because the test
  /// measures the backlog.
  private static let behindNanos = Int64.seconds(10)
  /// The size limit of the packet queue.
  private static let queueBytes = 8 << 20
  /// The maximum time, in nanoseconds, to wait for the bytes in flight to arrive before the stream is closed.
  private static let drainNanos = Int64.seconds(3)
  /// Nanoseconds that closing the stream at the server may take.
  private static let goodbyeNanos = Int64.milliseconds(1_500)
  /// Nanoseconds that closing the stream may take when the test is stopped early: shorter, because the caller of `stop`
  /// waits.
  private static let hurriedGoodbyeNanos = Int64.milliseconds(350)
  /// The test may take this many nanoseconds longer than `UplinkProbe.plannedDuration`, because the round-trip time may
  /// be long.
  private static let spareNanos = Int64.seconds(10)

  /// The settings when the test began.
  private let settings: Settings
  /// The sizes and bit rates from which the test recommends one size and one bit rate.
  private let choices: UplinkChoices
  /// The program's name and version, for the stream's metadata.
  private let encoder: String
  /// The test's thread.
  private let worker: Worker
  /// The progress and the result, shared by the test's thread and its callers.
  private let progress: Mutex<Progress>
  /// Called once with the result, on the test's thread.
  private let ended: @Sendable (State) -> Void
  /// The server that the test publishes to.
  public let target: PublishTarget
  /// The clock on which the test's times are measured.
  private var clock: MediaClock { worker.clock }

  /// - Parameters:
  ///   - encoder: the program's name and version, for the stream's metadata.
  ///   - ended: called once with the result, on the test's thread.
  public init(
    settings: Settings, target: PublishTarget, encoder: String, clock: MediaClock = .system,
    ended: @escaping @Sendable (State) -> Void
  ) {
    self.settings = settings
    self.target = target
    self.encoder = encoder
    self.ended = ended
    choices = UplinkChoices(settings)
    worker = Worker(name: "uplink test", clock: clock)
    progress = Mutex(Progress(probe: UplinkProbe(mostKbps: choices.mostKbps)))
  }

  /// Starts the test. To be called once.
  public func start() {
    do {
      try worker.tryStart { [self] in run() }
    } catch {
      finish(.failure(RefusedError(failure: .stream("no thread is left"))))
    }
  }

  /// Asks the test to end. Does not wait for its end.
  public func requestStop() { worker.requestStop() }

  /// Ends the test and waits until its thread has ended.
  /// - Parameter deadline: on the system clock, as for `Worker.join`.
  /// - Returns: `false` if the thread was still running at `deadline`.
  public func stop(by deadline: MediaTime) -> Bool { worker.stop(by: deadline) }

  /// The present state of the test. The remaining seconds are an estimate, rounded up.
  public var state: State {
    let now = clock.now
    return progress.withLock { progress in
      switch progress.outcome {
      case .success(let verdict): return .done(verdict)
      case .failure(let refused): return .failed(refused.failure)
      case nil: break
      }
      let left =
        progress.publishedAt.map { progress.probe.remaining(at: .nanoseconds(now - $0)) }
        ?? progress.probe.plannedDuration
      return .running(secondsLeft: Int((left / .seconds(1)).rounded(.up)) + 1)
    }
  }

  /// Whether the test has no result yet.
  public var isRunning: Bool { progress.withLock { $0.outcome == nil } }

  // MARK: On the test's thread

  /// The body of the test's thread: connects, sends, measures, and reports the result.
  private func run() {
    let source: UplinkSource
    do throws(UplinkSourceError) {
      source = try UplinkSource(settings)
    } catch {
      return finish(.failure(RefusedError(failure: .stream("\(error)"))))
    }
    let destination = Destination(
      name: "rtmp uplink", target: target.rtmp, hasVideo: true, queueBytes: UplinkTest.queueBytes,
      behindNanos: UplinkTest.behindNanos, encoder: encoder,
      deadlines: RTMPDeadlines(settings.publish).patient, clock: clock
    ) { [self] report in
      guard report.state == .waiting else { return }
      progress.withLock { $0.failure = $0.failure ?? report }
    }
    source.introduce(to: destination)
    destination.start()
    let outcome = Result { () throws(RefusedError) in try measure(destination, source) }
    drainAndClose(destination)
    finish(outcome)
  }

  /// Sends and measures until the probe is complete. Throws if the destination fails or the test is stopped.
  private func measure(
    _ destination: Destination, _ source: UplinkSource
  ) throws(RefusedError) -> UplinkVerdict {
    var next = clock.now
    while worker.sleep(until: next) {
      let now = clock.now
      next = max(next + UplinkTest.tickNanos, now)
      destination.supervise(now: now)
      if let report = progress.withLock({ $0.failure }) { throw refused(report, now: now) }
      guard let link = destination.link else { continue }
      let (probe, publishedAt) = progress.withLock { progress in
        let publishedAt = progress.publishedAt ?? now
        progress.publishedAt = publishedAt
        progress.probe.note(UplinkReading(link), at: .nanoseconds(now - publishedAt))
        return (progress.probe, publishedAt)
      }
      if probe.isOver { return choices.verdict(probe) }
      if now - publishedAt > probe.plannedDuration.nanos + UplinkTest.spareNanos {
        throw RefusedError(failure: .destination(.timedOut(.send), said: "", target))
      }
      do throws(UplinkSourceError) {
        try source.send(to: destination, upTo: now, kbps: probe.kbps)
      } catch {
        throw RefusedError(failure: .stream("\(error)"))
      }
    }
    throw RefusedError(failure: .stopped)
  }

  /// The error for a failure that the destination has reported.
  private func refused(_ report: DestinationReport, now: MediaTime) -> RefusedError {
    var cause = report.cause ?? .timedOut(.send)
    // Many servers accept any stream at first, check its key afterwards, and then close the connection.
    if cause == .closedByServer(.send), report.wasPublished {
      let publishedAt = progress.withLock { $0.publishedAt } ?? now
      if now - publishedAt <= RTMPDeadlines().shortPublish { cause = .closedAfterStart }
    }
    return RefusedError(failure: .destination(cause, said: report.said, report.target))
  }

  /// Drops the queued packets, waits until all bytes in flight have arrived at the server, and closes the stream.
  private func drainAndClose(_ destination: Destination) {
    destination.cut(video: 1, audio: 1)
    let drained = clock.now + UplinkTest.drainNanos
    while let link = destination.link, link.inFlightBytes > 0, clock.now < drained,
      worker.sleep(until: clock.now + UplinkTest.tickNanos)
    {
      destination.supervise(now: clock.now)
    }
    let nanos =
      worker.isStopping ? UplinkTest.hurriedGoodbyeNanos : UplinkTest.goodbyeNanos
    _ = destination.stop(goodbye: true, by: clock.now + nanos)
  }

  /// Stores the result and reports it.
  private func finish(_ outcome: Result<UplinkVerdict, RefusedError>) {
    progress.withLock { $0.outcome = outcome }
    ended(state)
  }
}

extension UplinkReading {
  init(_ link: LinkFigures) {
    self.init(
      arrivedBytes: link.arrivedBytes, backlogBytes: link.inFlightBytes + link.queuedBytes,
      roundTrip: .nanoseconds(link.roundTripNanos),
      leastRoundTrip: .nanoseconds(link.leastRoundTripNanos))
  }
}

extension Duration {
  /// The duration in nanoseconds.
  fileprivate var nanos: Int64 { Int64(self / .nanoseconds(1)) }
}
