// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Publish
internal import RateControl
public import Settings
internal import Synchronization

/// Where a broadcast is published to.
public struct BroadcastTarget: Sendable, Equatable {
  /// The name of the destination that the lamp and the rate controller follow.
  public static let main = "main"

  public var name: String
  public var target: PublishTarget
  /// The second server of the same stream.
  public var backup: PublishTarget?

  public init(name: String = BroadcastTarget.main, target: RTMPTarget, backup: RTMPTarget? = nil) {
    self.name = name
    self.target = .rtmp(target)
    self.backup = backup.map { .rtmp($0) }
  }
}

/// One broadcast, from start to end: destinations that use a studio.
public final class Broadcast: SettingsFollower {
  struct NamedDestination {
    var name: String
    var destination: any BroadcastDestination
  }

  /// The destinations besides the main one.
  struct Others {
    /// The broadcast ends: nobody joins any more.
    var isOver = false
    var present: [NamedDestination] = []
    /// Names of those that have not begun yet.
    var waiting: Set<String> = []
    /// Those that end, with or without a good-bye, and the latest time for that.
    var leaving: [(NamedDestination, deadline: MediaTime)] = []
    var rules = RelayRules()
    var rate = ArrivalRate()
    var halt = ReadingHalt()
    /// The main server takes nothing while a relay's does: its link says nothing about what can be encoded.
    var isMainHeld = false
  }

  /// The studio's halves that the broadcast uses, and what they had counted before it.
  struct Inputs {
    var video: StudioVideo?
    var audio: StudioAudio?
    var before = BroadcastFigures()
  }

  let studio: Studio
  private let followedSettings: Mutex<Settings>
  /// The settings that the broadcast follows.
  var settings: Settings { followedSettings.withLock { $0 } }
  /// The destination that the lamp and the rate controller follow.
  let main: any BroadcastDestination
  let others = Mutex(Others())
  /// The main destination first.
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
  /// It goes on after a restart of sources and encoders.
  let isRestart: Bool

  /// Whether the main destination's thread goes around. A relay's that hangs is no reason to start all anew.
  public func isAlive(_ now: MediaTime) -> Bool { main.isAlive(now) }

  /// - Parameters:
  ///   - main: the destination of the name `BroadcastTarget.main`.
  ///   - encoder: the program's name and version, for the stream's metadata.
  ///   - isRestart: viewers have seen an earlier part of it.
  ///   - listener: receives what happens.
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

  /// Connects the main destination, and opens what the studio has not opened yet.
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

  /// Follows settings that a person has changed: bit rates, limits and pauses. Studio follows the others.
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

  /// Publishes to these further servers from now on. Those that stay, by name and server, go on undisturbed.
  /// - Parameter goodbye: whether those that are not among them are told that the stream is over. Otherwise they wait for it
  ///   to come back.
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

  /// Closes each connection and opens a new one.
  public func reconnect() {
    for named in destinations { named.destination.reconnect() }
  }

  // MARK: Supervision

  /// To be called twenty times a second: looks after the connections and follows the link.
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

  /// Adapts the encoders to the link, and reports when the link becomes poor or good.
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
