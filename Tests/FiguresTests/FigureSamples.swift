// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Audio
import Base

@testable import Figures
@testable import Publish
@testable import Studio

/// Readings with known values, one second apart.
enum FigureSamples {
  static let start = MediaTime(nanos: .seconds(1_000))
  /// 2026-01-31T12:00:00.000Z.
  static let wallClock: Int64 = 1_769_860_800_000

  /// - Parameter second: the rates are the same in each second.
  static func reading(_ second: Int) -> FigureReading {
    var reading = FigureReading(
      at: start + .seconds(Int64(second)), wallClock: wallClock + Int64(second) * 1_000)
    reading.startedAt = wallClock - 60_000
    reading.machine = machine(second)
    reading.studio = studio(second)
    reading.encoderSettings = FigureReading.EncoderSettings(
      fps: 30, gopSeconds: 2, speed: "auto", audioKbps: 128, audioChannels: 2)
    reading.destinations = [main(second)]
    reading.start = broadcastStart
    reading.sound = sound
    return reading
  }

  static let sound: FigureReading.Sound = {
    var loudness = Loudness()
    (loudness.momentary, loudness.shortTerm, loudness.integrated) = (-15.26, -16.04, -16.5)
    (loudness.range, loudness.truePeakDB) = (4.25, -1.04)
    var level = AudioLevels()
    (level.peakDB, level.rmsDB) = (-6.02, -20)
    return FigureReading.Sound(
      loudness: LoudnessLevels(loudness), levels: ["main": Levels(level)],
      alarms: ["main": [.clipping]])
  }()

  static func machine(_ second: Int) -> MachineReading {
    let second = UInt64(second)
    // Two cores, of which 70 of 200 ticks are busy; 31 of them with OnAir.
    return MachineReading(
      ticks: .init(total: 10_000 + second * 200, busy: 4_000 + second * 70),
      ownTicks: 500 + second * 31, ticksPerSecond: 100, residentBytes: 76_543_210,
      availableBytes: 1_200_000_000, processor: processor, uptimeSeconds: 3_600 + Int(second))
  }

  /// A person has set a limit.
  static let processor = ProcessorHealth(
    temperatureCelsius: 61.25, headroomCelsius: 23.75, allowedClockShare: 0.75,
    isUnderVoltage: false, firmwareFlags: [])

  static func studio(_ second: Int) -> StudioFigures {
    var studio = StudioFigures()
    studio.video.captured = 100 + second * 31
    studio.video.encoded = 90 + second * 30
    studio.video.repeated = 4
    studio.video.unreadable = 1
    studio.video.droppedLate = 2 + second
    studio.video.droppedSurplus = 3
    studio.video.bytes = 1_000_000 + second * 250_000
    studio.video.encodeNanos = .milliseconds(900) + Int64(second) * .milliseconds(240)
    studio.video.present = StudioFigures.PresentVideo(
      width: 1_280, height: 720, targetKbps: 2_000, queued: 1,
      longestEncodeNanos: .milliseconds(21), longestDelayNanos: .milliseconds(34))
    studio.video.present?.largestPacket = 43_000
    studio.audio.packets = 150 + second * 47
    studio.audio.bytes = 50_000 + second * 16_000
    studio.audio.dropped = 5
    studio.audio.lateFrames = 480
    studio.audio.present = StudioFigures.PresentAudio(driftPPM: 12.3456)
    studio.audio.present?.largestPacket = 390
    studio.videoLeadNanos = -.milliseconds(35)
    return studio
  }

  static func main(_ second: Int) -> FigureReading.Destination {
    var main = FigureReading.Destination(name: "main")
    var counters = DestinationCounters()
    counters.state = .delivering
    counters.framesSent = UInt64(80 + second * 29)
    counters.videoBytesSent = UInt64(900_000 + second * 240_000)
    counters.audioBytesSent = UInt64(45_000 + second * 15_000)
    counters.bytesSent = counters.videoBytesSent + counters.audioBytesSent + 700
    counters.dropped = UInt64(7 + second * 2)
    counters.connections = 3
    counters.reconnects = 2
    counters.failures = 4
    counters.outageNanos = .milliseconds(12_340)
    counters.queuedPackets = 6
    counters.queuedBytes = 43_210
    counters.queuedVideoUpTo = .milliseconds(61_033)
    counters.queuedAudioUpTo = .milliseconds(61_012)
    counters.queueNanos = .milliseconds(75)
    counters.sentAfterNanos = .milliseconds(90)
    counters.acknowledgedAfterNanos = .milliseconds(131)
    counters.roundTripNanos = 23_456_000
    main.totals.add(counters)
    main.present = counters
    return main
  }

  static var broadcastStart: BroadcastStart {
    var start = BroadcastStart()
    start.devices = 0
    start.connected = .milliseconds(210)
    start.firstFrame = .milliseconds(480)
    return start
  }
}
