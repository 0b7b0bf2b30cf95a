// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Media
public import Publish
internal import RateControl
public import Settings
internal import Synchronization

/// The name of a destination of a broadcast, and the servers to which the destination publishes.
public struct BroadcastTarget: Sendable, Equatable {
  /// The name of the main destination. The rate controller adapts the encoders to the link to the main destination, and
  /// the status light of the box shows that destination's state. All other destinations are relays.
  public static let main = "main"

  /// The name of the destination: "main", or the name of a relay (a destination besides the main one).
  public var name: String
  /// The server to publish to.
  public var target: PublishTarget
  /// The backup server of the same stream; `nil` if there is none.
  public var backup: PublishTarget?
  /// Whether it gets the box's own picture and sound, without guests, instead of the programme.
  public var isCamera: Bool

  public init(
    name: String = BroadcastTarget.main, target: RTMPTarget, backup: RTMPTarget? = nil,
    isCamera: Bool = false
  ) {
    self.name = name
    self.target = .rtmp(target)
    self.backup = backup.map { .rtmp($0) }
    self.isCamera = isCamera
  }
}

/// A broadcast, or the part of a broadcast between two restarts of the sources and encoders. Passes the encoded packets
/// of the studio (the sources and encoders) to the broadcast's destinations.
public final class Broadcast: SettingsFollower {
  /// A destination with its name: "main", or the name of a relay (a destination besides the main one).
  struct NamedDestination {
    /// What it was made for. A main destination may publish to another server since then (`target`).
    var plan: BroadcastTarget
    var destination: any BroadcastDestination
    var name: String { plan.name }
    /// Whether it gets the box's own picture and sound instead of the programme.
    var isCamera: Bool { plan.isCamera }
  }

  /// The state of the relays: the destinations besides the main one.
  struct RelayState {
    /// Whether the broadcast is ending. While it ends, no relay is added.
    var isEnding = false
    /// The relays that are to get the stream, whether they have been started yet or not; sorted by name.
    var present: [NamedDestination] = []
    /// The names of the relays in `present` that have not been started yet.
    var waiting: Set<String> = []
    /// The relays that are being stopped, each with the deadline for its end.
    var leaving: [(NamedDestination, deadline: MediaTime)] = []
    /// Since when there has been no picture of the camera for the relays that get that; `nil` while there is.
    var cameraRefusedAt: MediaTime?
    /// The names of the relays of which that was reported.
    var toldRefusals: Set<String> = []
    /// Decides how much of the stream each relay gets: all packets, only keyframes and audio, or nothing.
    var rules = RelayRules()
    /// Measures the bit rate that arrives at all servers together.
    var rate = ArrivalRate()
    /// Detects that the main server has stopped reading.
    var halt = ReadingHalt()
    /// Whether the main server has stopped reading, while the server of at least one relay takes the whole stream. If
    /// so, the uplink is fast enough, and measurements of the link to the main server are ignored.
    var isOnlyMainHalted = false
  }

  /// The studio's video half and audio half (each with its sources, pipeline and encoder; `nil` if the broadcast does
  /// not use it), and the encoders' counters before the broadcast.
  struct Inputs {
    var video: StudioVideo?
    var audio: StudioAudio?
    /// The encoders' counters when the broadcast began. They are subtracted to get the figures of the broadcast.
    var figuresBefore = BroadcastFigures()
  }

