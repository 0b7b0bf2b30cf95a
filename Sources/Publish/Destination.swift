// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Media
internal import Synchronization

/// A server that is fed with the stream, on a thread of its own.
///
/// It connects, publishes, sends what it is offered, and begins again for ever when anything goes
/// wrong. Video and sound threads offer packets and are never held up; a stopped or hanging server
/// costs them nothing.
public final class Destination: Sendable {
  enum Order: Equatable {
    case run
    case stop
    /// Stop, and tell the server that the broadcast is over, by this time.
    case sayGoodbye(by: MediaTime)
  }

  struct Progress {
    /// The server that the present attempt or connection is to.
    var target: RTMPTarget
    var order = Order.run
    var thread: MediaThread?
    var counters = DestinationCounters()
    /// Why it is not, or not fully, what it should be.
    var cause: DestinationCause?
    var trouble: DestinationTrouble?
    var reportFilter: ReportFilter
    var published = false
    /// When the server took the stream; `nil` when it does not.
    var publishedAt: MediaTime?
    /// What the server has of this publish.
    var delivery: Delivery?
    /// Whether anything that was sent is not known to be delivered.
    var isUnderWay = false
    /// Overflows that have been looked at, and when the last one was.
    var overflowsSeen: UInt64 = 0
    var overflowedAt = MediaTime.distantPast
  }

  /// After so many failures in a row the other server's turn comes.
  static let failuresPerTarget = 3

  /// Where it publishes.
  struct Endpoints: Sendable {
    /// The server and the stream there, and perhaps the same stream's second server.
    var targets: [RTMPTarget]
    /// Whose turn it is.
    var turn = 0
    /// Counts the changes by a person.
    var number = 0
  }

  /// The server and the stream there; of two, the one whose turn it is.
  public var target: RTMPTarget { endpoints.withLock { $0.targets[$0.turn] } }
  let endpoints: Mutex<Endpoints>
  let deadlines: RTMPDeadlines
  let queue: PublishQueue
  let control = ConnectionControl()
  let wakeup = Wakeup()
  let meter = LinkMeter()
  /// Bytes that may be in the kernel or beyond before another message is handed to it.
  let maxInFlight = Atomic(Int.max)
  /// Nanoseconds that the link takes for a byte; 0 where that is nothing to speak of.
  let nanosPerByte = Atomic<Int64>(0)
  let progress: Mutex<Progress>
  /// Held while news is told, so that it is told in the order in which it happened.
  let telling = Mutex(())
  /// What keeps a connection that died of a path that carries nothing from being closed, and whose it was: the
  /// server does not know yet. It stays through a pause: what it holds was handed to the kernel before.
  struct LingeringSocket {
    var handle: ConnectionControl.Handle
    var turn: Int
  }
  let lingering = Mutex<LingeringSocket?>(nil)
  /// A person wants another connection than this one.
  let restarting = Atomic(false)
  /// The next attempt need not be waited for.
  let hurrying = Atomic(false)
  let listener: @Sendable (DestinationReport) -> Void
  let begun: @Sendable () -> Void
  private let name: String

  /// Bytes of queue for so much bitrate: four seconds of it, from 1 to 8 MiB. That is longer than
  /// a link may pause before what waits is too old to be worth sending, and holds the largest key
  /// pictures several times over.
  public static func queueBytes(bitrateKbps: Int) -> Int {
    min(max(bitrateKbps * 1_000 / 8 * 4, 1 << 20), 8 << 20)
  }

  /// - Parameters:
  ///   - name: of the thread, at most 15 bytes: "rtmp 1".
  ///   - backup: the same stream's second server.
  ///   - hasVideo: whether pictures will come; the stream then begins with a key picture, else
  ///     with the first sound.
  ///   - queueBytes: allocated at once, and all that will ever be.
  ///   - behindNanos: how old what is sent may be when it comes to the server, as far as that is this side's doing.
  ///   - encoder: what the metadata call the encoder: "OnAir 1.0".
  ///   - begun: called when the server has begun to take the stream, on the destination's thread.
  ///   - listener: told of changes one at a time, on the destination's thread or the one that supervises;
  ///     must not block, nor call `stop` or `supervise`.
  public init(
    name: String, target: RTMPTarget, backup: RTMPTarget? = nil, hasVideo: Bool, queueBytes: Int,
    behindNanos: Int64 = .seconds(2), encoder: String,
    deadlines: RTMPDeadlines = RTMPDeadlines(), begun: @escaping @Sendable () -> Void = {},
    listener: @escaping @Sendable (DestinationReport) -> Void
  ) {
    self.name = name
    endpoints = Mutex(Endpoints(targets: [target] + (backup.map { [$0] } ?? [])))
    self.deadlines = deadlines
    self.listener = listener
    self.begun = begun
    progress = Mutex(Progress(target: target, reportFilter: ReportFilter(deadlines)))
    queue = PublishQueue(
      capacity: queueBytes, hasVideo: hasVideo, encoder: encoder, behindNanos: behindNanos)
  }

  // MARK: For the encoders

  /// Says what pictures will be like from the next key picture on. To be called by the thread that
  /// offers pictures, between the last old and the first new one.
  public func setVideo(_ header: VideoHeader) { queue.setVideo(header) }

  /// Says what sound will be like from the next piece on.
  public func setAudio(_ header: AudioHeader) { queue.setAudio(header) }

  /// Queues a packet if the server takes the stream; else forgets it. Copies the bytes, never
  /// waits and never allocates. For one thread for pictures and one for sound.
  public func offer(_ packet: Packet) {
    switch queue.offer(packet) {
    case .queued(true), .overflowed(true): wakeup.give()
    default: break
    }
  }

