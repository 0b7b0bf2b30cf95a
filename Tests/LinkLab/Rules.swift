// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import RateControl

/// OnAir's rate controller and queue.
public struct OnAirRule: LinkRule {
  public var controller: BitrateController
  public private(set) var habits = QueueHabits()
  private let audioKbps: Int

  public init(_ limits: BitrateController.Limits) {
    controller = BitrateController(limits)
    audioKbps = limits.audioKbps
    habits.kernelShare = 0
    habits.kernelBytes = 16_384
    habits.mostSeconds = 1.7
    habits.asksForKey = true
    habits.staleSeconds = 1.7
  }

  public init(targetKbps: Int) {
    self.init(
      BitrateController.Limits(
        mode: .resolution, targetKbps: targetKbps,
        floorKbps: VideoLadder.floorKbps(width: 640, height: 360, targetKbps: targetKbps),
        initialKbps: targetKbps, audioKbps: 128, width: 640, height: 360,
        keyframeInterval: .seconds(2),
        allowsResize: false, poorAfter: .seconds(3)))
  }

  public mutating func tick(_ view: LinkView, at now: Double) -> Sending {
    let reading = LinkReading(
      connection: 1, encodedBytes: UInt64(view.encodedBytes), audioBytes: UInt64(view.audioBytes),
      arrivedBytes: UInt64(view.acknowledgedBytes),
      backlogBytes: Int(view.queueBytes + view.underWay),
      oldestAge: .seconds(view.oldestSeconds), roundTrip: .seconds(view.leastRoundTrip))
    let plan = controller.note(reading, at: .seconds(now))
    var sending = Sending(
      videoKbps: Double(plan.videoKbps),
      audioKbps: Double(plan.reducesAudio ? BitrateController.reducedAudioKbps : audioKbps))
    sending.frameStep = plan.frameStep
    sending.isStill = plan.link == .poor
    sending.dropsVideo = plan.dropsVideo
    sending.burst = (plan.burst.number, Double(plan.burst.bytes))
    sending.capacityKbps = plan.capacityKbps.map(Double.init)
    sending.maxInFlightBytes = Double(
      plan.maxInFlightBytes(
        audioKbps: Int(sending.audioKbps), roundTrip: .seconds(view.leastRoundTrip)))
    return sending
  }
}

/// ffmpeg: a constant bit rate, and a queue from which nothing is dropped.
public struct FixedRule: LinkRule {
  public let habits = QueueHabits()
  let target: Double
  public init(targetKbps: Double) { target = targetKbps }
  public func tick(_ view: LinkView, at now: Double) -> Sending {
    Sending(videoKbps: target, audioKbps: 128)
  }
}

/// OBS Studio's "dynamically change bitrate": when its packet queue grows it falls to the estimated throughput, and
/// it ramps up by a tenth of the target every 4 s.
public struct OBSRule: LinkRule {
  public let habits = QueueHabits()
  private let target: Double
  private var rate: Double
  private var sums: [(at: Double, bytes: Double)] = []
  private var changedAt = -10.0

  public init(targetKbps: Double) {
    target = targetKbps
    rate = targetKbps
  }

  public mutating func tick(_ view: LinkView, at now: Double) -> Sending {
    sums.append((now, view.handedBytes))
    if sums.count > 40 { sums.removeFirst() }
    let span = now - sums[0].at
    if view.queueSeconds >= 0.2, span > 0.5 {
      let estimate = (view.handedBytes - sums[0].bytes) * 0.008 / span
      if now - changedAt > 1 {
        rate = min(rate, max(50, estimate - 128))
        changedAt = now
      }
    } else if now - changedAt >= 4, rate < target {
      rate = min(target, rate + target / 10)
      changedAt = now
    }
    return Sending(videoKbps: rate, audioKbps: 128)
  }
}

/// belacoder: compares backlog and round-trip time with means scaled by the jitter. Late packets are dropped, as by
/// SRT.
public struct BelacoderRule: LinkRule {
  public private(set) var habits = QueueHabits()
  private let target: Double
  private var rate: Double
  private var meanTrip = 0.0
  private var jitter = 0.0
  private var meanWaiting = 0.0
  private var fellAt = -10.0
  private var roseAt = -10.0

  public init(targetKbps: Double) {
    target = targetKbps
    rate = targetKbps
    habits.kernelShare = 0
    habits.kernelBytes = 1_500
    habits.staleSeconds = 2
  }

