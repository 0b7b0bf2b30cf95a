// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Director
public import Publish

// The figures of a broadcast, which the director, the status, the log and the totals use.

/// The counters of the encoders since a broadcast began or was last restarted.
public struct BroadcastFigures: Sendable, Equatable {
  /// Frames that were encoded, repeats included.
  public var frames = 0
  /// Frames that were sent again because no new frame came.
  public var repeats = 0
  /// Frames whose data could not be decoded.
  public var unreadable = 0
  /// Audio packets that were encoded.
  public var audioPackets = 0
  /// Captured frames and chunks of audio that were dropped because this machine was too slow.
  public var late = 0
  /// Bytes of encoded video.
  var videoBytes = 0

  init() {}

  init(_ halves: (video: StudioVideo?, audio: StudioAudio?)) {
    if let half = halves.video {
      let video = half.pipeline
      late = half.frames.dropped
      frames = video.counters.frames.count
      repeats = video.counters.repeats.count
      unreadable = video.counters.unreadable.count
      videoBytes = video.counters.bytes.count
    }
    if let audio = halves.audio?.pipeline {
      audioPackets = audio.counters.packets.count
      late += audio.chunksDropped
    }
  }
}

/// The present figures of a destination.
public struct DestinationFigures: Sendable {
  /// The name of the destination: "main", or the name of a relay (a destination besides the main one).
  public var name: String
  /// The server to which the destination is connected, or to which it is trying to connect.
  public var target: PublishTarget
  /// The state of the connection, and the destination's counters since its start.
  public var counters: DestinationCounters
  /// The present problem of the destination; `nil` if there is none.
  public var trouble: DestinationTrouble?
  /// How much of the stream the destination gets: all packets, only keyframes and audio, or nothing.
  public var thinning: Thinning
}

extension Broadcast {
  /// Nanoseconds that the camera may take to open after a restart. After this time viewers see a still. Equal to the
  /// time after which a camera that stops delivering frames counts as lost.
  private static let reopeningNanos = Int64.milliseconds(400)

  /// The state of the inputs, the encoders, the link and the main destination, for the director. Allocates nothing,
  /// because it is called twenty times a second.
  public func conditions(_ now: MediaTime) -> Conditions {
    let scene = studio.scene
    let (video, audio) = inputs.withLock { ($0.video, $0.audio) }
    // The time of the first packet of the current scene (a scene is what is sent between two cuts); `nil` while the
    // pipeline still offers packets of an earlier scene.
    var since: MediaTime? = scene.audioSince + (audio?.delayNanos ?? 0)
    if let offered = video?.pipeline.lastOffered {
      since = offered.number == scene.video ? offered.since : nil
    }
    var conditions = Conditions(camera: .unused, microphone: .unused)
    if let video { conditions.camera = video.input(now) }
    // Not for a camera that was closed for a pause: the pause still is shown until that camera's first frame.
    conditions.isReopening =
      isRestart && now - startedAt >= Broadcast.reopeningNanos
      && !(video?.hasReleasedCamera ?? false)
    conditions.encoderFailed = studio.isEncoderFailing(now)
    conditions.link = follower.withLock { $0.plan.link }
    // On a `poor` link the director replaces live video by a still. If only relays get the video, their links are good
    // enough for live video, so the link is reported as `weak`.
    if conditions.link == .poor, onlyRelaysGetVideo { conditions.link = .weak }
    if let audio {
      conditions.microphone =
        audio.sourceKind == .silence ? .good : Conditions.Input(audio.health(now))
    }
    let counters = main.counters
    conditions.relayFails = isRelayFailing
    conditions.hasLastFrame = studio.hasLastFrame
    conditions.destination = Conditions.Destination(counters)
    conditions.isOverdue = main.trouble != nil
    if counters.isSlow, conditions.link == .good { conditions.link = .weak }
    if let since, let delivered = counters.deliveredUpTo {
      conditions.videoDelivered = delivered >= since
    }
    return conditions
  }

  /// The figures of each destination, the main one first.
  public var destinationFigures: [DestinationFigures] { [mainFigures] + relayFigures }

  /// The figures of the main destination.
  public var mainFigures: DestinationFigures { DestinationFigures(namedMain) }

  /// The counters of the encoders since the broadcast began or was last restarted.
  public var figures: BroadcastFigures {
    let inputs = inputs.withLock { $0 }
    var figures = BroadcastFigures((inputs.video, inputs.audio))
    figures.frames -= inputs.figuresBefore.frames
    figures.repeats -= inputs.figuresBefore.repeats
    figures.unreadable -= inputs.figuresBefore.unreadable
    figures.audioPackets -= inputs.figuresBefore.audioPackets
    figures.late -= inputs.figuresBefore.late
    figures.videoBytes -= inputs.figuresBefore.videoBytes
    return figures
  }

  /// The video bit rate that the rate controller has chosen, in kbit/s; `nil` without video.
  public var videoKbps: Int? {
    inputs.withLock { $0.video } == nil ? nil : follower.withLock { $0.plan.videoKbps }
  }

  /// The drift of the main microphone's sample clock against CLOCK_MONOTONIC, in parts per million; `nil` while it is
  /// not known.
  public var driftPPM: Double? { inputs.withLock { $0.audio }?.driftPPM }

  /// Whether the video source has delivered any frame.
  public var hasHadVideo: Bool {
    inputs.withLock { $0.video }?.pipeline.sourcePulse.firstBeat != nil
  }

  /// Whether the source of the main audio track has delivered any samples.
  public var hasHadAudio: Bool { inputs.withLock { $0.audio }?.hasDelivered ?? false }

  /// The line of counters for the log, written each minute and at the end of the broadcast.
  public func report(_ now: MediaTime) -> String {
    var report = BroadcastReport(seconds: max(0, Int((now - startedAt) / 1_000_000_000)))
    let (video, audio) = inputs.withLock { ($0.video, $0.audio) }
    let figures = figures
    if let video {
      let pipeline = video.pipeline
      report.video = BroadcastReport.Video(
        frames: figures.frames, repeated: figures.repeats,
        surplus: pipeline.counters.surplus.count, late: video.frames.dropped,
        unreadable: figures.unreadable, failed: pipeline.counters.failures.count,
        bytes: figures.videoBytes)
    }
    if let audio = audio?.pipeline {
      report.audio = BroadcastReport.Audio(
        packets: figures.audioPackets, failed: audio.counters.failures.count,
        lateFrames: audio.counters.late.count, late: audio.chunksDropped)
    }
    let sources = [video?.source, audio?.source]
    report.sources = sources.compactMap { $0?.tally }.filter { !$0.isEmpty }
    report.servers = destinations.map { named in
      let counters = named.destination.counters
      return BroadcastReport.Server(
        name: named.name == BroadcastTarget.main ? nil : named.name, bytes: counters.bytesSent,
        dropped: Int(counters.dropped), reconnects: Int(counters.reconnects),
        deliveredAgoNanos: counters.deliveredUpTo.map { max(0, now - $0) })
    }
    return report.line
  }
}

extension DestinationFigures {
  init(_ named: Broadcast.NamedDestination) {
    self.init(
      name: named.name, target: named.destination.target, counters: named.destination.counters,
      trouble: named.destination.trouble, thinning: named.destination.thinning)
  }
}

extension Conditions.Input {
  init(_ health: Pulse.Health) {
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
