// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import Director
internal import Logging
internal import Media
internal import Publish
internal import Settings
internal import Synchronization

/// Everything that one broadcast is made of, joined: sources, the two lines, destinations.
final class Broadcast: Sendable {
  /// A line that has not moved for this long hangs: the watchdog is no longer told that all is well.
  private static let hangNanos: Int64 = .seconds(10)

  /// How long the sound may take to catch up with the last picture before the good-bye.
  private static let finishNanos: Int64 = .milliseconds(500)

  /// What viewers are to get.
  private struct Presented {
    var video = Plan.Video.camera
    var audio = Plan.Audio.microphone
    var pictureScene: UInt32 = 0
    var soundScene: UInt32 = 0
    var pictureSince = MediaTime.distantPast
    var soundSince = MediaTime.distantPast
    /// The video line has been told.
    var isShown = true
  }

  private let events: EventLog
  private let outlet: Outlet
  private let stills: StillShelf
  private let frames: NewestFrame
  private let pace: Mutex<Pace>
  private let encoderFailureTold = Atomic(false)
  private let unreadableTold = Atomic(false)
  private let presented = Mutex(Presented())
  private let sources: [any Source]
  private let video: VideoLine?
  private let sound: SoundLine?
  private let soundDelay: Int64
  /// Whether sound comes from a source, and is not silence from the start.
  private let hasMicrophone: Bool
  private let destinations: [Destination]
  private let follower: Mutex<LinkFollower>
  private let routes = RouteWatch()
  private let linkEvents = Mutex(LinkEvents())
  private let end: End
  let startedAt = MediaTime.now()

