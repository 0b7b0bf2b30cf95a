// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
public import Director
public import Media
public import Publish
public import RateControl
public import Settings
internal import Synchronization

/// One broadcast, from start to end: its sources, the two pipelines and the destinations.
public final class Broadcast: Sendable {
  /// How long audio may take to catch up with the last frame at the end.
  private static let finishNanos: Int64 = .milliseconds(500)

  /// The plan for viewers, and when each part of it was set.
  private struct Presented {
    var video = Plan.Video.camera
    var audio = Plan.Audio.microphone
    var videoScene: UInt32 = 0
    var audioScene: UInt32 = 0
    var videoSince = MediaTime.distantPast
    var audioSince = MediaTime.distantPast
    /// Whether the video pipeline has got the scene. It has not while the still is being prepared.
    var isVideoSet = true
  }

  private let listener: StudioListener
  private let outlet: Outlet
  private let stills: StillShelf
  private let frames: FrameQueue
  private let overload: Mutex<OverloadMonitor>
  private let encoderFailureReported = Atomic(false)
  private let unreadableReported = Atomic(false)
  private let presented = Mutex(Presented())
  private let sources: [any Source]
  private let video: VideoPipeline?
  private let sound: AudioPipeline?
  private let audioDelay: Int64
  /// `false` if the settings ask for silence.
  private let hasMicrophone: Bool
  private let destinations: [Destination]
  private let follower: Mutex<LinkFollower>
  private let routes = RouteWatch()
  private let linkChanges = Mutex(LinkChanges())
  private let end: End
  private let clock: MediaClock
  public let startedAt: MediaTime

  /// - Parameters:
  ///   - encoder: the program's name and version, for the stream's metadata.
  ///   - listener: receives what happens.
  public init(
    settings: Settings, target: RTMPTarget, backup: RTMPTarget?, encoder: String,
    clock: MediaClock = .system, listener: @escaping StudioListener
  ) {
    self.listener = listener
    self.clock = clock
    startedAt = clock.now
    stills = StillShelf(settings, clock: clock) {
      listener(.stillUnusable(setting: $0, sentence: $1))
    }
    let end = End()
    self.end = end
    follower = Mutex(LinkFollower(settings, startedAt: startedAt))
    let fatal: @Sendable (String) -> Void = { sentence in
      listener(.encoderBroken(sentence))
      end.set(.encoderBroken)
    }
    let makers = SourceMaker(settings: settings, clock: clock) { input, report in
      listener(.source(input, report))
      if report.state == .ended {
        end.set(report.code == "ended" ? .sourceEnded : .sourceUnavailable)
      }
    }

    let frames = FrameQueue(clock: clock)
    self.frames = frames
    overload = Mutex(OverloadMonitor(settings.video))
    let destination = Destination(
      name: "rtmp 1", target: target, backup: backup, hasVideo: settings.video.source != .none,
      queueBytes: Destination.queueBytes(
        bitrateKbps: settings.video.bitrateKbps + settings.audio.bitrateKbps),
      behindNanos: Int64(settings.network.maxBehindSeconds * 1e9),
      encoder: encoder, deadlines: RTMPDeadlines(settings.publish),
      // The server gets the current frame at once instead of the next one.
      begun: { frames.wake() }
    ) { listener(.destination($0)) }
    destinations = [destination]
    let outlet = Outlet(destinations)
    self.outlet = outlet

    var sources: [any Source] = []
    if settings.video.source != .none {
      sources += makers.videoSources(into: frames)
      video = VideoPipeline(
        plan: VideoPlan(settings.video), frames: frames, outlet: outlet, clock: clock,
        notice: { listener(.encoderRefused($0)) }, fatal: fatal)
    } else {
      video = nil
    }
    hasMicrophone = settings.audio.source != .silence
    audioDelay = .milliseconds(Int64(settings.audio.delayMs))
    if settings.audio.source != .none {
      let arrival = Signal()
      let channels = settings.audio.channels
      let queue = PCMQueue(channels: channels, arrival: arrival, clock: clock)
      sources += makers.audioSources(into: queue)
      sound = AudioPipeline(
        tracks: [AudioPipeline.Track(queue: queue, gainDB: settings.audio.gainDb)],
        channels: channels, arrival: arrival, bitrateKbps: settings.audio.bitrateKbps,
        delayNanos: audioDelay, outlet: outlet, clock: clock, fatal: fatal)
    } else {
      sound = nil
    }
    self.sources = sources
  }