  /// Begins new scenes of pictures, sounds or both (`Packet.scene`): once this returns, nothing of an earlier
  /// one is handed to the network but the rest of the message that is being sent, whoever offers it.
  public func cut(pictures: UInt32, sounds: UInt32) {
    queue.cut(pictures: pictures, sounds: sounds)
  }

  /// Says that no picture follows and until when the last lasts. Sound is taken until it is as long as
  /// the pictures, to half a piece.
  /// - Returns: nanoseconds by which it ends after the pictures then.
  public func endPictures(at time: MediaTime) -> Int64 { queue.endPictures(at: time) }

  /// Whether the encoder should make its next picture a key picture, since nothing can be sent
  /// before one: at the start of a publish, and after pictures were left out. Ask at each picture.
  public var needsKeyframe: Bool { queue.needsKeyframe }

  /// Whether the server takes the stream: what is offered meanwhile is forgotten, and need not be made.
  public var takesPackets: Bool { queue.takesPackets }

  // MARK: For the rule that chooses the bit rate

  /// How things were on the way to the server when it was last supervised; `nil` while it does not take the
  /// stream.
  public var link: LinkFigures? {
    guard queue.takesPackets else { return nil }
    var figures = meter.figures
    figures.queuedBytes = queue.figures.queuedBytes
    // What waits here was queued after what is on its way.
    if figures.oldestOfferedAt == nil { figures.oldestOfferedAt = queue.oldestOfferedAt }
    return figures
  }

  /// Bounds what is handed to the kernel and has not arrived.
  /// - Parameters:
  ///   - bytes: that may be on their way before another message is handed to it.
  ///   - capacityKbps: kbit/s that the link carries, where that is known to be too little: what would come too
  ///     late at that rate is left out. `nil` where it is not.
  public func setMaxInFlight(bytes: Int, capacityKbps: Int?) {
    maxInFlight.store(bytes, ordering: .relaxed)
    nanosPerByte.store(
      capacityKbps.map { 8_000_000 / Int64(max(1, $0)) } ?? 0, ordering: .relaxed)
  }

  /// Leaves out the pictures that wait and those to come, since they would come too late, until this is taken
  /// back; then a key picture is wanted.
  public func dropVideo(_ isHopeless: Bool) { queue.dropVideo(isHopeless) }

  // MARK: For the program

  /// Starts; once.
  public func start() {
    let fresh = progress.withLock { $0.thread == nil && $0.order == .run }
    guard fresh else { return }
    let thread = MediaThread(name: name, urgency: .sending) { [self] in run() }
    progress.withLock { $0.thread = thread }
  }

  /// Ends for good.
  /// - Parameters:
  ///   - goodbye: sends what is queued, then tells the server that the broadcast is over; only a
  ///     person's stop should. Else the connection breaks off, and a platform waits for the
  ///     publisher to come back.
  ///   - deadline: when this returns at the latest, whatever hangs.
  /// - Returns: `false` if the thread was still busy at `deadline`. It then ends by itself.
  public func stop(goodbye: Bool, by deadline: MediaTime) -> Bool {
    let now = MediaTime.now()
    // Something is kept to cut the connection, and for the thread to notice.
    let spare = min(Int64.milliseconds(200), max(0, deadline - now) / 4)
    let goodbyeBy = min(deadline - spare, now + deadlines.goodbye)
    let thread = progress.withLock { progress in
      progress.order = goodbye ? .sayGoodbye(by: goodbyeBy) : .stop
      return progress.thread
    }
    wakeup.give()
    guard let thread else { return true }
    // Without a good-bye only a call that blocks can keep the thread.
    let patience = goodbye ? goodbyeBy + spare / 2 : now + min(spare, .milliseconds(50))
    if thread.join(until: patience) { return true }
    control.cut()
    wakeup.give()
    return thread.join(until: deadline)
  }

  /// Gives up the connection, or the wait for one, and makes a new one at once.
  public func reconnect() {
    restarting.store(true, ordering: .relaxed)
    control.cut()
    wakeup.give()
  }

  /// Publishes elsewhere from now on: the present connection is given up at once.
  public func publish(to target: RTMPTarget, backup: RTMPTarget? = nil) {
    endpoints.withLock { endpoints in
      endpoints = Endpoints(
        targets: [target] + (backup.map { [$0] } ?? []), number: endpoints.number + 1)
    }
    reconnect()
  }

  /// A way out of this machine has changed: a connection from an address that is gone is left, and one that is
  /// waited for is tried at once.
  public func routesHaveChanged() {
    if control.hasLostItsAddress { control.expire(.send) }
    hurrying.store(true, ordering: .relaxed)
    wakeup.give()
  }

  /// Cuts the connection if the step that it is in has taken too long, and judges whether what is sent
  /// arrives. To be called by another thread every 50 to 100 ms: that is how late both can be. The
  /// destination's own thread may hang in a write for as long as a step may take.
  public func supervise(now: MediaTime = .now()) {
    control.enforce(now: now)
    // The destination's own thread, which looks as well, may be held up in a write.
    control.withDescriptor { meter.look($0, now: now) }
    if let figures = link, figures.onTheWayBytes > 0,
      now - figures.progressAt
        > min(max(deadlines.stall, 2 * figures.roundTripNanos), deadlines.longestStall)
    {
      control.expire(.send)
    }
    judge(now)
  }

  /// The figures as they are now.
  public var counters: DestinationCounters {
    let queued = queue.figures
    return progress.withLock { progress in
      var counters = progress.counters
      counters.dropped = queued.dropped
      counters.overflows = queued.overflows
      counters.queuedBytes = queued.queuedBytes
      return counters
    }
  }
}
