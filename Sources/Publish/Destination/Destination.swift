// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Media
internal import Synchronization

/// Publishes the stream to one server at a time, on a thread of its own.
///
/// The thread connects, publishes, sends the offered packets, and starts again whenever something fails. The encoders'
/// threads, which call `offer`, never wait for the server.
public final class Destination: PacketSink {
  /// A command for the destination's thread.
  enum Order: Equatable {
    case run
    case stop
    /// Send the queued packets, tell the server that the broadcast is over, and stop; all before this time.
    case sayGoodbye(by: MediaTime)
  }

  /// The state and the figures of the destination. Guarded by the mutex `progress`.
  struct Progress {
    /// The server of the current attempt or connection.
    var target: RTMPTarget
    var order = Order.run
    /// When the connection is cut even if the thread is still busy; `nil` unless the destination is being stopped.
    var cutAt: MediaTime?
    var counters = DestinationCounters()
    /// The cause of the present problem; `nil` if there is none.
    var cause: DestinationCause?
    var trouble: DestinationTrouble?
    var reportFilter: ReportFilter
    /// The targets whose server has accepted the stream since the destination was started.
    var acceptedTargets: [RTMPTarget] = []
    /// When the present or last attempt began; `nil` before the first.
    var attemptAt: MediaTime?
    /// Whether any server has accepted the stream since the destination was started.
    var wasPublished = false
    /// When the server accepted the stream on the present connection; `nil` while no server accepts the stream.
    var publishedAt: MediaTime?
    /// Nanoseconds from the beginning of the last outage until the server accepted the stream; `nil` if it never has.
    var publishedAfter: Int64?
    /// Nanoseconds from the beginning of the last outage until the first packet was known to have arrived; `nil` before
    /// that packet.
    var deliveredAfter: Int64?
    /// Adds up the time during which the server did not accept the stream.
    var outage: OutageTime
    /// Capture time of the newest packet that is known to have arrived on this connection; `nil` before the first.
    var deliveredUpTo: MediaTime?
    /// Whether a packet was sent whose delivery is not confirmed yet.
    var isAwaitingDelivery = false
    /// The number of overflows of the queue that `updateState` has handled.
    var handledOverflows: UInt64 = 0
    /// When packets were last dropped because the link was too slow.
    var overflowedAt = MediaTime.distantPast
    /// Detects periods in which this program did not run.
    var standstill = Standstill()
    /// Whether a standstill of this program ended less than two seconds ago.
    var hasJustResumed = false
    /// The queue's count of dropped packets when `updateState` last ran.
    var handledDrops: UInt64 = 0
    /// How many overflows of the queue were due to a standstill of this program, not to the link.
    var excusedOverflows: UInt64 = 0
    /// How many packets were dropped from the queue because of a standstill of this program, not because of the link.
    var excusedDrops: UInt64 = 0
  }

  /// After this many failed attempts in a row, the destination switches between the first server and its backup.
  static let failuresPerTarget = 3

  /// The server in use: the configured server or its backup.
  public var target: PublishTarget { .rtmp(servers.snapshot.target) }
  /// The servers of the stream, and which of them is in use.
  let servers: ServerList
  /// The value of `deadlines`, guarded by this mutex.
  private let lockedDeadlines: Mutex<RTMPDeadlines>
  /// The time limits of publishing, which `setLimits` can change.
  var deadlines: RTMPDeadlines { lockedDeadlines.withLock { $0 } }
  /// The packets that wait to be sent.
  let queue: PacketQueue
  /// The encoder's name for the stream's metadata.
  let encoder: String
  /// Whether the stream has video; otherwise it has audio alone.
  let hasVideo: Bool
  /// Lets other threads cut the connection.
  let control = ConnectionControl()
  /// The destination's thread.
  let worker: Worker
  /// The clock of all times of the destination.
  var clock: MediaClock { worker.clock }
  /// Measures the connection, and finds out which packets have been delivered.
  let meter = LinkMeter()
  /// Limits the bytes in flight.
  let inFlightLimit = InFlightLimit()
  /// The state and the figures, guarded by this mutex.
  let progress: Mutex<Progress>
  /// A lock that is held while `listener` is called, so that reports arrive in order.
  let reporting = Mutex(())
  /// Keeps the socket of a timed-out connection open, so that its RST can still reach the server.
  let lingering = LingeringSocket()
  /// Set to cut the present connection, or to end the wait for the next attempt, and to connect again at once.
  let isReconnectRequested = Atomic(false)
  /// Whether the next attempt is to begin without waiting for the end of the pause, because this machine's routes have
  /// changed.
  let skipsRetryPause = Atomic(false)
  /// Receives each report of a change of the state.
  let listener: @Sendable (DestinationReport) -> Void
  /// Called each time the server has accepted the stream.
  let accepted: @Sendable () -> Void

