// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import CGuest
internal import CProcess
public import Media
internal import Posix
internal import Synchronization

/// Reads one guest: starts the reader's process, watches it, starts it anew two seconds after each loss, and delivers
/// its frames and its audio. The readers of a guest who sends come from the `GuestDoor`.
///
/// The reader may crash, hang or write nonsense at any moment: then the guest is offline for a while, and nothing else
/// happens.
public final class GuestLine: TrackPlayer {
  /// Nanoseconds from the loss of a guest to the next attempt to read it.
  static let retryNanos = Int64.seconds(2)
  /// The longest time to look up the guest's host, in nanoseconds.
  private static let lookupNanos = Int64.seconds(5)
  /// The least nanoseconds between two looks at the reader's signs. A reader that floods OnAir with signs or frames
  /// takes little of the processor's time.
  private static let paceNanos = Int64.milliseconds(8)
  /// Nanoseconds between two checks whether the reader has hung or its frames have stopped.
  private static let checkNanos = Int64.milliseconds(250)

  /// What the line's thread and the threads of its users share.
  private struct State {
    var wants = GuestWants()
    /// The memory of the reader that runs; `nil` while none does.
    var memory: GuestMemory?
    var picture: GuestPictureInfo?
    var lastReport: GuestReport?
    /// The reader that has come from the door, and the number of its request.
    var arrival: Arrival?
  }

  private struct Arrival {
    let session: GuestSession
    let number: UInt32
  }

  /// The frames that are due, for one consumer. They are I420, with `capturedAt` as the time at which they are due.
  public let frames: FrameQueue

  private let request: GuestRequest
  private let tools: GuestTools
  private let report: @Sendable (GuestReport) -> Void
  private let worker: Worker
  private let state = Mutex(State())

  /// - Parameter report: receives what has changed. Called on the line's thread.
  public init(
    _ request: GuestRequest, clock: MediaClock = .system, tools: GuestTools = GuestTools(),
    report: @escaping @Sendable (GuestReport) -> Void
  ) {
    (self.request, self.tools, self.report) = (request, tools, report)
    frames = FrameQueue(clock: clock)
    worker = Worker(name: "guest", clock: clock)
  }

  // MARK: For its users, on any thread

  /// Starts the line's thread. If the system cannot create one, the guest is reported as offline.
  public func start() {
    do throws(MediaThread.NoThreadError) {
      try worker.tryStart { [self] in run() }
    } catch {
      report(
        .offline(
          GuestOffline(request.name, .noReader, detail: "\(SystemError(error.code))")))
    }
  }

  /// Asks the reader and the line's thread to end; does not wait for their end.
  public func requestStop() {
    state.withLock { $0.memory }?.requestStop()
    worker.requestStop()
  }

  /// Asks the reader and the line's thread to end, and waits for their end.
  /// - Returns: `false` if they had not ended by `deadline`.
  @discardableResult public func stop(by deadline: MediaTime) -> Bool {
    requestStop()
    return worker.stop(by: deadline)
  }

  /// Sets what is used of the guest from now on.
  public func want(_ wants: GuestWants) {
    let isNew = state.withLock { state in
      guard wants != state.wants else { return false }
      state.wants = wants
      state.memory?.set(wants)
      return true
    }
    if isNew { worker.wake() }
  }

  /// The newest frame; `nil` while the guest is offline.
  public var picture: GuestPictureInfo? { state.withLock { $0.picture } }

  /// A copy of the newest frame, for a thumbnail; `nil` while the guest is offline, or if the reader is faster than the
  /// copying.
  public func copyPicture() -> Frame? {
    guard let memory = state.withLock({ $0.memory }) else { return nil }
    for _ in 0..<3 {
      guard let frame = memory.frame(memory.newestFrame),
        let blank = FramePool(count: 1, capacity: frame.format.byteCount).borrow()
      else { continue }
      guard unsafe memory.copyPlanes(of: frame, into: blank.bytes) else { continue }
      return blank.finish(format: frame.format, capturedAt: worker.clock.now)
    }
    return nil
  }

  /// The peak of the last 100 ms of audio: 0 to 4, where 1 is full scale.
  public var level: Float {
    guard let memory = state.withLock({ $0.memory }) else { return 0 }
    let now = worker.clock.now
    return memory.peak(from: now - .milliseconds(100), until: now)
  }

  /// A source of the guest's audio: 20 ms every 20 ms, silence while there is none. There may be several.
  /// - Parameter queue: a queue of one or two channels.
  public func makeSource(into queue: PCMQueue) -> any Source {
    GuestFeed(into: queue, clock: worker.clock) { [self] in state.withLock { $0.memory } }
  }

  // MARK: For the door

  /// How the guest sends; `nil` for one who is fetched.
  var sender: GuestSender? { request.sender }

  /// Lets a guest in who has his key. A reader that he has already ends.
  /// - Parameter number: that of the request which the reader has made.
  func take(_ session: GuestSession, asking number: UInt32) {
    state.withLock { $0.arrival = Arrival(session: session, number: number) }
    worker.wake()
  }

  /// Notes whether the guest can send.
  /// - Parameter failure: why not; `nil` if he can.
  func note(door failure: SystemError?) {
    guard let failure else {
      let wasClosed = state.withLock { state in
        if case .offline(let offline) = state.lastReport {
          offline.fault == .notListening
        } else {
          false
        }
      }
      if wasClosed { tell(.connecting) }
      return
    }
    guard state.withLock({ $0.memory == nil }) else { return }
    tell(.offline(offline(.notListening, detail: "\(failure)")))
  }

  // MARK: On the line's thread