  public func start() {
    // Connecting takes longest: it begins first, while encoders and devices open.
    for destination in destinations { destination.start() }
    video?.start()
    sound?.start()
    for source in sources { source.start() }
    stills.start()
  }

  // MARK: Scenes

  /// Cuts to the plan's video and audio.
  ///
  /// Once this returns, nothing that the plan hides is handed to the network any more, except the rest of a message of
  /// which the first part has been sent.
  public func present(_ plan: Plan) {
    presented.withLock { presented in
      let now = clock.now
      let changesVideo = plan.video != presented.video && plan.video != .none
      let changesAudio = plan.audio != presented.audio && plan.audio != .none
      if changesVideo {
        presented.video = plan.video
        presented.videoScene += 1
        presented.videoSince = now
        presented.isVideoSet = false
      }
      if changesAudio {
        presented.audio = plan.audio
        presented.audioScene += 1
        presented.audioSince = now
      }
      // Discard what is queued before anything else.
      let hides = changesVideo && [.pauseStill, .poorNetworkStill].contains(plan.video)
      let silences = changesAudio && plan.audio == .silence
      if hides || silences {
        outlet.cut(
          video: hides ? presented.videoScene : 0,
          audio: silences ? presented.audioScene : 0)
      }
      if changesAudio {
        sound?.hear(
          AudioPipeline.Scene(
            number: presented.audioScene, isHeard: plan.audio == .microphone, since: now))
      }
      if !presented.isVideoSet { show(&presented) }
    }
  }

  private func show(_ presented: inout Presented) {
    var scene = VideoPipeline.Scene(number: presented.videoScene, since: presented.videoSince)
    if presented.video != .camera {
      // While the still is being prepared nothing is shown, least of all the camera. The next `present` asks again.
      guard let still = stills.still(presented.video) else { return }
      scene.still = still
    }
    presented.isVideoSet = true
    video?.show(scene)
  }

  /// The state of inputs, encoders, link and destinations. Allocates nothing: it is called twenty times a second.
  public func conditions(_ now: MediaTime) -> Conditions {
    let (scene, audioSince) = presented.withLock { ($0.videoScene, $0.audioSince) }
    // When the current scene was first offered; `nil` while the pipeline still offers an earlier one.
    var since: MediaTime? = audioSince + audioDelay
    if let offered = video?.lastOffered {
      since = offered.number == scene ? offered.since : nil
    }
    var conditions = Conditions(
      camera: .unused, microphone: .unused, destination: .delivered, videoDelivered: since != nil)
    if let video {
      conditions.camera = Conditions.Input(video.source.health(now, startedAt: startedAt))
    }
    conditions.encoderFailed = isEncoderFailing(now)
    conditions.link = follower.withLock { $0.plan.link }
    if let sound {
      conditions.microphone =
        hasMicrophone
        ? Conditions.Input(sound.source.health(now, startedAt: startedAt)) : .good
    }
    for destination in destinations {
      let counters = destination.counters
      conditions.destination = max(conditions.destination, Conditions.Destination(counters))
      if counters.isSlow, conditions.link == .good { conditions.link = .weak }
      if let since, let delivered = counters.deliveredUpTo, delivered >= since { continue }
      conditions.videoDelivered = false
    }
    return conditions
  }

  private func isEncoderFailing(_ now: MediaTime) -> Bool {
    video?.failing.lasts(now) ?? false || sound?.failing.lasts(now) ?? false
  }

  /// Applies bit rate limits that a person has changed.
  public func follow(_ limits: BitrateController.Limits) {
    follower.withLock { $0.change(limits, now: clock.now) }
  }

  /// Publishes to other servers from now on. Capture and encoders go on undisturbed.
  public func publish(to target: RTMPTarget, backup: RTMPTarget?) {
    destinations[0].publish(to: target, backup: backup)
  }

