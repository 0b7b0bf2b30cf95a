// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Director
internal import Media
internal import Publish
internal import Settings

/// Has what is encoded follow what the link to the first destination carries. Used under a lock.
struct LinkFollower {
  private var controller: BitrateController
  /// What the encoders were last told.
  private var told: LinkPlan?
  private let audioKbps: Int
  private let startedAt: MediaTime
  /// TCP's sums a while ago, and what has become of them since.
  private var old = LinkFigures()
  private var oldAt = MediaTime.distantPast
  /// The share of the time with something to send in which the server's machine took nothing, lately.
  private(set) var receiverLimitedShare = 0.0

  init(_ settings: Settings, startedAt: MediaTime) {
    controller = BitrateController(BitrateController.Limits(settings))
    audioKbps = settings.audio.source == .none ? 0 : settings.audio.bitrateKbps
    self.startedAt = startedAt
  }

  var plan: LinkPlan { controller.plan }
  var targetKbps: Int { controller.limits.targetKbps }

  /// A person wants other rates, from now on.
  mutating func change(_ limits: BitrateController.Limits) {
    guard limits != controller.limits else { return }
    controller.change(limits, at: .nanoseconds(MediaTime.now() - startedAt))
  }

  /// Looks at the link, and does what follows from it.
  mutating func look(
    _ now: MediaTime, _ destination: Destination, video: VideoLine, sound: SoundLine?
  ) {
    let figures = destination.link
    if let figures { weigh(figures, now) }
    let before = told
    let plan = controller.note(
      figures.map {
        LinkReading(
          $0, encodedBytes: UInt64(video.counters.bytes.count),
          audioBytes: UInt64(sound?.counters.bytes.count ?? 0), now: now)
      }, at: .nanoseconds(now - startedAt))
    let sent = plan.reducesAudio ? min(audioKbps, BitrateController.reducedAudioKbps) : audioKbps
    if let figures {
      destination.setMaxInFlight(
        bytes: plan.maxInFlightBytes(
          audioKbps: sent, roundTrip: .nanoseconds(figures.leastRoundTripNanos)),
        capacityKbps: plan.capacityKbps)
      destination.dropVideo(plan.dropsVideo)
    }
    told = plan
    if plan.videoKbps != before?.videoKbps || plan.frameStep != before?.frameStep
      || plan.rung != before?.rung
    {
      video.follow(
        VideoRate(
          bitrateKbps: plan.videoKbps, frameStep: plan.frameStep,
          size: plan.rung.map { controller.limits.size($0) }))
    }
    if plan.reducesAudio != before?.reducesAudio ?? false { sound?.follow(bitrateKbps: sent) }
  }
}

extension BitrateController.Limits {
  /// The picture as set, with about as many pixels as a rung has.
  fileprivate func size(_ rung: VideoLadder.Rung) -> PictureSize {
    let scale =
      (Double(rung.width * rung.height) / Double(width * height)).squareRoot()
    func even(_ side: Int) -> Int { max(2, Int((Double(side) * scale / 2).rounded()) * 2) }
    return PictureSize(width: even(width), height: even(height))
  }
}

extension LinkFollower {
  /// Bounds what the kernel has in hand of sound alone.
  func bound(_ destination: Destination) {
    guard let figures = destination.link else { return }
    destination.setMaxInFlight(
      bytes: LinkPlan.maxInFlightBytes(
        audioOnlyKbps: audioKbps, roundTrip: .nanoseconds(figures.leastRoundTripNanos)),
      capacityKbps: nil)
  }

  private mutating func weigh(_ figures: LinkFigures, _ now: MediaTime) {
    guard figures.connection != old.connection || now - oldAt >= .seconds(2) else { return }
    if figures.connection == old.connection {
      let busy = figures.busyNanos - old.busyNanos
      receiverLimitedShare =
        busy > 0 ? Double(figures.heldBackNanos - old.heldBackNanos) / Double(busy) : 0
    }
    old = figures
    oldAt = now
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
  /// - Parameter rates: where the target and the least are taken from; they alone may change while the program runs.
  init(_ settings: Settings, rates: Settings? = nil) {
    let (video, network) = (settings.video, settings.network)
    let (width, height) = (video.size.width, video.size.height)
    let target = (rates ?? settings).video.bitrateKbps
    let minKbps = (rates ?? settings).network.minKbps
    let isCustom = network.mode == .custom
    let least = VideoLadder.floorKbps(
      width: width, height: height, targetKbps: target,
      allowsResize: network.dynamicResolution && network.mode != .fixed)
    // Without a word about it the picture begins as good as it is meant to be.
    let initial =
      isCustom
      ? VideoLadder.initialKbps(width: width, height: height, targetKbps: target) : target
    self.init(
      mode: network.mode,
      targetKbps: target,
      floorKbps: isCustom && minKbps > 0 ? minKbps : least,
      initialKbps: isCustom && network.initialKbps > 0 ? network.initialKbps : initial,
      audioKbps: settings.audio.source == .none ? 0 : settings.audio.bitrateKbps,
      width: width, height: height,
      keyframeInterval: .milliseconds(Int64(video.gopSeconds * 1_000)),
      allowsResize: network.dynamicResolution,
      poorAfter: .milliseconds(Int64(network.poorAfterSeconds * 1_000)))
  }
}