  /// The size of the queue in bytes for a stream of this bit rate: four seconds of the stream, at least 1 MiB and at
  /// most 8 MiB. Packets that have waited for four seconds are too old to be sent, and several keyframes of the largest
  /// size fit.
  public static func queueBytes(bitrateKbps: Int) -> Int {
    min(max(bitrateKbps * 1_000 / 8 * 4, 1 << 20), 8 << 20)
  }

  /// - Parameters:
  ///   - name: the name of the destination's thread, at most 15 bytes, such as "rtmp 1".
  ///   - backup: the second server of the same stream, tried when `target` keeps failing; `nil` if there is none.
  ///   - hasVideo: whether the stream on each connection starts with a keyframe; otherwise with the first audio packet.
  ///   - queueBytes: the size of the queue in bytes.
  ///   - behindNanos: how old a packet may be when it arrives at the server, in nanoseconds. A packet that is expected
  ///     to be older on arrival is dropped.
  ///   - encoder: the encoder's name in the metadata, such as "OnAir 1.0".
  ///   - urgency: the scheduling of the destination's thread; `.ordinary` for a destination that must not delay others.
  ///   - accepted: called on the destination's thread each time the server has accepted the stream.
  ///   - listener: called with one report at a time, on the destination's thread or on the thread that calls
  ///     `supervise`. It must not block, nor call `stop` or `supervise`.
  public init(
    name: String, target: RTMPTarget, backup: RTMPTarget? = nil, hasVideo: Bool, queueBytes: Int,
    behindNanos: Int64 = .seconds(2), encoder: String,
    deadlines: RTMPDeadlines = RTMPDeadlines(), urgency: MediaThread.Urgency = .sending,
    clock: MediaClock = .system,
    accepted: @escaping @Sendable () -> Void = {},
    listener: @escaping @Sendable (DestinationReport) -> Void
  ) {
    worker = Worker(name: name, urgency: urgency, clock: clock)
    servers = ServerList(target, backup: backup)
    lockedDeadlines = Mutex(deadlines)
    self.listener = listener
    self.accepted = accepted
    progress = Mutex(
      Progress(
        target: target, reportFilter: ReportFilter(deadlines), outage: OutageTime(since: clock.now))
    )
    self.encoder = encoder
    self.hasVideo = hasVideo
    queue = PacketQueue(
      capacity: queueBytes, hasVideo: hasVideo, behindNanos: behindNanos, clock: clock)
  }

  /// Whether the destination's thread has given a sign of life within the last 30 s. The limit is that long because
  /// sending one message may take `RTMPDeadlines.send` plus the time that its bytes need.
  public func isAlive(_ now: MediaTime) -> Bool {
    worker.heartbeat.isAlive(now, timeout: .seconds(30))
  }

  // MARK: For the encoders

  /// Sets the video format from the next keyframe on. Call it on the thread that offers frames, between the last
  /// frame of the old format and the first of the new one.
  public func setVideo(_ header: VideoHeader) { queue.setVideo(header) }

