// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import Figures
@testable import Publish
@testable import Studio

@Suite struct FiguresTests {
  @Test func ratesAreThoseOfTheSecond() throws {
    let figures = Figures(FigureSamples.reading(7), since: FigureSamples.reading(6))
    #expect(figures.time == "2026-01-31T12:00:07.000Z")
    #expect(figures.machine.cpuPercent == 35)
    #expect(figures.machine.ownCpuPercent == 15.5)
    #expect(figures.machine.memoryMb == 76.5 && figures.machine.memoryFreeMb == 1_200)
    #expect(figures.machine.temperatureC == 61.3 && figures.machine.uptimeSeconds == 3_607)
    let video = try #require(figures.video)
    #expect(video.fps == 30 && video.kbps == 2_000 && video.targetKbps == 2_000)
    #expect(video.encodeMs == 8 && video.encodeMsMax == 21)
    #expect(video.captured == 317 && video.encoded == 300 && video.queue == 1)
    let audio = try #require(figures.audio)
    #expect(audio.kbps == 128 && audio.driftPpm == 12.35 && audio.videoLeadMs == -35)
    let main = try #require(figures.destinations.first)
    #expect(main.sentKbps == 2_040 && main.sentVideoKbps == 1_920 && main.sentAudioKbps == 120)
    #expect(main.captureToSentMs == 90 && main.captureToAcknowledgedMs == 131)
    #expect(main.roundTripMs == 23.5 && main.outageSeconds == 12.3)
    #expect(figures.start == Figures.Start(devicesMs: 0, connectedMs: 210, firstFrameMs: 480))
  }

  /// The thread that measures was held up: the rates are still those of a second.
  @Test func aLateReadingHasTheSameRates() {
    let figures = Figures(FigureSamples.reading(9), since: FigureSamples.reading(5))
    #expect(figures.video?.fps == 30 && figures.machine.cpuPercent == 35)
    #expect(figures.destinations[0].sentKbps == 2_040)
  }

  @Test func theFirstReadingHasNoRates() {
    let figures = Figures(FigureSamples.reading(0), since: nil)
    #expect(figures.machine.cpuPercent == nil && figures.machine.memoryMb == 76.5)
    #expect(figures.video?.fps == nil && figures.video?.encodeMs == nil)
    #expect(figures.destinations[0].sentKbps == nil && figures.destinations[0].sentFrames == 80)
  }

  @Test func offAirThereIsTheMachineAlone() {
    var reading = FigureReading(at: FigureSamples.start, wallClock: FigureSamples.wallClock)
    reading.machine.uptimeSeconds = 9
    #expect(
      String(decoding: JSON.encode(Figures(reading, since: nil)), as: UTF8.self)
        == #"{"destinations":[],"machine":{"uptime_seconds":9},"time":"2026-01-31T12:00:00.000Z"}"#)
  }

  @Test func theNamesAreAContract() {
    let figures = Figures(FigureSamples.reading(7), since: FigureSamples.reading(6))
    #expect(
      String(decoding: JSON.encode(figures), as: UTF8.self)
        == #"{"audio":{"channels":2,"drift_ppm":12.35,"dropped":5,"encoder":"aac","kbps":128,"#
        + #""largest_packet_bytes":390,"late_frames":480,"packets":479,"target_kbps":128,"#
        + #""video_lead_ms":-35},"destinations":[{"capture_to_acknowledged_ms":131,"#
        + #""capture_to_sent_ms":90,"connections":3,"dropped":21,"name":"main","#
        + #""outage_seconds":12.3,"queue_audio_pts_ms":61012,"queue_bytes":43210,"queue_ms":75,"queue_packets":6,"#
        + #""queue_video_pts_ms":61033,"#
        + #""reconnects":2,"round_trip_ms":23.5,"sent_audio_kbps":120,"sent_bytes":2730700,"#
        + #""sent_frames":283,"sent_kbps":2040,"sent_video_kbps":1920}],"machine":{"#
        + #""clock_percent":75,"cpu_percent":35,"memory_free_mb":1200,"memory_mb":76.5,"own_cpu_percent":15.5,"#
        + #""temperature_c":61.3,"throttled":false,"under_voltage":false,"uptime_seconds":3607},"#
        + #""start":{"connected_ms":210,"devices_ms":0,"first_frame_ms":480},"time":"2026-01-31T12:00:07.000Z","video":{"#
        + #""captured":317,"delay_ms_max":34,"dropped_late":9,"dropped_surplus":3,"encode_ms":8,"#
        + #""encode_ms_max":21,"encode_seconds":2.58,"encoded":300,"encoder":"x264","#
        + #""encoder_mode":"software","fps":30,"gop_seconds":2,"height":720,"kbps":2000,"#
        + #""largest_packet_bytes":43000,"queue":1,"repeated":4,"speed":"auto","target_fps":30,"#
        + #""target_kbps":2000,"unreadable":1,"width":1280}}"#)
    let levels = Levels(AudioLevels())
    #expect(
      String(decoding: JSON.encode(levels), as: UTF8.self)
        == #"{"clipped":false,"peak_db":-100,"rms_db":-100}"#)
  }

