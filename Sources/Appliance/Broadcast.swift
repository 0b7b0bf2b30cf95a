// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import Director
internal import Logging
internal import Media
internal import Publish
internal import RateControl
internal import Settings
internal import Synchronization

/// One broadcast, from start to end: its sources, the two pipelines and the destinations.
final class Broadcast: Sendable {
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

  private let events: EventLog
  private let outlet: Outlet
  private let stills: StillShelf
  private let frames: FrameQueue
  private let overload: Mutex<OverloadMonitor>
  private let encoderFailureReported = Atomic(false)
  private let unreadableReported = Atomic(false)
  private let presented = Mutex(Presented())
  private let sources: [any Source]
  private let video: VideoLine?
  private let sound: SoundLine?
  private let audioDelay: Int64
  /// `false` if the settings ask for silence.
  private let hasMicrophone: Bool
  private let destinations: [Destination]
  private let follower: Mutex<LinkFollower>
  private let routes = RouteWatch()
  private let linkEvents = Mutex(LinkEvents())
  private let end: End
  private let clock: MediaClock
  let startedAt: MediaTime

  init(
    settings: Settings, target: RTMPTarget, backup: RTMPTarget?, events: EventLog,
    clock: MediaClock = .system
  ) {
    self.events = events
    self.clock = clock
    startedAt = clock.now
    stills = StillShelf(settings, clock: clock) { sentence in
      // It begins with the setting that names the image.
      let setting = String(sentence.prefix { $0 != ":" })
      events.report(.stillUnusable, level: .warning, subject: setting, sentence)
    }
    let end = End()
    self.end = end
    follower = Mutex(LinkFollower(settings, startedAt: startedAt))
    let fatal: @Sendable (String) -> Void = { sentence in
      events.report(.encoderFailed, level: .error, sentence)
      end.set(.failed)
    }
    let sourceEvents = Mutex<[String: SourceEvents]>([:])
    let makers = SourceMaker(settings: settings, clock: clock) { name, report in
      let level: Logger.Level = report.state == .trouble ? .warning : .notice
      let prefix = name == "video" ? "Picture: " : "Sound: "
      if let code = sourceEvents.withLock({ $0[name, default: SourceEvents()].take(report) }) {
        events.report(
          code, level: level, subject: name,
          cause: code == .deviceBack ? nil : report.code,
          prefix: prefix, report.sentence)
      } else {
        events.note(level, "\(prefix)\(report.sentence)")
      }
      if report.state == .ended { end.set(report.code == "ended" ? .asked : .unavailable) }
    }

    let frames = FrameQueue(clock: clock)
    self.frames = frames
    overload = Mutex(OverloadMonitor(settings.video))
    let destinationEvents = Mutex(
      DestinationEvents(
        isLinkFollowed: settings.video.source != .none && settings.network.mode != .fixed))
    let destination = Destination(
      name: "rtmp 1", target: target, backup: backup, hasVideo: settings.video.source != .none,
      queueBytes: Destination.queueBytes(
        bitrateKbps: settings.video.bitrateKbps + settings.audio.bitrateKbps),
      behindNanos: Int64(settings.network.maxBehindSeconds * 1e9),
      encoder: "OnAir \(Version.current)", deadlines: RTMPDeadlines(settings.publish),
      // The server gets the current frame at once instead of the next one.
      begun: { frames.wake() }
    ) { report in
      events.note(
        report.cause != nil ? .warning : .notice, report.line, code: report.cause?.code)
      let server = report.target
      for event in destinationEvents.withLock({ $0.take(report) }) {
        events.report(
          event.code, level: nil, subject: "\(server)", cause: event.cause,
          event.sentence(of: server.host) ?? report.line)
      }
    }
    destinations = [destination]
    let outlet = Outlet(destinations)
    self.outlet = outlet

    var sources: [any Source] = []
    if settings.video.source != .none {
      sources += makers.videoSources(into: frames)
      video = VideoLine(
        plan: VideoPlan(settings.video), frames: frames, outlet: outlet, clock: clock,
        notice: { events.report(.encoderFailed, level: .warning, $0) }, fatal: fatal)
    } else {
      video = nil
    }
    hasMicrophone = settings.audio.source != .silence
    audioDelay = .milliseconds(Int64(settings.audio.delayMs))
    if settings.audio.source != .none {
      let queue = PCMQueue(channels: settings.audio.channels, clock: clock)
      sources += makers.audioSources(into: queue)
      sound = SoundLine(
        queue: queue, bitrateKbps: settings.audio.bitrateKbps, gainDB: settings.audio.gainDb,
        delayNanos: audioDelay, outlet: outlet, clock: clock, fatal: fatal)
    } else {
      sound = nil
    }
    self.sources = sources
  }

