// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import FakeServer
import TestSupport
import Testing

@testable import Director
@testable import Publish
@testable import Studio

@Suite struct MeasuringTests {
  @Test func durationsAreSummedAndTheLongestIsTaken() {
    let meter = DurationMeter()
    for nanos in [3, 9, 4] as [Int64] { meter.add(nanos) }
    let first = (meter.nanos, meter.takeLongest())
    #expect(first == (16, 9))
    meter.add(2)
    let second = (meter.nanos, meter.takeLongest(), meter.takeLongest())
    #expect(second == (18, 2, 0))
  }

  @Test func theFormatChangesAsAWhole() {
    let format = PresentFormat(PictureSize(width: 1_920, height: 1_080), bitrateKbps: 4_500)
    let before = (format.size, format.bitrateKbps)
    format.set(PictureSize(width: 640, height: 360))
    format.set(bitrateKbps: 800)
    let after = (format.size, format.bitrateKbps)
    #expect(before.0 == (1_920, 1_080) && before.1 == 4_500)
    #expect(after.0 == (640, 360) && after.1 == 800)
  }

  /// After "auto" a fixed speed has no level.
  @Test func aFixedSpeedHasNoLevel() {
    let format = PresentFormat(PictureSize(width: 160, height: 90), bitrateKbps: 500)
    let first = format.level
    format.set(level: 2.25)
    let second = format.level
    format.set(level: nil)
    let third = format.level
    #expect([first, second, third] == [nil, 2.25, nil])
  }

  @Test func theFirstBeatIsRemembered() {
    let pulse = Pulse()
    let before = pulse.firstBeat
    pulse.beat(MediaTime(nanos: 5))
    pulse.forget()
    pulse.beat(MediaTime(nanos: 9))
    let after = pulse.firstBeat
    #expect(before == nil && after == MediaTime(nanos: 5))
  }

  /// Two broadcasts one after the other: the studio's counts go on.
  @Test func countsAreThoseSinceTheStartOfTheProgram() throws {
    let server = try FakeServer.reading()
    defer { server.end() }
    let settings = try StudioTests.settings()
    let studio = Studio(settings: settings) { _ in }
    #expect(studio.figures() == StudioFigures())
    let target = try RTMPTarget(
      transport: .plain, host: "127.0.0.1", port: server.port, app: "live", streamKey: "key")
    var reader = LevelReader()
    var last = StudioFigures()
    for _ in 0..<2 {
      let broadcast = Broadcast(
        studio: studio, settings: settings, main: BroadcastTarget(target: target), encoder: "test"
      ) { _ in }
      #expect(broadcast.startTimes == BroadcastStart())
      studio.present(Plan(video: .camera, audio: .microphone, lamp: .starting))
      broadcast.start()
      let encodedBefore = last.video.encoded
      #expect(
        eventually {
          broadcast.supervise(.now())
          studio.supervise(.now())
          return broadcast.startTimes.delivered != nil
            && studio.figures().video.encoded > encodedBefore + 30
        })
      last = studio.figures()
      let size = settings.video.size
      #expect(last.video.present?.width == size.width && last.video.present?.height == size.height)
      #expect(last.video.present?.targetKbps == settings.video.targetKbps)
      #expect(last.video.captured >= last.video.encoded - last.video.repeated - 1)
      #expect(last.video.encodeNanos > 0 && last.video.bytes > 0)
      #expect(last.audio.packets > 0 && last.audio.bytes > 0 && last.audio.present != nil)
      #expect(last.videoLeadNanos != nil)
      #expect(studio.levels(&reader) != nil)

      let start = broadcast.startTimes
      let steps = [start.connected, start.firstFrame, start.delivered].compactMap { $0 }
      #expect(steps.count == 3 && steps == steps.sorted() && steps[0] > 0)
      #expect(try #require(start.devices) > 0)
      let sent = broadcast.destinationFigures[0].counters
      #expect(sent.framesSent > 0 && sent.videoBytesSent > 0 && sent.audioBytesSent > 0)
      #expect(sent.bytesSent > sent.videoBytesSent + sent.audioBytesSent)
      #expect(sent.connections == 1 && sent.outageSince == nil)
      #expect(sent.sentAfterNanos != nil && sent.acknowledgedAfterNanos != nil)
      #expect(try #require(sent.roundTripNanos) > 0)
      #expect(broadcast.stop(goodbye: true, by: .now() + .seconds(60)))
      let closed = studio.figures()
      #expect(closed.video.present == nil && closed.audio.present == nil)
      #expect(closed.video.encoded >= last.video.encoded)
      #expect(closed.videoLeadNanos == nil)
      // The pipeline's last block may not have been read yet.
      _ = studio.levels(&reader)
      #expect(studio.levels(&reader) == AudioLevels())
      last = closed
    }
    #expect(studio.stop(by: .now() + .seconds(60)))
    #expect(studio.figures().video.encoded == last.video.encoded)
  }
}