  /// After a broadcast its totals stay, and the next one adds to them.
  @Test func totalsOutliveABroadcast() throws {
    let log = FigureLog()
    let target = try RTMPTarget(host: "127.0.0.1", app: "live", streamKey: "k")
    func destination(_ bytes: UInt64) -> DestinationFigures {
      var counters = DestinationCounters()
      counters.bytesSent = bytes
      counters.framesSent = 10
      return DestinationFigures(
        name: "main", target: .rtmp(target), counters: counters, trouble: nil, thinning: .whole)
    }
    #expect(log.totals([]).isEmpty)
    #expect(log.totals([destination(500)]).map(\.totals.bytes) == [500])
    log.addToTotals([destination(700)])
    let off = log.totals([])
    #expect(off.map(\.totals.bytes) == [700] && off[0].present == nil)
    let again = log.totals([destination(20)])
    #expect(again.map(\.totals.bytes) == [720] && again[0].totals.frames == 20)
    #expect(again[0].present?.bytesSent == 20)

    var reading = FigureReading(at: FigureSamples.start, wallClock: 0)
    reading.destinations = off
    log.add(reading, isOnAir: true)
    reading.at = reading.at + .seconds(1)
    reading.destinations = again
    log.add(reading, isOnAir: true)
    #expect(log.figures?.destinations.map(\.sentKbps) == [0.2])
  }

  /// Packets are larger when somebody speaks or moves: off air, no figure tells how large they are.
  @Test func offAirNobodySeesThatSomebodySpeaks() {
    let log = FigureLog()
    var reading = FigureSamples.reading(5)
    var metrics: Set<String> = []
    for second in 6...12 {
      let isLoud = second % 2 == 0
      let (video, audio) = (reading.studio.video.bytes, reading.studio.audio.bytes)
      reading = FigureSamples.reading(second)
      reading.studio.video.bytes = video + (isLoud ? 90_000 : 400)
      reading.studio.audio.bytes = audio + (isLoud ? 16_000 : 300)
      reading.studio.video.present?.largestPacket = isLoud ? 9_000 : 20
      log.add(reading, isOnAir: false)
      let figures = log.figures
      #expect(figures?.audio?.largestPacketBytes == 0 && figures?.video?.largestPacketBytes == 0)
      if second > 6 { #expect(figures?.audio?.kbps == 0 && figures?.video?.kbps == 0) }
      let lines = MetricsText.of(log.reading).split(separator: "\n")
      metrics.formUnion(
        lines.filter { $0.contains("encoded_bytes_total{") || $0.contains("encoded_bytes_total ") }
          .map(String.init))
    }
    #expect(Set(metrics.filter { !$0.hasPrefix("#") }).count == 2, "\(metrics)")
    // On air they go on from there.
    let hidden = log.reading?.studio.audio.bytes
    reading.at = reading.at + .seconds(1)
    reading.studio.audio.bytes += 16_000
    log.add(reading, isOnAir: true)
    #expect(log.reading?.studio.audio.bytes == hidden.map { $0 + 16_000 })
    #expect(log.figures?.audio?.kbps == 128)
  }
}