  func start() {
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
  func present(_ plan: Plan) {
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
          SoundLine.Scene(
            number: presented.audioScene, isHeard: plan.audio == .microphone, since: now))
      }
      if !presented.isVideoSet { show(&presented) }
    }
  }

  private func show(_ presented: inout Presented) {
    var scene = VideoLine.Scene(number: presented.videoScene, since: presented.videoSince)
    if presented.video != .camera {
      // While the still is being prepared nothing is shown, least of all the camera. The next `present` asks again.
      guard let still = stills.still(presented.video) else { return }
      scene.still = still
    }
    presented.isVideoSet = true
    video?.show(scene)
  }

  /// The state of inputs, encoders, link and destinations. Allocates nothing: it is called twenty times a second.
  func conditions(_ now: MediaTime) -> Conditions {
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
  func follow(_ limits: BitrateController.Limits) {
    follower.withLock { $0.change(limits, now: clock.now) }
  }

  /// Publishes to other servers from now on. Capture and encoders go on undisturbed.
  func publish(to target: RTMPTarget, backup: RTMPTarget?) {
    destinations[0].publish(to: target, backup: backup)
  }

  /// Closes each connection and opens a new one.
  func reconnect() {
    for destination in destinations { destination.reconnect() }
  }

  /// The figures since the start.
  func totals(_ now: MediaTime) -> Event.Totals {
    var totals = Event.Totals(
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
  var driftPPM: Double? {
    for case let microphone as Microphone in sources { return microphone.figures.driftPPM }
    return nil
  }

  /// Whether video has come from its source at all.
  var hasHadVideo: Bool { video?.source.hasBeaten ?? false }

  /// Whether audio has come from its source at all.
  var hasHadAudio: Bool { sound?.source.hasBeaten ?? false }

  /// Whether the machine was too slow in the last ten seconds.
  var isOverloaded: Bool { overload.withLock { $0.isOverloaded } }

  /// The present troubles of the destinations.
  var destinationTroubles: [DestinationTrouble] { destinations.compactMap(\.trouble) }

  /// Name and counters of each destination, for the status.
  var destinationCounters: [(name: String, counters: DestinationCounters)] {
    destinations.map { ("\($0.target)", $0.counters) }
  }

  /// The encoders' counters, for the status.
  var figures: (frames: Int, repeats: Int, unreadable: Int, audioPackets: Int) {
    (
      video?.counters.frames.count ?? 0, video?.counters.repeats.count ?? 0,
      video?.counters.unreadable.count ?? 0, sound?.counters.packets.count ?? 0
    )
  }

  /// How the broadcast ended by itself; `nil` while it goes on.
  var ending: Appliance.Ending? { end.ending }

  /// Whether neither pipeline hangs.
  func isAlive(_ now: MediaTime) -> Bool {
    video?.heartbeat.isAlive(now) ?? true && sound?.heartbeat.isAlive(now) ?? true
  }

  /// To be called once a second: reports failures and follows the link.
  func supervise(_ now: MediaTime) {
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
      events.report(
        .encoderFailed, level: .warning,
        "Picture or sound cannot be encoded. OnAir keeps trying. If this lasts, the machine has too little "
          + "memory: end other programs, or choose a smaller video.size.")
    }
    reportUnreadable(now)
    let dropped = frames.dropped + (sound?.chunksDropped ?? 0)
    if let sentence = overload.withLock({ $0.check(now, dropped: dropped) }) {
      events.report(.frameBudgetMissed, level: .warning, cause: "too_slow", sentence)
    }
  }

  /// Reports a source that delivers frames of which none can be decoded. The source itself cannot tell.
  private func reportUnreadable(_ now: MediaTime) {
    guard let video else { return }
    if video.unreadable.lasts(now) {
      if !unreadableReported.exchange(true, ordering: .relaxed) {
        events.report(
          .deviceLost, level: .warning, subject: "video", cause: "unreadable",
          prefix: "Picture: ",
          "The camera delivers data that cannot be decoded. Unplug it and plug it in again, or try another "
            + "video.camera_format.")
      }
    } else if !video.unreadable.isFailing, unreadableReported.exchange(false, ordering: .relaxed) {
      events.report(
        .deviceBack, level: .notice, subject: "video", prefix: "Picture: ",
        "The camera delivers a good picture again.")
    }
  }

  /// Adapts the encoders to the link, and reports when the link becomes poor or good.
  private func follow(_ video: VideoLine, _ now: MediaTime) {
    let (plan, receiverLimitedShare) = follower.withLock { follower in
      follower.update(now, destinations[0], video: video, sound: sound)
      return (follower.plan, follower.receiverLimitedShare)
    }
    guard destinations[0].takesPackets else { return linkEvents.withLock { $0.pause() } }
    guard let code = linkEvents.withLock({ $0.take(plan.link, now: now) }) else { return }
    guard code == .networkPoor else {
      events.report(code, "The link carries the whole picture again.")
      return
    }
    let local = LocalNetwork()
    let evidence = LinkEvidence(
      hasRoute: local.interface != nil && local.hasCarrier, signalDBm: local.signalDBm,
      receiverLimitedShare: receiverLimitedShare)
    let weakness = LinkWeakness(evidence)
    events.report(
      code, level: .warning, cause: "link_\(weakness.rawValue)",
      LinkEvents.sentence(plan, of: follower.withLock { $0.targetKbps })
        + weakness.sentence(evidence, host: destinations[0].target.host))
  }

  /// The video bit rate in use; `nil` without video.
  var videoKbps: Int? { video == nil ? nil : follower.withLock { $0.plan.videoKbps } }

  /// - Parameters:
  ///   - goodbye: play out to the end and close the stream at the server.
  ///   - deadline: on the system clock, as for `Worker.join`.
  /// - Returns: `false` if something had not ended by `deadline`.
  func stop(goodbye: Bool, by deadline: MediaTime) -> Bool {
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
  func report(_ now: MediaTime) -> String {
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

/// How a broadcast ended: the first thread that sees it sets it.
private final class End: Sendable {
  private let first = Mutex<Appliance.Ending?>(nil)
  var ending: Appliance.Ending? { first.withLock { $0 } }
  func set(_ ending: Appliance.Ending) { first.withLock { $0 = $0 ?? ending } }
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
    switch counters.state {
    case .delivering: self = .delivered
    case .publishing: self = .unconfirmed
    case .stopped, .connecting, .connected, .waiting:
      self =
        if let obstacle = counters.obstacle {
          obstacle.needsPerson ? .refused : .retrying
        } else {
          counters.reconnects > 0 || counters.bytesSent > 0 ? .retrying : .connecting
        }
    }
  }
}
