// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Publish
internal import RateControl
public import Settings
internal import Synchronization

/// A destination of a broadcast, by name, and the servers that it publishes to.
public struct BroadcastTarget: Sendable, Equatable {
  /// The name of the main destination, which the lamp and the rate controller follow.
  public static let main = "main"

  public var name: String
  public var target: PublishTarget
  /// The second server of the same stream; `nil` for none.
  public var backup: PublishTarget?

  public init(name: String = BroadcastTarget.main, target: RTMPTarget, backup: RTMPTarget? = nil) {
    self.name = name
    self.target = .rtmp(target)
    self.backup = backup.map { .rtmp($0) }
  }
}

/// One broadcast or, if it was restarted, one part of it. It uses the studio, and passes the studio's packets to its
/// destinations.
public final class Broadcast: SettingsFollower {
  struct NamedDestination {
    var name: String
    var destination: any BroadcastDestination
  }

  /// The state of the relays: the destinations besides the main one.
  struct Others {
    /// Set when the broadcast ends: no relay is added any more.
    var isOver = false
    var present: [NamedDestination] = []
    /// The names of the relays in `present` that have not been started yet.
    var waiting: Set<String> = []
    /// The relays that have been told to end, each with the time by which it has to have ended.
    var leaving: [(NamedDestination, deadline: MediaTime)] = []
    var rules = RelayRules()
    var rate = ArrivalRate()
    var halt = ReadingHalt()
    /// Whether the main server has stopped reading while a relay's server takes the whole stream. The link to the main
    /// server then says nothing about the bit rate that can be sent.
    var isMainHeld = false
  }

  /// The video half and the audio half of the studio, each `nil` if the broadcast does not use it, and what their
  /// encoders had counted before the broadcast.
  struct Inputs {
    var video: StudioVideo?
    var audio: StudioAudio?
    var before = BroadcastFigures()
  }

  let studio: Studio
  private let followedSettings: Mutex<Settings>
  /// The settings that the broadcast follows.
  var settings: Settings { followedSettings.withLock { $0 } }
  /// The main destination, which the lamp and the rate controller follow.
  let main: any BroadcastDestination
  let others = Mutex(Others())
  /// All destinations, the main one first.
  var destinations: [NamedDestination] {
    [NamedDestination(name: BroadcastTarget.main, destination: main)]
      + others.withLock { $0.present }
  }
  private let encoder: String
  private let factory: DestinationFactory
  let user: StudioUser
  let inputs = Mutex(Inputs())
  let follower: Mutex<LinkFollower>
  private let routes = RouteWatch()
  private let linkChanges = Mutex(LinkChanges())
  private let listener: StudioListener
  let clock: MediaClock
  public let startedAt: MediaTime
  /// Whether this broadcast continues an earlier one, after a restart of the sources and encoders.
  let isRestart: Bool

  /// Whether the thread of the main destination still responds. The threads of relays do not count: if one hangs, that
  /// is no reason to restart everything.
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
    self.main = destinations.make(
      Broadcast.order(main, settings, studio, encoder: encoder, listener))
    var needs: StudioNeeds = []
    if settings.video.source != .none { needs.insert(.video) }
    if settings.audio.source != .none { needs.insert(.audio) }
    user = studio.enter(needs, leads: true)
  }

  private static func order(
    _ plan: BroadcastTarget, _ settings: Settings, _ studio: Studio, encoder: String,
    urgency: MediaThread.Urgency = .sending, _ listener: @escaping StudioListener
  ) -> DestinationFactory.Order {
    DestinationFactory.Order(
      plan: plan, settings: settings, encoder: encoder, urgency: urgency,
      // The server gets the current frame at once instead of the next one.
      begun: { studio.wake() },
      listener: { listener(.destination(plan.name, $0)) })
  }

  /// Connects the main destination, and opens the inputs that the broadcast needs and that are not open yet.
  public func start() {
    user.add(main, isMain: true)
    // Connecting takes longest: it begins first, while encoders and devices open.
    main.start()
    let before = BroadcastFigures(studio.halves)
    studio.adjust()
    let halves = studio.halves
    inputs.withLock { $0 = Inputs(video: halves.video, audio: halves.audio, before: before) }
  }

  // MARK: Commands

  /// Applies settings that a person has changed: bit rates, limits, and the pauses between connection attempts. The
  /// studio applies all others.
  public func change(_ settings: Settings) {
    followedSettings.withLock { $0 = settings }
    follower.withLock { $0.change(settings, now: clock.now) }
    for named in destinations {
      named.destination.follow(settings)
    }
  }

  /// Publishes to another main server from now on. Capture and encoders go on undisturbed.
  public func publish(_ plan: BroadcastTarget) {
    main.publish(plan)
  }

  /// Sets the relays. A relay whose name and server stay the same goes on undisturbed.
  /// - Parameters:
  ///   - plans: all relays that there are to be.
  ///   - goodbye: asked with the name of each relay that ends: whether to tell its server that the stream is over.
  ///     Otherwise the server waits for the stream to come back.
  public func relay(to plans: [BroadcastTarget], goodbye: (String) -> Bool = { _ in true }) {
    let settings = settings
    let deadline = clock.now + Broadcast.goodbyePatience
    others.withLock { others in
      guard !others.isOver else { return }
      others.present.removeAll { named in
        let plan = plans.first { $0.name == named.name }
        guard plan?.target != named.destination.target else { return false }
        guard others.waiting.remove(named.name) == nil else { return true }
        user.silence(named.destination)
        named.destination.beginStop(goodbye: goodbye(named.name), by: deadline)
        others.leaving.append((named, deadline))
        return true
      }
      for plan in plans where !others.present.contains(where: { $0.name == plan.name }) {
        // Its thread may wait for the main one's and for the encoders'.
        let destination = factory.make(
          Broadcast.order(
            plan, settings, studio, encoder: encoder, urgency: .ordinary, listener))
        others.present.append(NamedDestination(name: plan.name, destination: destination))
        others.waiting.insert(plan.name)
      }
      others.present.sort { $0.name < $1.name }
      beginWaiting(&others)
    }
  }

  /// Closes the connection of each destination and opens a new one.
  public func reconnect() {
    for named in destinations { named.destination.reconnect() }
  }

  // MARK: Supervision

  /// Supervises the connections, and adapts the encoders to the link. To be called twenty times a second.
  public func supervise(_ now: MediaTime) {
    let areRoutesNew = routes.hasChanged()
    for named in destinations {
      if areRoutesNew { named.destination.routesHaveChanged() }
      named.destination.supervise(now: now)
    }
    superviseOthers(now)
    let (video, audio) = inputs.withLock { ($0.video, $0.audio) }
    if let video {
      follow(video.pipeline, audio?.pipeline, now)
    } else {
      follower.withLock { $0.updateAudioOnly(main, sound: audio?.pipeline) }
    }
  }

  /// Adapts the encoders to the link, and reports when the link becomes worse or has recovered.
  private func follow(_ video: VideoPipeline, _ audio: AudioPipeline?, _ now: MediaTime) {
    let isHeld = others.withLock { $0.isMainHeld } || main.hasStoodStill
    let (plan, receiverLimitedShare) = follower.withLock { follower in
      follower.update(now, main, isHeld: isHeld, video: video, sound: audio)
      return (follower.plan, follower.receiverLimitedShare)
    }
    guard main.takesPackets, !isHeld else { return linkChanges.withLock { $0.pause() } }
    switch linkChanges.withLock({ $0.take(plan.link, now: now) }) {
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
