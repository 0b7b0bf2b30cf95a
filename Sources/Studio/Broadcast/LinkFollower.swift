// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Director
internal import Publish
public import RateControl
public import Settings

/// Adapts the encoders, and the main destination's limit of bytes in flight, to the link to the main server. Not
/// thread-safe: the caller holds a lock.
struct LinkFollower {
  /// A packet that waits longer than this many nanoseconds shows that the link is too slow for the bit rate.
  private static let promptNanos = Int64.milliseconds(100)

  /// Adapts the bit rates, the size and the frame rate to the link.
  private var controller: BitrateController
  /// The encoding in the settings, before any limit of the link.
  private(set) var asked: EncodingPlan
  /// The encoding plan that was last passed to the pipelines.
  private var applied: EncodingPlan
  /// The newest plan under which no packet waited longer than `promptNanos`.
  private var carriedPlan: LinkPlan
  /// The number of the newest probe burst (padding that is sent to measure the link) that the video pipeline was asked
  /// for.
  private var burstNumber: UInt32 = 0
  /// When the broadcast began: the controller's times count from here.
  private let startedAt: MediaTime
  /// The link's figures when `receiverLimitedShare` was last measured.
  private var previous = LinkFigures()
  /// When `receiverLimitedShare` was last measured; the distant past if never.
  private var previousAt = MediaTime.distantPast
  /// How much the server, not the link, slows the stream: the time in which the server's TCP receive window was full,
  /// divided by the time in which there was data to send (0 to 1). Measured anew every two seconds.
  private(set) var receiverLimitedShare = 0.0

  init(_ settings: Settings, startedAt: MediaTime) {
    controller = BitrateController(BitrateController.Limits(settings))
    carriedPlan = controller.plan
    asked = EncodingPlan(asked: settings)
    applied = asked
    self.startedAt = startedAt
  }

  /// What the rate controller has decided for the present state of the link.
  var plan: LinkPlan { controller.plan }
  /// The video bit rate in the settings, in kbit/s.
  var targetKbps: Int { controller.limits.targetKbps }

  /// Applies settings that a person has changed.
  mutating func change(_ settings: Settings, now: MediaTime) {
    let hasAudio = asked.audioKbps > 0
    asked = EncodingPlan(asked: settings)
    // If the settings turn audio on or off, this takes effect with the next broadcast.
    asked.audioKbps = hasAudio ? settings.audio.bitrateKbps : 0
    var limits = BitrateController.Limits(settings)
    limits.audioKbps = asked.audioKbps
    if limits != controller.limits {
      controller.change(limits, at: .nanoseconds(now - startedAt))
    }
  }

  /// Passes a measurement of the link to the rate controller, and applies the controller's new plan.
  /// - Parameter isHeld: whether measurements say nothing about the link, because the server has stopped reading or
  ///   this process was stopped for a moment. If so, the encoders use the last plan that the link carried without
  ///   delay.
  mutating func update(
    _ now: MediaTime, _ destination: any BroadcastDestination, isHeld: Bool, video: VideoPipeline,
    audio: AudioPipeline?
  ) {
    let figures = isHeld ? nil : destination.link
    if let figures { measureReceiver(figures, now) }
    var plan = controller.note(
      figures.map {
        LinkReading(
          $0, encodedBytes: UInt64(video.counters.bytes.count),
          audioBytes: UInt64(audio?.counters.bytes.count ?? 0), now: now)
      }, at: .nanoseconds(now - startedAt))
    if isHeld {
      plan = carriedPlan
    } else if let figures, now - (figures.oldestOfferedAt ?? now) < LinkFollower.promptNanos {
      carriedPlan = plan
    }
    let wanted = EncodingPlan(asked: asked, link: plan)
    if let figures {
      destination.setMaxInFlight(
        bytes: plan.maxInFlightBytes(
          audioKbps: wanted.audioKbps, roundTrip: .nanoseconds(figures.leastRoundTripNanos)),
        capacityKbps: plan.capacityKbps)
      destination.suspendVideo(plan.dropsVideo)
    }
    if plan.burst.number != burstNumber { video.fillNext(to: plan.burst.bytes) }
    burstNumber = plan.burst.number
    if wanted.audioKbps != applied.audioKbps { audio?.follow(bitrateKbps: wanted.audioKbps) }
    var videoWanted = wanted
    videoWanted.audioKbps = applied.audioKbps
    if videoWanted != applied { video.follow(wanted) }
    applied = wanted
  }
}

extension LinkFollower {
  /// Limits the bytes in flight of a broadcast without video, and applies a changed audio bit rate.
  mutating func updateAudioOnly(_ destination: any BroadcastDestination, audio: AudioPipeline?) {
    if asked.audioKbps != applied.audioKbps { audio?.follow(bitrateKbps: asked.audioKbps) }
    applied = asked
    guard let figures = destination.link else { return }
    destination.setMaxInFlight(
      bytes: LinkPlan.maxInFlightBytes(
        audioOnlyKbps: asked.audioKbps, roundTrip: .nanoseconds(figures.leastRoundTripNanos)),
      capacityKbps: nil)
  }

  /// Updates `receiverLimitedShare` every two seconds.
  private mutating func measureReceiver(_ figures: LinkFigures, _ now: MediaTime) {
    guard figures.connection != previous.connection || now - previousAt >= .seconds(2) else {
      return
    }
    if figures.connection == previous.connection {
      let busy = figures.busyNanos - previous.busyNanos
      receiverLimitedShare =
        busy > 0 ? Double(figures.heldBackNanos - previous.heldBackNanos) / Double(busy) : 0
    }
    previous = figures
    previousAt = now
  }
}

extension LinkReading {
  fileprivate init(
    _ figures: LinkFigures, encodedBytes: UInt64, audioBytes: UInt64, now: MediaTime
  ) {
    self.init(
      connection: figures.connection, encodedBytes: encodedBytes, audioBytes: audioBytes,
      arrivedBytes: figures.arrivedBytes,
      backlogBytes: figures.queuedBytes + figures.inFlightBytes,
      oldestAge: .nanoseconds(figures.oldestOfferedAt.map { now - $0 } ?? 0),
      roundTrip: .nanoseconds(figures.leastRoundTripNanos))
  }
}

extension BitrateController.Limits {
  public init(_ settings: Settings) {
    let (video, network) = (settings.video, settings.network)
    let (width, height) = (video.size.width, video.size.height)
    let target = video.targetKbps
    let minKbps = network.minKbps
    let isCustom = network.mode == .custom
    let defaultFloor = VideoLadder.floorKbps(
      width: width, height: height, targetKbps: target,
      allowsResize: network.dynamicResolution && network.mode != .fixed)
    // The bit rate at the start if no setting gives one: in the network mode `custom` it depends on the frame size, in
    // all other modes it is the target rate.
    let initial =
      isCustom
      ? VideoLadder.initialKbps(width: width, height: height, targetKbps: target) : target
    self.init(
      mode: network.mode,
      targetKbps: target,
      floorKbps: isCustom && minKbps > 0 ? minKbps : defaultFloor,
      initialKbps: isCustom && network.initialKbps > 0 ? network.initialKbps : initial,
      audioKbps: settings.audio.source == .none ? 0 : settings.audio.bitrateKbps,
      width: width, height: height,
      keyframeInterval: .milliseconds(Int64(video.gopSeconds * 1_000)),
      allowsResize: network.dynamicResolution,
      poorAfter: .milliseconds(Int64(network.poorAfterSeconds * 1_000)))
  }
}