  public mutating func tick(_ view: LinkView, at now: Double) -> Sending {
    let waiting = view.underWay + view.queueBytes
    meanTrip += 0.05 * (view.roundTrip - meanTrip)
    jitter = max(abs(view.roundTrip - meanTrip), jitter * 0.99)
    meanWaiting += 0.05 * (waiting - meanWaiting)
    let bound = view.leastRoundTrip + 4 * jitter + 0.015
    let isBad =
      view.roundTrip > meanTrip + bound || waiting > 3 * meanWaiting + rate * 125 * 0.1
    if view.queueSeconds > 1 {
      if now - fellAt > 0.25 { rate = max(300, rate / 2) }
      fellAt = now
    } else if isBad || view.roundTrip > 0.6 {
      if now - fellAt >= 0.25 {
        rate = max(300, rate - 100 - rate * 0.1)
        fellAt = now
      }
    } else if now - roseAt >= 0.5, now - fellAt >= 0.5 {
      rate = min(target, rate + 30 + rate * 0.033)
      roseAt = now
    }
    return Sending(videoKbps: min(rate, target), audioKbps: 128)
  }
}

/// Moblin over RTMP: by round-trip time and bytes in flight; down by a tenth, up by at most 100 kbit/s a tick.
public struct MoblinRule: LinkRule {
  public let habits = QueueHabits()
  private let target: Double
  private var rate: Double
  private var fast = 0.0
  private var slow = 0.0
  private var at = -1.0

  public init(targetKbps: Double) {
    target = targetKbps
    rate = targetKbps
  }

  public mutating func tick(_ view: LinkView, at now: Double) -> Sending {
    guard now - at >= 0.2 else { return Sending(videoKbps: rate, audioKbps: 128) }
    at = now
    let inFlight = view.underWay + view.queueBytes
    slow += 0.1 * (inFlight - slow)
    fast += (inFlight > fast ? 0.3 : 0.1) * (inFlight - fast)
    let most = max(rate * 125 * 0.25, 20_000)
    if fast > most || view.roundTrip > view.leastRoundTrip + 0.5 {
      rate = max(50, rate * 0.9)
    } else if fast < most / 2 {
      rate = min(target, rate + min(100, 100 * (1 - fast / most)))
    }
    return Sending(videoKbps: rate, audioKbps: 128)
  }
}

/// HaishinKit: down when the queue grew for three seconds in a row, up by a tenth after 16 s without growth.
public struct HaishinKitRule: LinkRule {
  public let habits = QueueHabits()
  private let target: Double
  private var rate: Double
  private var second = 0.0
  private var lastQueue = 0.0
  private var lastSent = 0.0
  private var grew = 0
  private var calm = 0
  private var falls = 0.0

  public init(targetKbps: Double) {
    target = targetKbps
    rate = targetKbps
  }

  public mutating func tick(_ view: LinkView, at now: Double) -> Sending {
    guard now - second >= 1 else { return Sending(videoKbps: rate, audioKbps: 128) }
    second = now
    let sent = view.handedBytes - lastSent
    lastSent = view.handedBytes
    grew = view.queueBytes > lastQueue + 1 ? grew + 1 : 0
    calm = view.queueBytes > lastQueue + 1 ? 0 : calm + 1
    lastQueue = view.queueBytes
    if grew >= 3 {
      falls += 1
      rate = max(50, min(rate, sent * 0.008 / (falls + 1)))
      grew = 0
    } else if calm >= 16 {
      rate = min(target, rate * 1.1)
      falls = 0
      calm = 0
    }
    return Sending(videoKbps: rate, audioKbps: 128)
  }
}

/// RootEncoder: down to 0.8 of the mean throughput when its queue of 400 frames is a fifth full, up by a fifth after
/// five good samples.
public struct RootEncoderRule: LinkRule {
  public private(set) var habits = QueueHabits()
  private let target: Double
  private var rate: Double
  private var second = 0.0
  private var lastSent = 0.0
  private var means: [Double] = []
  private var good = 0

  public init(targetKbps: Double) {
    target = targetKbps
    rate = targetKbps
    // 400 messages of video and audio.
    habits.mostSeconds = 5.5
  }

  public mutating func tick(_ view: LinkView, at now: Double) -> Sending {
    guard now - second >= 1 else { return Sending(videoKbps: rate, audioKbps: 128) }
    second = now
    means.append((view.handedBytes - lastSent) * 0.008)
    lastSent = view.handedBytes
    if means.count > 5 { means.removeFirst() }
    if view.queueMessages >= 80 {
      rate = max(50, min(rate, 0.8 * means.reduce(0, +) / Double(means.count) - 128))
      good = 0
    } else {
      good += 1
      if good >= 5 {
        rate = min(target, rate * 1.2)
        good = 0
      }
    }
    return Sending(videoKbps: rate, audioKbps: 128)
  }
}