  init(settings: Settings, target: RTMPTarget, backup: RTMPTarget?, events: EventLog) {
    self.events = events
    stills = StillShelf(settings) { sentence in
      // It begins with the setting that names the image.
      let setting = String(sentence.prefix { $0 != ":" })
      events.report(.stillUnusable, level: .warning, subject: setting, sentence)
    }
    let end = End()
    self.end = end
    follower = Mutex(LinkFollower(settings, startedAt: startedAt))
    let fatal: @Sendable (String) -> Void = { sentence in
      events.report(.encoderFailed, level: .error, sentence)
      end.come(.failed)
    }
    let sourceEvents = Mutex<[String: SourceEvents]>([:])
    let makers = SourceMaker(settings: settings) { name, report in
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
      if report.state == .ended { end.come(report.code == "ended" ? .asked : .unavailable) }
    }

    let frames = NewestFrame()
    self.frames = frames
    pace = Mutex(Pace(settings.video))
    let destinationEvents = Mutex(
      DestinationEvents(
        isLinkFollowed: settings.video.source != .none && settings.network.mode != .fixed))
    let destination = Destination(
      name: "rtmp 1", target: target, backup: backup, hasVideo: settings.video.source != .none,
      queueBytes: Destination.queueBytes(
        bitrateKbps: settings.video.bitrateKbps + settings.audio.bitrateKbps),
      behindNanos: Int64(settings.network.maxBehindSeconds * 1e9),
      encoder: "OnAir \(Version.current)", deadlines: RTMPDeadlines(settings.publish),
      // It gets the present picture at once rather than the next.
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
    let outlet = Outlet(destinations: destinations)
    self.outlet = outlet

    var sources: [any Source] = []
    if settings.video.source != .none {
      sources += makers.pictures(into: frames)
      video = VideoLine(
        plan: VideoPlan(settings.video), frames: frames, outlet: outlet,
        notice: { events.report(.encoderFailed, level: .warning, $0) }, fatal: fatal)
    } else {
      video = nil
    }
    hasMicrophone = settings.audio.source != .silence
    soundDelay = .milliseconds(Int64(settings.audio.delayMs))
    if settings.audio.source != .none {
      let queue = PCMQueue(channels: settings.audio.channels)
      sources += makers.sound(into: queue)
      sound = SoundLine(
        queue: queue, bitrateKbps: settings.audio.bitrateKbps, gainDB: settings.audio.gainDb,
        delayNanos: soundDelay, outlet: outlet, fatal: fatal)
    } else {
      sound = nil
    }
    self.sources = sources
  }

  func start() {
    // What takes longest first: the connection is made while encoders and devices open.
    for destination in destinations { destination.start() }
    video?.start()
    sound?.start()
    for source in sources { source.start() }
    stills.start()
  }

  // MARK: What viewers get

  /// Has viewers get what the plan says: at once, whatever the lines have in hand.
  ///
  /// Once this returns, nothing that the plan keeps from viewers is handed to the network any more but the
  /// rest of the message that is being sent.
  func present(_ plan: Plan) {
    presented.withLock { presented in
      let now = MediaTime.now()
      let changesPicture = plan.video != presented.video && plan.video != .none
      let changesSound = plan.audio != presented.audio && plan.audio != .none
      if changesPicture {
        presented.video = plan.video
        presented.pictureScene += 1
        presented.pictureSince = now
        presented.isShown = false
      }
      if changesSound {
        presented.audio = plan.audio
        presented.soundScene += 1
        presented.soundSince = now
      }
      // First of all.
      let hides = changesPicture && [.pauseStill, .poorNetworkStill].contains(plan.video)
      let silences = changesSound && plan.audio == .silence
      if hides || silences {
        outlet.cut(
          pictures: hides ? presented.pictureScene : 0,
          sounds: silences ? presented.soundScene : 0)
      }
      if changesSound {
        sound?.hear(
          SoundLine.Scene(
            number: presented.soundScene, isHeard: plan.audio == .microphone, since: now))
      }
      if !presented.isShown { show(&presented) }
    }
  }

  private func show(_ presented: inout Presented) {
    var scene = VideoLine.Scene(number: presented.pictureScene, since: presented.pictureSince)
    if presented.video != .camera {
      // Until it is made, nothing is shown rather than the camera: it is asked for again at the next look.
      guard let still = stills.still(presented.video) else { return }
      scene.still = still
    }
    presented.isShown = true
    video?.show(scene)
  }

  /// How things are with all that the broadcast needs. Allocates nothing: it is asked twenty times a second.
  func conditions(_ now: MediaTime) -> Conditions {
    let (scene, soundSince) = presented.withLock { ($0.pictureScene, $0.soundSince) }
    // Since when what is wanted has been offered; not yet, while the line shows something else.
    var since: MediaTime? = soundSince + soundDelay
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

  /// What a person wants of the bit rate has changed.
  func follow(_ limits: BitrateController.Limits) { follower.withLock { $0.change(limits) } }

  /// Publishes elsewhere from now on. What is captured and encoded does not notice.
  func publish(to target: RTMPTarget, backup: RTMPTarget?) {
    destinations[0].publish(to: target, backup: backup)
  }

  /// Gives up each connection and makes a new one.
  func reconnect() {
    for destination in destinations { destination.reconnect() }
  }

  /// What it has been so far.
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

  /// How fast the microphone's clock runs, in millionths; `nil` while it is not known.
  var driftPPM: Double? {
    for case let microphone as Microphone in sources { return microphone.figures.driftPPM }
    return nil
  }

  /// Whether video has come from its source at all.
  var hasHadVideo: Bool { video?.source.hasBeaten ?? false }

  /// Whether audio has come from its source at all.
  var hasHadAudio: Bool { sound?.source.hasBeaten ?? false }

  /// Whether the machine was too slow in the last ten seconds.
  var isOverloaded: Bool { pace.withLock { $0.isOverloaded } }

  /// What is wrong with the destinations at present.
  var destinationTroubles: [DestinationTrouble] { destinations.compactMap(\.trouble) }

  /// What each destination is at, for the status.
  var destinationCounters: [(name: String, counters: DestinationCounters)] {
    destinations.map { ("\($0.target)", $0.counters) }
  }

  /// Pictures and pieces of sound that were encoded, and what became of the frames.
  var figures: (pictures: Int, repeats: Int, broken: Int, sounds: Int) {
    (
      video?.counters.frames.count ?? 0, video?.counters.repeats.count ?? 0,
      video?.counters.broken.count ?? 0, sound?.counters.blocks.count ?? 0
    )
  }

  /// How it ended by itself: `nil` while it goes on.
  var ending: Appliance.Ending? { end.ending }

  func isAlive(_ now: MediaTime) -> Bool {
    (video?.heartbeat.age(now) ?? 0) < Broadcast.hangNanos
      && (sound?.heartbeat.age(now) ?? 0) < Broadcast.hangNanos
  }

  func supervise(_ now: MediaTime) {
    let areRoutesNew = routes.hasChanged()
    for destination in destinations {
      if areRoutesNew { destination.routesHaveChanged() }
      destination.supervise(now: now)
    }
    if let video {
      follow(video, now)
    } else {
      follower.withLock { $0.bound(destinations[0]) }
    }
    let isFailing = isEncoderFailing(now)
    if isFailing != encoderFailureTold.exchange(isFailing, ordering: .relaxed), isFailing {
      events.report(
        .encoderFailed, level: .warning,
        "Pictures or sound cannot be encoded, which is tried again each time. If it lasts, the machine has too "
          + "little memory: end other programs, or choose a smaller video.size.")
    }
    tellOfReading(now)
    let overtaken = frames.replaced + (sound?.piecesLost ?? 0)
    if let sentence = pace.withLock({ $0.look(now, overtaken: overtaken) }) {
      events.report(.frameBudgetMissed, level: .warning, cause: "too_slow", sentence)
    }
  }

  /// A camera that delivers, and nothing of which can be read, does not know that.
  private func tellOfReading(_ now: MediaTime) {
    guard let video else { return }
    if video.unreadable.lasts(now) {
      if !unreadableTold.exchange(true, ordering: .relaxed) {
        events.report(
          .deviceLost, level: .warning, subject: "video", cause: "unreadable",
          prefix: "Picture: ",
          "What comes cannot be read as a picture. Unplug the camera and plug it in again, or try another "
            + "video.camera_format.")
      }
    } else if !video.unreadable.isFailing, unreadableTold.exchange(false, ordering: .relaxed) {
      events.report(
        .deviceBack, level: .notice, subject: "video", prefix: "Picture: ",
        "It can be read again.")
    }
  }

  /// Has what is encoded follow the link.
  private func follow(_ video: VideoLine, _ now: MediaTime) {
    let (plan, receiverLimitedShare) = follower.withLock { follower in
      follower.look(now, destinations[0], video: video, sound: sound)
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

  /// kbit/s that the link leaves for pictures; `nil` where there are none.
  var videoKbps: Int? { video == nil ? nil : follower.withLock { $0.plan.videoKbps } }

  /// - Returns: `false` when something had not ended by `deadline`.
  func stop(goodbye: Bool, by deadline: MediaTime) -> Bool {
    if goodbye { finish(by: .now() + Broadcast.finishNanos) }
    // The destinations first: nothing that hangs elsewhere may keep the good-bye from the server.
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

  /// Ends pictures and sound together, so that viewers miss neither at the end.
  private func finish(by deadline: MediaTime) {
    guard let video, video.stop(by: deadline), let end = video.picturesEnd else { return }
    let lag = destinations.map { $0.endVideo(at: end) }.max() ?? 0
    _ = sound?.finish(at: end + lag, by: deadline + max(0, -soundDelay))
  }

  /// A line for the log.
  func report(_ now: MediaTime) -> String {
    let seconds = max(1, Int((now - startedAt) / 1_000_000_000))
    var parts = [Phrase.duration(seconds)]
    if let video {
      let count = video.counters.frames.count
      parts.append(
        "\(count) pictures (\(video.counters.repeats.count) shown again, "
          + "\(video.counters.surplus.count) left out, \(video.counters.broken.count) broken, "
          + "\(frames.replaced) overtaken), "
          + "\(video.counters.bytes.count / 125 / seconds) kbit/s")
    }
    if let sound {
      parts.append(
        "\(sound.counters.blocks.count) blocks of sound (\(sound.counters.failures.count) failed, "
          + "\(sound.counters.late.count) samples too late, \(sound.piecesLost) pieces lost)")
    }
    parts += sources.map(\.tally).filter { !$0.isEmpty }
    for destination in destinations {
      let sums = destination.counters
      let tenths = sums.bytesSent / 100_000
      let megabytes = "\(tenths / 10).\(tenths % 10)"
      parts.append(
        "sent \(megabytes) MB, \(sums.dropped) left out, "
          + Phrase.count(sums.reconnects, "reconnect")
          + (sums.deliveredUpTo.map {
            ", delivered up to \(max(0, now - $0) / 1_000_000) ms ago"
          }
            ?? ", nothing known to be delivered"))
    }
    return parts.joined(separator: "; ") + "."
  }
}

/// How a broadcast came to its end, told by whichever thread saw it first.
private final class End: Sendable {
  private let first = Mutex<Appliance.Ending?>(nil)
  var ending: Appliance.Ending? { first.withLock { $0 } }
  func come(_ ending: Appliance.Ending) { first.withLock { $0 = $0 ?? ending } }
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
