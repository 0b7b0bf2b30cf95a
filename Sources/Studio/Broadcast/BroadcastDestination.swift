// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media
internal import Publish
internal import RateControl
internal import Settings

/// A destination of a broadcast, whatever protocol it speaks. `Destination` documents the members.
protocol BroadcastDestination: PacketSink {
  /// The server of the present attempt or connection.
  var target: PublishTarget { get }
  var counters: DestinationCounters { get }
  var trouble: DestinationTrouble? { get }
  func isAlive(_ now: MediaTime) -> Bool

  func start()
  func tryStart() -> Bool
  func beginStop(goodbye: Bool, by deadline: MediaTime)
  func finishStop(by deadline: MediaTime) -> Bool
  var hasEnded: Bool { get }
  func reconnect()
  func routesHaveChanged()
  func supervise(now: MediaTime)

  /// Publishes to another server from now on.
  func publish(_ plan: BroadcastTarget)
  /// Applies changed limits of the queue and changed pauses between connection attempts.
  func follow(_ settings: Settings)

  var link: LinkFigures? { get }
  var hasStoodStill: Bool { get }
  var isHoldingVideo: Bool { get }
  var thinning: Thinning { get }
  func setMaxInFlight(bytes: Int, capacityKbps: Int?)
  func dropVideo(_ isSuspended: Bool)
  func thin(_ thinning: Thinning)
  func endVideo(at time: MediaTime) -> Int64
}

/// Makes destinations. It is the one place that knows which protocols there are.
struct DestinationFactory: Sendable {
  /// What the factory needs to know to make one destination.
  struct Order: Sendable {
    var plan: BroadcastTarget
    var settings: Settings
    /// The program's name and version, for the stream's metadata.
    var encoder: String
    var urgency: MediaThread.Urgency
    /// The destination calls this each time its server has begun to take the stream.
    var begun: @Sendable () -> Void
    var listener: @Sendable (DestinationReport) -> Void
  }

  static let all = DestinationFactory { order in
    switch order.plan.target {
    case .rtmp: Destination(order)
    }
  }

  let make: @Sendable (Order) -> any BroadcastDestination
}

extension Destination: BroadcastDestination {
  fileprivate convenience init(_ order: DestinationFactory.Order) {
    let (plan, settings) = (order.plan, order.settings)
    self.init(
      // Linux refuses a thread's name of more than 15 bytes.
      name: String("rtmp \(plan.name)".prefix(15)), target: plan.target.rtmp,
      backup: plan.backup?.rtmp,
      hasVideo: settings.video.source != .none,
      queueBytes: settings.queueBytes, behindNanos: settings.network.behindNanos,
      encoder: order.encoder, deadlines: RTMPDeadlines(settings.publish),
      urgency: order.urgency, begun: order.begun, listener: order.listener)
  }

  func publish(_ plan: BroadcastTarget) {
    publish(to: plan.target.rtmp, backup: plan.backup?.rtmp)
  }

  func follow(_ settings: Settings) {
    setLimits(
      queueBytes: settings.queueBytes, behindNanos: settings.network.behindNanos,
      deadlines: RTMPDeadlines(settings.publish))
  }
}

extension PublishTarget {
  /// The server in the form in which `Destination`, which speaks RTMP, takes it.
  var rtmp: RTMPTarget {
    switch self {
    case .rtmp(let target): target
    }
  }
}
