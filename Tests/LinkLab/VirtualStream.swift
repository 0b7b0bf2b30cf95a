// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import TestSupport

/// Video and audio, encoded as a rule decides and sent over a virtual link.
public struct VirtualStream {
  public static let framesPerSecond = 30.0
  static let stepsPerSecond = 200.0
  public static let ceiling = 2.0
  static let stillQuality = 0.4

  let trace: LinkTrace
  let target: Double
  let content: VirtualContent
  let keepsRecord: Bool

  /// - Parameter keepsRecord: fills `LinkScore.record`.
  public init(
    trace: LinkTrace, targetKbps: Double, content: VirtualContent = .mixed,
    keepsRecord: Bool = false
  ) {
    self.trace = trace
    target = targetKbps
    self.content = content
    self.keepsRecord = keepsRecord
  }

  /// Quality of 640x360 at a bit rate: approximates the SSIM that x264 reaches.
  static func quality(kbps: Double) -> Double { 1 - 0.35 / (1 + max(kbps, 1) / 120) }

  public func run(_ rule: inout some LinkRule, seed: UInt64) -> LinkScore {
    let trace = trace
    let habits = rule.habits
    let maxInFlight = trace.queueBytes + target * 125 * trace.roundTrip
    var link = VirtualLink(
      kbps: { trace.kbps(at: $0) }, queueBytes: trace.queueBytes, roundTrip: trace.roundTrip,
      kernelBytes: max(habits.kernelBytes, habits.kernelShare * maxInFlight))
    link.bucketBytes = trace.bucketBytes
    var noise = SplitMix64(seed: seed)
    var score = LinkScore()
    var viewer = Viewer()
    var queue: [VirtualMessage] = []
    var head = 0
    var queueBytes = 0.0
    var view = LinkView()
    view.leastRoundTrip = trace.roundTrip
    var sending = Sending(videoKbps: target, audioKbps: 128)
    var frames = 0
    var pictures = 0
    var sounds = 0
    var nextKeyAt = 0.0
    var debt = 0.0
    var isDropping = false
    var wantsKey = false
    var activity = 1.0
    var activityUntil = 0.0
    var carriedBytes = 0.0
    var couldBytes = 0.0
    var lastArrived = 0.0
    var room = 0.0
    var filledBurst: UInt32 = 0
    var fillerBytes = 0.0
    let dt = 1 / VirtualStream.stepsPerSecond

    func append(_ message: VirtualMessage) {
      var message = message
      if message.kind != .sound {
        pictures += 1
        message.number = pictures
        if sending.burst.number != filledBurst {
          filledBurst = sending.burst.number
          fillerBytes += max(0, sending.burst.bytes - message.bytes)
          message.bytes = max(message.bytes, sending.burst.bytes)
        }
      }
      queue.append(message)
      queueBytes += message.bytes
    }

    let steps = Int(trace.seconds * VirtualStream.stepsPerSecond)
    for step in 0..<steps {
      let now = Double(step) * dt

      // The camera and the encoder.
      while Double(frames) / VirtualStream.framesPerSecond <= now {
        let capturedAt = Double(frames) / VirtualStream.framesPerSecond
        defer { frames += 1 }
        if capturedAt >= activityUntil {
          activity = content.activity(&noise)
          activityUntil = capturedAt + noise.uniform(4...20)
        }
        if sending.isStill {
          guard frames % 6 == 0 else { continue }
          let isKey = capturedAt >= nextKeyAt
          if isKey { nextKeyAt = capturedAt + 4 }
          let bytes = isKey ? 11_000.0 : 120
          view.encodedBytes += bytes
          append(
            VirtualMessage(
              kind: isKey ? .key : .picture, capturedAt: capturedAt, bytes: bytes,
              quality: VirtualStream.stillQuality))
          isDropping = false
          continue
        }
        guard frames % sending.frameStep == 0 else { continue }
        let budget =
          sending.videoKbps * 125 / VirtualStream.framesPerSecond * Double(sending.frameStep)
        let age = head < queue.count ? now - queue[head].capturedAt : 0
        if age > habits.mostSeconds || sending.dropsVideo { isDropping = true }
        if isDropping {
          let mayResume =
            habits.asksForKey ? head == queue.count && link.hasRoom : capturedAt >= nextKeyAt
          if mayResume, age <= habits.mostSeconds, !sending.dropsVideo {
            wantsKey = true
            isDropping = false
          } else {
            if capturedAt >= nextKeyAt { nextKeyAt = capturedAt + 2 }
            view.encodedBytes += budget * activity
            continue
          }
        }
        let isKey = wantsKey || capturedAt >= nextKeyAt
        if isKey { nextKeyAt = capturedAt + 2 }
        wantsKey = false
        let variety = max(0.4, 1 + content.variety * noise.normal())
        let wanted =
          isKey
          ? min(content.keyframeSize * budget * max(activity, 0.6), sending.videoKbps * 125 * 0.5)
          : max(0.1 * budget, (budget - debt / 20) * activity * variety)
        debt = max(0, debt + wanted - budget)
        view.encodedBytes += wanted
        append(
          VirtualMessage(
            kind: isKey ? .key : .picture, capturedAt: capturedAt, bytes: wanted + 20,
            quality: VirtualStream.quality(
              kbps: sending.videoKbps * Double(sending.frameStep) / activity)))
      }
      // Audio: 43 packets a second.
      while Double(sounds) * 1_024 / 44_100 <= now {
        view.audioBytes += sending.audioKbps * 125 * 1_024 / 44_100
        append(
          VirtualMessage(
            kind: .sound, capturedAt: Double(sounds) * 1_024 / 44_100,
            bytes: sending.audioKbps * 125 * 1_024 / 44_100 + 12, quality: 0))
        sounds += 1
      }

      // The program's queue, the kernel, the link.
      while head < queue.count, link.hasRoom {
        let message = queue[head]
        let most = sending.maxInFlightBytes
        guard link.underWay <= most * 0.5 || link.underWay + message.bytes <= most else { break }
        head += 1
        queueBytes -= message.bytes
        let ahead =
          sending.capacityKbps.map { (link.underWay + message.bytes) / ($0 * 125) } ?? 0
        if now - message.capturedAt > min(habits.staleSeconds, VirtualStream.ceiling - ahead) {
          if message.kind != .sound { isDropping = true }
          continue
        }
        // The rest of the frames up to the next keyframe.
        if isDropping, habits.asksForKey, message.kind != .sound { continue }
        view.handedBytes += message.bytes
        link.hand(message)
      }
      if head == queue.count {
        queue.removeAll(keepingCapacity: true)
        head = 0
      }
      link.step(to: now, by: dt) { viewer.take($0) }

      // The viewers.
      let rate = trace.kbps(at: now)
      couldBytes += min(rate, target + 128) * 125 * dt
      carriedBytes += min(link.arrived - lastArrived, rate * 125 * dt)
      lastArrived = link.arrived
      // For how long the link could have carried a still and audio.
      room = rate < 80 ? 0 : room + dt
      if step % 20 == 0 {
        let behind = now + trace.roundTrip / 2 - viewer.newest
        if room > VirtualStream.ceiling + 1 {
          if behind > VirtualStream.ceiling { score.secondsBehind += 20 * dt }
          score.mostBehind = max(score.mostBehind, behind)
        }
        if sending.isStill { score.stillSeconds += 20 * dt }
        if keepsRecord {
          score.record.append((behind, link.arrived, sending.videoKbps, sending.isStill))
        }
      }

      if step % 10 == 0 {
        view.queueSeconds = head < queue.count ? now - queue[head].capturedAt : 0
        view.queueBytes = queueBytes
        view.queueMessages = queue.count - head
        view.acknowledgedBytes = link.acknowledged
        view.underWay = link.underWay
        view.oldestSeconds =
          now - (link.oldest ?? (head < queue.count ? queue[head].capturedAt : now))
        view.roundTrip =
          trace.roundTrip + (link.entered - link.arrived) / max(1_000, rate * 125)
        let wanted = rule.tick(view, at: now)
        if wanted.isStill != sending.isStill {
          score.switches += 1
          // The still replaces everything in the queue.
          if wanted.isStill {
            queue.removeAll(keepingCapacity: true)
            head = 0
            queueBytes = 0
          }
          nextKeyAt = now
          debt = 0
        }
        sending = wanted
      }
    }
    score.quality = viewer.quality(seconds: trace.seconds)
    score.used = carriedBytes / couldBytes
    score.fillerShare = fillerBytes / max(1, view.handedBytes)
    return score
  }
}