  /// Closes each connection and opens a new one.
  public func reconnect() {
    for destination in destinations { destination.reconnect() }
  }

  /// The figures since the start.
  public func totals(_ now: MediaTime) -> BroadcastTotals {
    var totals = BroadcastTotals(
      seconds: Int((now - startedAt) / 1_000_000_000), bytes: 0,
      frames: video?.counters.frames.count ?? 0, interruptions: 0)
    for destination in destinations {
      let counters = destination.counters
      totals.bytes += counters.bytesSent
      totals.interruptions += Int(counters.reconnects + counters.overflows)
    }
    return totals
  }

  /// The deviation of the microphone's sample clock; `nil` while it is not known.
  public var driftPPM: Double? {
    for case let microphone as Microphone in sources { return microphone.figures.driftPPM }
    return nil
  }

  /// Whether video has come from its source at all.
  public var hasHadVideo: Bool { video?.source.hasBeaten ?? false }

  /// Whether audio has come from its source at all.
  public var hasHadAudio: Bool { sound?.source.hasBeaten ?? false }

  /// Whether the machine was too slow in the last ten seconds.
  public var isOverloaded: Bool { overload.withLock { $0.isOverloaded } }

  /// The present troubles of the destinations.
  public var destinationTroubles: [DestinationTrouble] { destinations.compactMap(\.trouble) }

  /// Name and counters of each destination, for the status.
  public var destinationCounters: [(name: String, counters: DestinationCounters)] {
    destinations.map { ("\($0.target)", $0.counters) }
  }

  /// The encoders' counters, for the status.
  public var figures: (frames: Int, repeats: Int, unreadable: Int, audioPackets: Int) {
    (
      video?.counters.frames.count ?? 0, video?.counters.repeats.count ?? 0,
      video?.counters.unreadable.count ?? 0, sound?.counters.packets.count ?? 0
    )
  }

  /// How the broadcast ended by itself; `nil` while it goes on.
  public var ending: BroadcastEnding? { end.ending }

  /// Whether neither pipeline hangs.
  public func isAlive(_ now: MediaTime) -> Bool {
    video?.heartbeat.isAlive(now) ?? true && sound?.heartbeat.isAlive(now) ?? true
  }

  /// To be called once a second: reports failures and follows the link.
  public func supervise(_ now: MediaTime) {
    let areRoutesNew = routes.hasChanged()
    for destination in destinations {
      if areRoutesNew { destination.routesHaveChanged() }
      destination.supervise(now: now)
    }
    if let video {
      follow(video, now)
    } else {
      follower.withLock { $0.limitInFlight(destinations[0]) }
    }
    let isFailing = isEncoderFailing(now)
    if isFailing != encoderFailureReported.exchange(isFailing, ordering: .relaxed), isFailing {
      listener(.encoderFailing)
    }
    reportUnreadable(now)
    let dropped = frames.dropped + (sound?.chunksDropped ?? 0)
    if let dropped = overload.withLock({ $0.check(now, dropped: dropped) }) {
      listener(.overloaded(dropped: dropped))
    }
  }

  /// Reports a source that delivers frames of which none can be decoded. The source itself cannot tell.
  private func reportUnreadable(_ now: MediaTime) {
    guard let video else { return }
    if video.unreadable.lasts(now) {
      if !unreadableReported.exchange(true, ordering: .relaxed) {
        listener(.videoUnreadable)
      }
    } else if !video.unreadable.isFailing, unreadableReported.exchange(false, ordering: .relaxed) {
      listener(.videoReadable)
    }
  }

  /// Adapts the encoders to the link, and reports when the link becomes poor or good.
  private func follow(_ video: VideoPipeline, _ now: MediaTime) {
    let (plan, receiverLimitedShare) = follower.withLock { follower in
      follower.update(now, destinations[0], video: video, sound: sound)
      return (follower.plan, follower.receiverLimitedShare)
    }
    guard destinations[0].takesPackets else { return linkChanges.withLock { $0.pause() } }
    switch linkChanges.withLock({ $0.take(plan.link, now: now) }) {
    case nil: break
    case .recovered: listener(.linkRecovered)
    case .degraded:
      listener(
        .linkDegraded(
          LinkReport(
            plan: plan, targetKbps: follower.withLock { $0.targetKbps },
            receiverLimitedShare: receiverLimitedShare, host: destinations[0].target.host)))
    }
  }