  /// The studio (the sources and encoders) whose packets are sent.
  let studio: Studio
  /// The settings that were last passed to `init` or `change`.
  private let followedSettings: Mutex<Settings>
  /// The settings that were last passed to `init` or `change`.
  var settings: Settings { followedSettings.withLock { $0 } }
  /// The main destination: the one to whose link the rate controller adapts the encoders, and whose state the status
  /// light of the box shows.
  var main: any BroadcastDestination { namedMain.destination }
  /// The main destination with its name.
  let namedMain: NamedDestination
  /// The state of the relays, the destinations besides the main one.
  let relayState = Mutex(RelayState())
  /// All destinations, the main one first.
  var destinations: [NamedDestination] {
    [namedMain] + relayState.withLock { $0.present }
  }
  /// The program's name and version, for the stream's metadata.
  private let encoder: String
  /// Creates the destinations of relays that are added later.
  private let factory: DestinationFactory
  /// The broadcast's registration with the studio, which keeps video or audio open until the broadcast ends.
  let user: StudioUser
  /// The studio's video half and audio half, as far as the broadcast uses them.
  let inputs = Mutex(Inputs())
  /// Adapts the encoders to the link to the main server.
  let follower: Mutex<LinkFollower>
  /// Detects changes of this machine's routes and addresses.
  private let routes = RouteWatch()
  /// Decides which changes of the link's quality are reported.
  private let linkChanges = Mutex(LinkChanges())
  /// Receives the reports of the destinations and of the link, on any thread.
  let listener: StudioListener
  /// The studio's clock, on which all times of the broadcast are measured.
  let clock: MediaClock
  /// When this object was created: at the start of the broadcast, or at the last restart of the sources and encoders.
  public let startedAt: MediaTime
  /// Whether this broadcast continues an earlier one, after a restart of the sources and encoders.
  let isRestart: Bool

  /// Whether the thread of the main destination still responds. The threads of relays are ignored: a relay that hangs
  /// is no reason to restart the program.
  public func isAlive(_ now: MediaTime) -> Bool { main.isAlive(now) }

  /// - Parameters:
  ///   - main: the main destination; its name is `BroadcastTarget.main`.
  ///   - encoder: the program's name and version, for the stream's metadata.
  ///   - isRestart: whether viewers have already seen an earlier part of the broadcast.
  ///   - listener: receives reports, on any thread.
  public convenience init(
    studio: Studio, settings: Settings, main: BroadcastTarget, encoder: String,
    isRestart: Bool = false, listener: @escaping StudioListener
  ) {
    self.init(
      studio: studio, settings: settings, main: main, encoder: encoder, isRestart: isRestart,
      destinations: .all, listener: listener)
  }

  init(
    studio: Studio, settings: Settings, main: BroadcastTarget, encoder: String,
    isRestart: Bool = false, destinations: DestinationFactory, listener: @escaping StudioListener
  ) {
    factory = destinations
    self.studio = studio
    followedSettings = Mutex(settings)
    self.listener = listener
    clock = studio.clock
    startedAt = clock.now
    follower = Mutex(LinkFollower(settings, startedAt: startedAt))
    self.encoder = encoder
    self.isRestart = isRestart
    namedMain = NamedDestination(
      plan: main,
      destination: destinations.make(
        Broadcast.destinationRequest(main, settings, studio, encoder: encoder, listener)))
    var needs: StudioNeeds = []
    if settings.video.source != .none { needs.insert(.video) }
    if settings.audio.source != .none { needs.insert(.audio) }
    user = studio.enter(needs, leads: true)
  }

  /// The parameters of a destination that publishes to the servers of `plan`.
  private static func destinationRequest(
    _ plan: BroadcastTarget, _ settings: Settings, _ studio: Studio, encoder: String,
    urgency: MediaThread.Urgency = .sending, _ listener: @escaping StudioListener
  ) -> DestinationFactory.Request {
    DestinationFactory.Request(
      plan: plan, settings: settings, encoder: encoder, urgency: urgency,
      // Makes the pipeline send the current frame at once, so that the server does not wait for the next frame.
      accepted: { studio.wake() },
      listener: { listener(.destination(plan.name, $0)) })
  }

  /// Connects the main destination, and opens the inputs that the broadcast needs and that are not open yet.
  public func start() {
    user.add(main, isMain: true)
    // Connecting takes longest, so it begins before encoders and devices are opened.
    main.start()
    let before = BroadcastFigures(studio.halves)
    studio.adjust()
    let halves = studio.halves
    inputs.withLock { $0 = Inputs(video: halves.video, audio: halves.audio, figuresBefore: before) }
  }

  // MARK: Commands

  /// Applies changed settings of bit rates, of the limits of packet queues, and of pauses between connection attempts.
  /// The studio applies all other settings.
  public func change(_ settings: Settings) {
    followedSettings.withLock { $0 = settings }
    follower.withLock { $0.change(settings, now: clock.now) }
    for named in destinations {
      named.destination.follow(settings)
    }
  }

