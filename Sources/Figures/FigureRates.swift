// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Audio
internal import Base
internal import Publish
package import Studio

// Derives figures from counters. Reads no clock and does no I/O: the time is part of the readings.

extension Figures {
  /// Derives the figures of a reading.
  /// - Parameter before: the previous reading, from which rates are computed; `nil` at the first reading, which has no
  ///   rates.
  init(_ reading: FigureReading, since before: FigureReading?) {
    time = WallClock.text(reading.wallClock)
    machine = Machine(reading.machine, since: before?.machine)
    let seconds = before.map { Double(reading.at - $0.at) / 1e9 }
    video = Video(
      reading.studio.video, reading.encoderSettings, since: before?.studio.video, seconds: seconds)
    audio = Audio(
      reading.studio, reading.encoderSettings, since: before?.studio.audio, seconds: seconds)
    destinations = reading.destinations.map { destination in
      // A destination that is missing in the previous reading had sent nothing until then: its totals were 0.
      let totals = before.map { before in
        before.destinations.first { $0.name == destination.name }?.totals ?? DestinationTotals()
      }
      return Destination(destination, since: totals, seconds: seconds)
    }
    start = reading.start.map(Start.init)
  }
}

extension Figures.Machine {
  fileprivate init(_ reading: MachineReading, since before: MachineReading?) {
    if let now = reading.ticks, let then = before?.ticks, now.total > then.total {
      let total = Double(now.total - then.total)
      // Limit the result to 0 to 100: the idle time of a core that is switched off may decrease.
      cpuPercent = (min(100, 100 * Double(now.busy &- min(now.busy, then.busy)) / total)).to(1)
      if let own = reading.ownTicks, let ownBefore = before?.ownTicks {
        ownCpuPercent = min(100, 100 * Double(own &- min(own, ownBefore)) / total).to(1)
      }
    }
    memoryMb = reading.residentBytes.map { (Double($0) / 1e6).to(1) }
    memoryFreeMb = reading.availableBytes.map { (Double($0) / 1e6).to(1) }
    temperatureC = reading.processor.temperatureCelsius?.to(1)
    clockPercent = reading.processor.allowedClockShare.map { (100 * $0).to(1) }
    throttled = reading.processor.isThrottled
    underVoltage = reading.processor.isUnderVoltage
    uptimeSeconds = reading.uptimeSeconds
  }
}

extension Figures.Video {
  fileprivate init?(
    _ video: StudioFigures.Video, _ asked: FigureReading.EncoderSettings?,
    since before: StudioFigures.Video?, seconds: Double?
  ) {
    guard let present = video.present else { return nil }
    captured = video.captured
    encoded = video.encoded
    repeated = video.repeated
    droppedLate = video.droppedLate
    droppedSurplus = video.droppedSurplus
    unreadable = video.unreadable
    targetKbps = present.targetKbps
    width = present.width
    height = present.height
    queue = present.queued
    speedLevel = present.speedLevel?.to(2)
    (encoder, encoderMode) = ("x264", "software")
    speed = asked?.speed
    targetFps = asked?.fps
    gopSeconds = asked?.gopSeconds
    encodeSeconds = (Double(video.encodeNanos) / 1e9).to(2)
    largestPacketBytes = present.largestPacket
    guard let before, let seconds, seconds > 0 else { return }
    let frames = video.encoded - before.encoded
    fps = (Double(frames) / seconds).to(1)
    kbps = (Double(video.bytes - before.bytes) / 125 / seconds).to(1)
    guard frames > 0 else { return }
    encodeMs = (Double(video.encodeNanos - before.encodeNanos) / Double(frames) / 1e6).to(2)
    encodeMsMax = (Double(present.longestEncodeNanos) / 1e6).to(2)
    delayMsMax = (Double(present.longestDelayNanos) / 1e6).to(2)
  }
}

extension Figures.Audio {
  fileprivate init?(
    _ studio: StudioFigures, _ asked: FigureReading.EncoderSettings?,
    since before: StudioFigures.Audio?, seconds: Double?
  ) {
    guard let present = studio.audio.present else { return nil }
    packets = studio.audio.packets
    dropped = studio.audio.dropped
    lateFrames = studio.audio.lateFrames
    driftPpm = present.driftPPM?.to(2)
    encoder = "aac"
    targetKbps = asked?.audioKbps
    channels = asked?.audioChannels
    largestPacketBytes = present.largestPacket
    videoLeadMs = studio.videoLeadNanos.map { (Double($0) / 1e6).to(1) }
    guard let before, let seconds, seconds > 0 else { return }
    kbps = (Double(studio.audio.bytes - before.bytes) / 125 / seconds).to(1)
  }
}

extension Figures.Destination {
  fileprivate init(
    _ destination: FigureReading.Destination, since before: DestinationTotals?, seconds: Double?
  ) {
    let totals = destination.totals
    name = destination.name
    sentFrames = totals.frames
    sentBytes = totals.bytes
    dropped = totals.dropped
    connections = totals.connections
    reconnects = totals.reconnects
    outageSeconds = (Double(totals.outageNanos) / 1e9).to(1)
    guard let present = destination.present else { return }
    func milliseconds(_ nanos: Int64?) -> Double? { nanos.map { (Double($0) / 1e6).to(1) } }
    queuePackets = present.queuedPackets
    queueBytes = present.queuedBytes
    queueVideoPtsMs = milliseconds(present.queuedVideoUpTo)
    queueAudioPtsMs = milliseconds(present.queuedAudioUpTo)
    queueMs = milliseconds(present.queueNanos)
    captureToSentMs = milliseconds(present.sentAfterNanos)
    captureToAcknowledgedMs = milliseconds(present.acknowledgedAfterNanos)
    roundTripMs = milliseconds(present.roundTripNanos)
    guard let before, let seconds, seconds > 0 else { return }
    func kbps(_ now: UInt64, _ then: UInt64) -> Double {
      (Double(now &- min(now, then)) / 125 / seconds).to(1)
    }
    sentKbps = kbps(totals.bytes, before.bytes)
    sentVideoKbps = kbps(totals.videoBytes, before.videoBytes)
    sentAudioKbps = kbps(totals.audioBytes, before.audioBytes)
  }
}

extension Figures.Start {
  fileprivate init(_ start: BroadcastStart) {
    func milliseconds(_ nanos: Int64?) -> Int? { nanos.map { Int($0 / 1_000_000) } }
    devicesMs = milliseconds(start.devices)
    connectedMs = milliseconds(start.connected)
    firstFrameMs = milliseconds(start.firstFrame)
    deliveredMs = milliseconds(start.delivered)
  }
}

extension Levels {
  package init(_ levels: AudioLevels) {
    peakDb = levels.peakDB.to(1)
    rmsDb = levels.rmsDB.to(1)
    clipped = levels.isClipped
  }
}

extension LoudnessLevels {
  package init(_ loudness: Loudness) {
    momentaryLufs = loudness.momentary.to(1)
    shortTermLufs = loudness.shortTerm.to(1)
    integratedLufs = loudness.integrated?.to(1)
    rangeLu = loudness.range?.to(1)
    truePeakDbtp = loudness.truePeakDB.to(1)
  }

  /// Decibels as the API writes them.
  package static func rounded(_ decibels: Double) -> Double { decibels.to(1) }
}

extension Double {
  /// The number rounded to `decimals` decimals, 1 or 2.
  fileprivate func to(_ decimals: Int) -> Double {
    let factor: Double = decimals == 1 ? 10 : 100
    return (self * factor).rounded() / factor
  }
}