  /// Sets the audio format from the next audio packet on.
  public func setAudio(_ header: AudioHeader) { queue.setAudio(header) }

  /// Queues a packet while the server accepts the stream; otherwise drops it. Copies the bytes, never waits and never
  /// allocates. One thread may call it with video while another one calls it with audio.
  public func offer(_ packet: Packet) {
    switch queue.offer(packet) {
    case .queued(true), .overflowed(true): worker.wake()
    default: break
    }
  }

  /// Begins the scenes with these numbers for video and for audio (`Packet.scene`). A number that is not higher than
  /// the present one changes nothing. After this call no packet of an earlier scene is handed to the network, except
  /// for the rest of the message that is being sent.
  public func cut(video: UInt32, audio: UInt32) { queue.cut(video: video, audio: audio) }

  /// Ends video at `time`. Audio packets are accepted until audio is as long as video, to within half a packet.
  /// - Returns: nanoseconds by which audio will end later than video.
  public func endVideo(at time: MediaTime) -> Int64 { queue.endVideo(at: time) }

  /// Whether the next frame should be a keyframe: at the start of the stream on a connection, and after video was
  /// dropped. Read this before each frame.
  public var needsKeyframe: Bool { queue.needsKeyframe }

  /// Whether the server accepts the stream. Otherwise packets are dropped, and need not be encoded.
  public var takesPackets: Bool { queue.takesPackets }

  // MARK: For the rate controller

  /// The state of the link when it was last measured; `nil` while the server does not accept the stream.
  public var link: LinkFigures? {
    guard queue.takesPackets else { return nil }
    var figures = meter.figures
    let queued = queue.figures
    figures.queuedBytes = queued.queuedBytes
    // Any packet in flight is older than all queued packets. Only if nothing is in flight, the oldest packet is a
    // queued packet.
    if figures.oldestOfferedAt == nil { figures.oldestOfferedAt = queued.oldestOfferedAt }
    return figures
  }

  /// Limits the bytes in flight.
  /// - Parameters:
  ///   - bytes: the most bytes in flight. A message that would exceed this limit waits (see `InFlightLimit.allows`).
  ///   - capacityKbps: the link's throughput in kbit/s while the link is known to be too slow; otherwise `nil`. Packets
  ///     that would arrive too late at that rate are dropped.
  public func setMaxInFlight(bytes: Int, capacityKbps: Int?) {
    inFlightLimit.set(bytes: bytes, capacityKbps: capacityKbps)
  }

  /// Suspends (`true`) or resumes (`false`) the sending of video. Suspending drops the queued video too; after resuming
  /// a keyframe is requested.
  public func suspendVideo(_ isSuspended: Bool) { queue.suspendVideo(isSuspended) }

  /// From now on sends only the part of the stream that `thinning` names, so that other destinations get the link's
  /// capacity.
  public func thin(_ thinning: Thinning) { queue.thin(thinning) }

  /// Whether video is held back (dropped), because the link has fallen behind or video is suspended.
  public var isHoldingVideo: Bool { queue.figures.isHoldingVideo }

  /// How much of the stream is sent: all packets, only keyframes and audio, or nothing.
  public var thinning: Thinning { queue.figures.thinning }

  // MARK: For the program

  /// Starts the destination's thread. Further calls do nothing. Ends the process if the system cannot create a thread.
  public func start() {
    guard progress.withLock({ $0.order == .run }) else { return }
    worker.start { [self] in run() }
  }

  /// Starts the destination's thread, as `start`, but does not end the process if the system cannot create a thread.
  /// - Returns: `false` if the system cannot create a thread.
  public func tryStart() -> Bool {
    guard progress.withLock({ $0.order == .run }) else { return true }
    do throws(MediaThread.NoThreadError) {
      try worker.tryStart { [self] in run() }
      return true
    } catch {
      return false
    }
  }