  /// Publishes to another main server from now on. Capture and encoding continue without interruption.
  public func publish(_ plan: BroadcastTarget) {
    main.publish(plan)
  }

  /// Sets the relays. A relay whose name and server stay the same continues without interruption.
  /// - Parameters:
  ///   - plans: the complete list of relays. Relays that are not in the list are stopped.
  ///   - goodbye: called with the name of each relay that is stopped: returns whether to close the stream at its
  ///     server. Otherwise the server expects the stream to continue soon.
  public func relay(to plans: [BroadcastTarget], goodbye: (String) -> Bool = { _ in true }) {
    let settings = settings
    let deadline = clock.now + Broadcast.relayGoodbyeNanos
    relayState.withLock { relayState in
      guard !relayState.isEnding else { return }
      let ending = relayState.present.filter { named in
        let plan = plans.first { $0.name == named.name }
        return plan?.target != named.destination.target || plan?.isCamera != named.isCamera
      }
      for named in ending {
        relayState.present.removeAll { $0.name == named.name }
        relayState.toldRefusals.remove(named.name)
        guard relayState.waiting.remove(named.name) == nil else { continue }
        leave(named, goodbye: goodbye(named.name), by: deadline, &relayState)
      }
      for plan in plans where !relayState.present.contains(where: { $0.name == plan.name }) {
        relayState.present.append(makeRelay(plan, settings))
        relayState.waiting.insert(plan.name)
      }
      relayState.present.sort { $0.name < $1.name }
      studio.want(camera: relayState.present.contains { $0.isCamera })
      startWaitingRelays(&relayState)
    }
  }

  /// Makes the destination of a relay, which is not started yet. Its thread has a lower priority than those of the main
  /// destination and of the encoders.
  func makeRelay(_ plan: BroadcastTarget, _ settings: Settings) -> NamedDestination {
    let destination = factory.make(
      Broadcast.destinationRequest(
        plan, settings, studio, encoder: encoder, urgency: .ordinary, listener))
    return NamedDestination(plan: plan, destination: destination)
  }

  /// Passes the packets of the broadcast to a sink beside its destinations, such as that of the play-out.
  public func add(_ sink: any PacketSink) { user.add(sink) }

  /// Removes such a sink.
  public func remove(_ sink: any PacketSink) { user.remove(sink) }

  /// Closes the connection of each destination and opens a new one.
  public func reconnect() {
    for named in destinations { named.destination.reconnect() }
  }

  // MARK: Supervision

  /// Supervises the connections, and adapts the encoders to the link. To be called twenty times a second.
  public func supervise(_ now: MediaTime) {
    let areRoutesNew = routes.hasChanged()
    for named in destinations {
      if areRoutesNew { named.destination.noteRouteChange() }
      named.destination.supervise(now: now)
    }
    superviseRelays(now)
    let (video, audio) = inputs.withLock { ($0.video, $0.audio) }
    if let video {
      follow(video.pipeline, audio?.pipeline, now)
    } else {
      follower.withLock { $0.updateAudioOnly(main, audio: audio?.pipeline) }
    }
  }

  /// Adapts the encoders to the link, and reports when the link becomes worse or has recovered.
  private func follow(_ video: VideoPipeline, _ audio: AudioPipeline?, _ now: MediaTime) {
    let isHeld = relayState.withLock { $0.isOnlyMainHalted } || main.hasJustResumed
    let (plan, receiverLimitedShare) = follower.withLock { follower in
      follower.update(now, main, isHeld: isHeld, video: video, audio: audio)
      return (follower.plan, follower.receiverLimitedShare)
    }
    guard main.takesPackets, !isHeld else { return linkChanges.withLock { $0.restartCounting() } }
    switch linkChanges.withLock({ $0.note(plan.link, now: now) }) {
    case nil: break
    case .recovered: listener(.linkRecovered)
    case .degraded:
      listener(
        .linkDegraded(
          LinkReport(
            plan: plan, targetKbps: follower.withLock { $0.targetKbps },
            receiverLimitedShare: receiverLimitedShare, host: main.target.host)))
    }
  }
}