  private func run() {
    let copier = GuestFrameCopier(into: frames)
    tell(.connecting)
    while !worker.isStopping, request.sender != nil {
      guard let arrival = takeArrival() else {
        worker.wait(until: .distantFuture)
        continue
      }
      arrival.session.memory.set(delayNanos: request.delayNanos)
      use(arrival.session.memory)
      onair_guest_answer(arrival.session.broker.control, arrival.number, 0)
      let offline = serve(arrival.session, copier)
      guard !worker.isStopping else { return }
      tell(.offline(offline))
    }
    while !worker.isStopping {
      let offline = attempt(copier)
      guard !worker.isStopping else { return }
      tell(.offline(offline))
      _ = worker.sleep(until: worker.clock.now + GuestLine.retryNanos)
    }
  }

  private func takeArrival() -> Arrival? {
    state.withLock { state in
      defer { state.arrival = nil }
      return state.arrival
    }
  }

  /// Passes a report on, unless it equals the one before.
  private func tell(_ new: GuestReport) {
    let isNew = state.withLock { state in
      defer { state.lastReport = new }
      return state.lastReport != new
    }
    if isNew { report(new) }
  }

  private func offline(_ fault: GuestFault?, detail: String = "") -> GuestOffline {
    GuestOffline(request.name, fault, detail: detail)
  }

  /// Reads the guest until it is lost.
  private func attempt(_ copier: GuestFrameCopier) -> GuestOffline {
    guard let target = GuestTarget(request.address) else { return offline(.wrongAddress) }
    let endpoints: [Endpoint]
    do throws(HostLookup.Fault) {
      endpoints = try HostLookup.endpoints(
        of: target.host, port: target.port, by: worker.clock.now + GuestLine.lookupNanos,
        worker: worker)
    } catch {
      return switch error {
      case .nameNotFound: offline(.nameNotFound)
      case .nameServerUnreachable: offline(.nameNotFound, detail: "no name server answers")
      case .timedOut: offline(.timedOut, detail: "the name server")
      case .noThread, .stopped: offline(.noReader)
      }
    }
    var allowed = endpoints.filter {
      tools.rules.allowsGuest(at: $0.address, allowsOwn: request.allowsOwn)
    }
    // A name with addresses on the Internet must not lead into the box's own network as well.
    let global = allowed.filter { tools.rules.kind($0.address) == .global }
    if !global.isEmpty { allowed = global }
    guard !allowed.isEmpty else { return offline(.wrongAddress) }
    do {
      let memory = try GuestMemory()
      memory.describe(request, host: target.host, endpoints: allowed)
      memory.set(state.withLock { $0.wants })
      let session = try GuestSession(memory, endpoints: allowed, tools: tools)
      use(memory)
      return serve(session, copier)
    } catch {
      return offline(.noReader, detail: "\(error)")
    }
  }

  /// Has the memory of a reader used. `want` may have been called since its start.
  private func use(_ memory: GuestMemory) {
    state.withLock { state in
      memory.set(state.wants)
      state.memory = memory
    }
  }

  private func serve(_ session: GuestSession, _ copier: GuestFrameCopier) -> GuestOffline {
    defer { state.withLock { ($0.memory, $0.picture) = (nil, nil) } }
    return watch(session, copier)
  }

  /// Serves a reader until it ends, fails or has to be ended; then ends its process.
  private func watch(_ session: GuestSession, _ copier: GuestFrameCopier) -> GuestOffline {
    let clock = worker.clock
    var vigil = GuestVigil(startedAt: clock.now)
    var tracks: GuestTracks?
    while !worker.isStopping {
      let start = clock.now
      worker.wait(until: start + GuestLine.checkNanos, for: session.watch)
      let signs = session.takeSigns()
      if let picture = copier.copyNew(from: session.memory, clock.now) {
        state.withLock { $0.picture = picture }
        if vigil.noteFrame(clock.now) { tell(.pictureBack) }
      }
      while let message = session.broker.receive() {
        guard vigil.allows(message, clock.now) else {
          return finish(session, .readerFailed, detail: "it sends too many messages")
        }
        switch message {
        case .state(.open(let new)):
          tracks = new
          tell(.online(new))
        case .state(.ended): return finish(session, nil)
        case .state(.failed(let fault, let detail)):
          return finish(session, fault, detail: detail)
        case .state(.connecting), .connection: break
        case .publish, .end: return finish(session, .readerFailed)
        }
      }
      if signs & ONAIR_WATCH_END != 0 { return finish(session, .readerFailed) }
      if state.withLock({ $0.arrival != nil }) { return finish(session, .replaced) }
      guard !vigil.hasHung(beat: session.memory.beat, clock.now) else {
        return finish(session, .readerFailed, detail: "it has hung")
      }
      let wantsAll = state.withLock { $0.wants.pictures } == .all
      if vigil.hasStalled(
        isExpected: wantsAll && tracks?.video != nil, frameRate: tracks?.video?.frameRate ?? 0,
        clock.now)
      {
        tell(.pictureStalled)
      }
      _ = worker.sleep(until: start + GuestLine.paceNanos)
    }
    return finish(session, nil)
  }

  /// Ends the process of a reader, and makes the report.
  private func finish(
    _ session: GuestSession, _ fault: GuestFault?, detail: String = ""
  ) -> GuestOffline {
    let clock = worker.clock
    let isBroken = fault == .readerFailed
    let code = session.end(
      by: isBroken ? .distantPast : clock.now + GuestSession.graceNanos, on: clock)
    guard isBroken, detail.isEmpty else { return offline(fault, detail: detail) }
    guard let code else {
      let hasBegun = session.memory.beat != 0
      return offline(
        fault,
        detail: hasBegun ? "" : #"systemd did not start it: see journalctl -u "onair-guest@*""#)
    }
    return offline(fault, detail: code < 0 ? "signal \(-code)" : "exit code \(code)")
  }
}