  /// Stops the thread for good.
  /// - Parameters:
  ///   - goodbye: whether to send the queued packets and then tell the server that the broadcast is over. Pass `true`
  ///     only if the user stops the broadcast. With `false` the connection is reset, and a platform waits for a
  ///     reconnect.
  ///   - deadline: the latest time at which this returns, even if the thread hangs.
  /// - Returns: `false` if the thread was still running at `deadline`. The thread then ends by itself.
  public func stop(goodbye: Bool, by deadline: MediaTime) -> Bool {
    beginStop(goodbye: goodbye, by: deadline)
    return finishStop(by: deadline)
  }

  /// Begins to stop the thread for good, and returns without waiting for its end. The parameters are those of `stop`.
  public func beginStop(goodbye: Bool, by deadline: MediaTime) {
    let times = deadlines.stopTimes(goodbye: goodbye, now: clock.now, by: deadline)
    progress.withLock { progress in
      progress.order = goodbye ? .sayGoodbye(by: times.goodbye) : .stop
      progress.cutAt = times.cut
    }
    worker.wake()
  }

  /// Waits for the end of the thread after `beginStop`. Cuts the connection if the thread has not ended by the time
  /// that `beginStop` has set for the cut (`Progress.cutAt`).
  /// - Returns: `false` if the thread was still running at `deadline`.
  public func finishStop(by deadline: MediaTime) -> Bool {
    let cutAt = progress.withLock { $0.cutAt } ?? deadline
    if join(by: min(cutAt, deadline)) { return true }
    cut()
    return join(by: deadline)
  }

  /// Whether the thread has ended. To be read after `beginStop`.
  public var hasEnded: Bool { worker.join(by: .now()) }

  /// Cuts the connection, and wakes the destination's thread.
  private func cut() {
    control.cut()
    worker.wake()
  }

  /// Waits until the thread has ended, but not beyond `deadline`, a time of `clock`. The time is converted, because
  /// `Worker.join` expects a time of the system's clock.
  /// - Returns: whether the thread has ended.
  private func join(by deadline: MediaTime) -> Bool {
    worker.join(by: .now() + max(0, deadline - clock.now))
  }

  /// Cuts the connection, or ends the wait for the next attempt, and connects again at once.
  public func reconnect() {
    isReconnectRequested.store(true, ordering: .relaxed)
    control.cut()
    worker.wake()
  }

  /// Publishes to another server from now on. The present connection is cut at once, unless its server stays in use.
  public func publish(to target: RTMPTarget, backup: RTMPTarget? = nil) {
    if !servers.replace(target, backup: backup) { reconnect() }
  }

  /// Changes the limits of the queue and the deadlines without a new connection.
  /// - Parameters: as in the initialiser.
  public func setLimits(queueBytes: Int, behindNanos: Int64, deadlines: RTMPDeadlines) {
    queue.setLimits(capacity: queueBytes, behindNanos: behindNanos)
    lockedDeadlines.withLock { $0 = deadlines }
  }

  /// Cuts the connection if its local address is gone, and ends the wait before the next attempt, unless refusals by
  /// the server have lengthened that wait. To be called when a route or an address of this machine has changed.
  public func noteRouteChange() {
    if control.hasLostItsAddress { control.expire(.send) }
    skipsRetryPause.store(true, ordering: .relaxed)
    worker.wake()
  }

  /// Cuts the connection if the present step (`RTMPStep`) has taken too long, and updates the state. To be called by
  /// another thread every 50 to 100 ms: the destination's own thread may be blocked in a write for as long as the step
  /// may take.
  /// - Parameter now: the present time of the destination's clock.
  public func supervise(now: MediaTime) {
    control.enforce(now: now)
    if let cutAt = progress.withLock({ $0.cutAt }), now >= cutAt { cut() }
    control.withDescriptor { meter.look($0, now: now) }
    if let figures = link, figures.inFlightBytes > 0,
      now - figures.progressAt > deadlines.stall(roundTrip: figures.roundTripNanos)
    {
      control.expire(.send)
    }
    updateState(now)
  }
}