  /// The video bit rate in use; `nil` without video.
  public var videoKbps: Int? { video == nil ? nil : follower.withLock { $0.plan.videoKbps } }

  /// - Parameters:
  ///   - goodbye: play out to the end and close the stream at the server.
  ///   - deadline: on the system clock, as for `Worker.join`.
  /// - Returns: `false` if something had not ended by `deadline`.
  public func stop(goodbye: Bool, by deadline: MediaTime) -> Bool {
    if goodbye { finish(by: .now() + Broadcast.finishNanos) }
    // The destinations first: a source that hangs must not delay the closing message to the server.
    var allEnded = true
    for destination in destinations {
      allEnded = destination.stop(goodbye: goodbye, by: deadline) && allEnded
    }
    for source in sources { allEnded = source.stop(by: deadline) && allEnded }
    allEnded = video?.stop(by: deadline) ?? true && allEnded
    allEnded = sound?.stop(by: deadline) ?? true && allEnded
    stills.stop()
    return allEnded
  }

  /// Ends video and audio at the same moment of the stream.
  private func finish(by deadline: MediaTime) {
    guard let video, video.stop(by: deadline), let end = video.videoEnd else { return }
    let lag = destinations.map { $0.endVideo(at: end) }.max() ?? 0
    _ = sound?.finish(at: end + lag, by: deadline + max(0, -audioDelay))
  }

  /// The log's line of counters.
  public func report(_ now: MediaTime) -> String {
    var report = BroadcastReport(seconds: max(0, Int((now - startedAt) / 1_000_000_000)))
    if let video {
      report.video = BroadcastReport.Video(
        frames: video.counters.frames.count, repeated: video.counters.repeats.count,
        dropped: video.counters.surplus.count + frames.dropped,
        unreadable: video.counters.unreadable.count, failed: video.counters.failures.count,
        bytes: video.counters.bytes.count)
    }
    if let sound {
      report.audio = BroadcastReport.Audio(
        packets: sound.counters.packets.count, failed: sound.counters.failures.count,
        lateFrames: sound.counters.late.count, dropped: sound.chunksDropped)
    }
    report.sources = sources.map(\.tally).filter { !$0.isEmpty }
    report.servers = destinations.map { destination in
      let counters = destination.counters
      return BroadcastReport.Server(
        bytes: counters.bytesSent, dropped: Int(counters.dropped),
        reconnects: Int(counters.reconnects),
        deliveredAgo: counters.deliveredUpTo.map { max(0, now - $0) })
    }
    return report.line
  }
}

/// The figures of a broadcast.
public struct BroadcastTotals: Sendable, Equatable {
  public var seconds: Int
  /// Bytes sent, the sum over all destinations.
  public var bytes: UInt64
  /// Encoded frames.
  public var frames: Int
  /// The number of gaps for viewers: reconnects, and queues that were dropped on a slow link.
  public var interruptions: Int
}

/// How a broadcast ended: the first thread that sees it sets it.
private final class End: Sendable {
  private let first = Mutex<BroadcastEnding?>(nil)
  var ending: BroadcastEnding? { first.withLock { $0 } }
  func set(_ ending: BroadcastEnding) { first.withLock { $0 = $0 ?? ending } }
}

extension Conditions.Input {
  fileprivate init(_ health: Pulse.Health) {
    switch health {
    case .opening: self = .opening
    case .good: self = .good
    case .lost: self = .lost
    }
  }
}

extension Conditions.Destination {
  fileprivate init(_ counters: DestinationCounters) {
    if counters.needsPerson {
      self = .refused
      return
    }
    switch counters.state {
    case .delivering: self = .delivered
    case .publishing: self = .unconfirmed
    case .stopped, .connecting, .connected, .waiting:
      self =
        counters.obstacle != nil || counters.reconnects > 0 || counters.bytesSent > 0
        ? .retrying : .connecting
    }
  }
}
