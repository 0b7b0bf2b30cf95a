// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media
internal import Publish
internal import RateControl
internal import Settings

/// A destination of a broadcast, independent of its protocol. `Destination`, which speaks RTMP, documents all members.
protocol BroadcastDestination: PacketSink {
  /// The server to which the destination is connected, or to which it is trying to connect.
  var target: PublishTarget { get }
  /// The state of the connection, and the destination's counters since its start.
  var counters: DestinationCounters { get }
  /// The present problem; `nil` if there is none.
  var trouble: DestinationTrouble? { get }
  /// Whether the destination's thread still responds.
  func isAlive(_ now: MediaTime) -> Bool

  /// Starts the destination's thread, which connects to the server.
  func start()
  /// Like `start`, but returns `false` if the system cannot create another thread. (`start` ends the process.)
  func tryStart() -> Bool
  /// Asks the destination's thread to end for good. Does not wait for its end.
  /// - Parameter goodbye: whether to send what is queued and to close the stream at the server.
  func beginStop(goodbye: Bool, by deadline: MediaTime)
  /// Waits for the end of the destination's thread. To be called after `beginStop`.
  /// - Returns: `false` if the thread was still running at `deadline`.
  func finishStop(by deadline: MediaTime) -> Bool
  /// Whether the destination's thread has ended. To be read after `beginStop`.
  var hasEnded: Bool { get }
  /// Closes the connection and opens a new one.
  func reconnect()
  /// Closes the connection if its local address is gone, and ends the wait before the next attempt to connect, unless
  /// refusals by the server have lengthened that wait. To be called when a route or an address of this machine has
  /// changed.
  func noteRouteChange()
  /// Closes the connection if its present step (such as connecting or sending) takes too long. To be called every 50 to
  /// 100 ms.
  func supervise(now: MediaTime)

  /// Publishes to another server from now on.
  func publish(_ plan: BroadcastTarget)
  /// Applies changed settings: the limits of the packet queue, and the pauses between connection attempts.
  func follow(_ settings: Settings)

  /// The measurements of the link to the server; `nil` while the server does not take the stream.
  var link: LinkFigures? { get }
  /// Whether this process resumed less than two seconds ago after it was stopped for more than a second, as when the
  /// machine was suspended.
  var hasJustResumed: Bool { get }
  /// Whether video packets are being held back, because the link is too slow or because `suspendVideo` was called.
  var isHoldingVideo: Bool { get }
  /// How much of the stream is being sent: all packets, only keyframes and audio, or nothing.
  var thinning: Thinning { get }
  /// Limits the bytes in flight.
  /// - Parameter capacityKbps: the throughput of the link if the link is too slow; `nil` if the link is fast enough.
  func setMaxInFlight(bytes: Int, capacityKbps: Int?)
  /// Suspends (`true`) or resumes (`false`) the sending of video.
  func suspendVideo(_ isSuspended: Bool)
  /// Sets how much of the stream is sent from now on: all packets, only keyframes and audio, or nothing.
  func thin(_ thinning: Thinning)
  /// Ends the stream's video at `time` on the stream's timeline: drops later video packets. Also drops audio packets
  /// once audio has lasted as long as video.
  /// - Returns: the nanoseconds by which audio ends after video.
  func endVideo(at time: MediaTime) -> Int64
}

/// Creates destinations: a protocol other than RTMP would be added here.
struct DestinationFactory: Sendable {
  /// The parameters of a destination that is to be created.
  struct Request: Sendable {
    /// The destination's name, its server and its backup server.
    var plan: BroadcastTarget
    var settings: Settings
    /// The program's name and version, for the stream's metadata.
    var encoder: String
    /// The scheduling priority of the destination's thread.
    var urgency: MediaThread.Urgency
    /// Called by the destination each time its server has begun to accept the stream.
    var accepted: @Sendable () -> Void
    /// Receives the destination's reports, on any thread.
    var listener: @Sendable (DestinationReport) -> Void
  }

  /// The factory for all protocols. Tests use one that creates fake destinations.
  static let all = DestinationFactory { request in
    switch request.plan.target {
    case .rtmp: Destination(request)
    }
  }

  /// Creates a destination, which is not started yet.
  let make: @Sendable (Request) -> any BroadcastDestination
}

extension Destination: BroadcastDestination {
  fileprivate convenience init(_ request: DestinationFactory.Request) {
    let (plan, settings) = (request.plan, request.settings)
    self.init(
      // The name of the thread: Linux allows at most 15 bytes.
      name: String("rtmp \(plan.name)".prefix(15)), target: plan.target.rtmp,
      backup: plan.backup?.rtmp,
      hasVideo: settings.video.source != .none,
      queueBytes: settings.queueBytes, behindNanos: settings.network.behindNanos,
      encoder: request.encoder, deadlines: RTMPDeadlines(settings.publish),
      urgency: request.urgency, accepted: request.accepted, listener: request.listener)
  }

  /// Publishes to other servers from now on.
  func publish(_ plan: BroadcastTarget) {
    publish(to: plan.target.rtmp, backup: plan.backup?.rtmp)
  }

  /// Applies changed settings: the limits of the packet queue, and the pauses between connection attempts.
  func follow(_ settings: Settings) {
    setLimits(
      queueBytes: settings.queueBytes, behindNanos: settings.network.behindNanos,
      deadlines: RTMPDeadlines(settings.publish))
  }
}

extension PublishTarget {
  /// The server as a target for RTMP.
  var rtmp: RTMPTarget {
    switch self {
    case .rtmp(let target): target
    }
  }
}
