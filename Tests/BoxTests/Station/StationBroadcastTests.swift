// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Director
import FakeServer
import FoundationEssentials
import Glibc
import Media
import Synchronization
import Testing

@testable import Box
@testable import Events
@testable import Figures
@testable import Publish
@testable import Studio

/// How broadcasts begin, begin anew and end, and what is said of that.
@Suite struct StationBroadcastTests {
  @Test func aRestartLosesNoTotals() throws {
    let server = try FakeServer.reading()
    defer { server.end() }
    let box = try LiveStation(port: server.port)
    try box.station.perform(.start, by: "by test")
    #expect(box.run { box.isDelivering })
    let startedAt = box.station.state.withLock { $0.tally?.startedAt }
    let scene = box.station.studio.scene.video
    #expect(scene == 1, "what was shown off air is another scene")
    box.station.measure(.now())
    let before = try #require(box.station.figureLog.reading?.main?.totals)
    #expect(before.bytes > 0 && before.connections == 1)

    try box.station.perform(.restart, by: "by test")
    #expect(box.run { server.connections == 2 && box.isDelivering })
    box.station.measure(.now())
    let after = try #require(box.station.figureLog.reading?.main?.totals)
    #expect(after.bytes > before.bytes && after.frames >= before.frames)
    #expect(after.connections == 2)
    #expect(box.station.state.withLock { $0.tally?.startedAt } == startedAt)
    #expect(box.station.studio.scene.video == scene)
    #expect(box.count(.started) == 1 && box.count(.ended) == 0)
    // Once, although the server had two parts of it.
    let live = box.events.filter { $0.code == .live }
    #expect(live.count == 1 && live[0].startedMs == box.station.status.startedMs)
    #expect((1...MediaTime.now().nanos / 1_000_000 + 1).contains(Int64(live[0].startedMs ?? 0)))

    try box.station.perform(.stop, by: "by test")
    #expect(box.run { !box.station.isOnAir })
    let ended = try #require(box.events.last { $0.code == .ended })
    #expect(try #require(ended.totals).bytes >= after.bytes)
    #expect(try #require(ended.totals).interruptions >= 1)
    #expect(ended.sentence.contains("made anew"))
    #expect(box.count(.ended) == 1)
    box.end()
    #expect(box.count(.ended) == 1)
  }

  /// A broadcast never gets the age of an earlier one, not even on a disk that takes no new file.
  @Test func anAgeThatCannotBeSavedIsNotKnown() throws {
    let server = try FakeServer.reading()
    defer { server.end() }
    let box = try LiveStation(port: server.port)
    let name = "\(box.directory)/began"
    try Data("1000000000000\n".utf8).write(to: URL(filePath: name))
    #expect(unsafe chmod(name, 0o600) == 0)
    #expect(Station.broadcastAge(box.directory, .system) != nil)
    // A folder where the new file is to be written.
    #expect(unsafe mkdir("\(name).new", 0o700) == 0)
    try box.station.perform(.start, by: "by test")
    #expect(box.run { box.isDelivering })
    box.end()
    #expect(Station.broadcastAge(box.directory, .system) == nil)
  }

  @Test func anEndedBroadcastHasNoAge() throws {
    let server = try FakeServer.reading()
    defer { server.end() }
    let box = try LiveStation(port: server.port)
    try box.station.perform(.start, by: "by test")
    #expect(box.run { box.isDelivering && Station.broadcastAge(box.directory, .system) != nil })
    try box.station.perform(.stop, by: "by test")
    #expect(box.run { !box.station.isOnAir })
    box.end()
    #expect(Station.broadcastAge(box.directory, .system) == nil)
  }

  /// Its clock counts what viewers can have had, not the attempts before.
  @Test func aBroadcastThatNoServerHasHasNoTime() throws {
    let server = try FakeServer.reading()
    let port = server.port
    server.end()
    let box = try LiveStation(port: port)
    try box.station.perform(.start, by: "by test")
    #expect(box.run { (box.station.status.onAirSeconds ?? 0) >= 1 })
    #expect(box.station.status.deliveredSeconds == nil)
    box.end()
  }

  /// Whoever has the answer to "stop" may rely on it.
  @Test func theAnswerToStopComesWhenItHasEnded() async throws {
    let server = try FakeServer.reading()
    defer { server.end() }
    let box = try LiveStation(port: server.port)
    let hasAnswer = Mutex(false)
    let ended = Signal()
    let worker = Worker(name: "supervisor")
    worker.start {
      // Without a limit: on a busy machine the test's task may wait for minutes until it goes on.
      while !box.run(until: { hasAnswer.withLock { $0 } }) {}
      ended.signal()
    }
    try box.station.perform(.start, by: "by test")
    while !box.isDelivering { try await Task.sleep(for: .milliseconds(5)) }
    #expect(box.station.answer("stop", by: "by test").changed)
    await box.station.awaitEnd(patience: .seconds(600))
    #expect(!box.station.isOnAir && box.count(.ended) == 1)
    #expect(throws: Never.self) { try box.station.testUplink(by: "by test") }
    hasAnswer.withLock { $0 = true }
    #expect(ended.wait(until: .now() + .seconds(60)))
    box.end()
  }

  /// Frames for which the machine was too slow, of a broadcast whose network drops nothing.
  @Test func whatTheMachineLosesIsToldApart() throws {
    let server = try FakeServer.reading()
    defer { server.end() }
    let box = try LiveStation(port: server.port)
    let station = box.station
    try station.perform(.start, by: "by test")
    #expect(box.run { box.isDelivering })
    func machine(_ status: Status) -> String? {
      status.lines.first { $0.name == "Machine" }?.value
    }
    #expect(machine(station.status) == nil)
    let frames = try #require(station.studio.halves.video).frames
    let before = try #require(station.status.encode).late
    let pool = FramePool(count: FrameQueue.bufferCount, capacity: 24)
    let format = FrameFormat(
      pixelFormat: .i420, size: PictureSize(width: 4, height: 4), colour: .bt709)
    // A frame is late as soon as one comes that was captured more than 100 ms later. These are older than the
    // broadcast, so that none of them is shown.
    for second in 1...40 {
      guard let blank = pool.borrow() else { continue }
      frames.put(
        blank.finish(format: format, capturedAt: MediaTime(nanos: .seconds(Int64(second)))))
    }
    let status = station.status
    let late = try #require(status.encode).late
    #expect(late > before)
    #expect(status.destinations.map(\.dropped) == [0])
    #expect(try #require(machine(status)).hasPrefix("too slow for \(late) frame"))

    try station.perform(.stop, by: "by test")
    #expect(box.run { !station.isOnAir })
    let ended = try #require(box.events.last { $0.code == .ended })
    #expect(ended.totals?.dropped == 0)
    #expect(try #require(ended.totals).late >= late)
    #expect(ended.sentence.hasSuffix("left out because the box was too slow."))
    box.end()
  }

  /// The connection is closed, and the next one has not begun.
  @Test func aStopDuringARestartIsAnEnd() throws {
    let server = try FakeServer.reading()
    defer { server.end() }
    let box = try LiveStation(port: server.port)
    let station = box.station
    try station.perform(.start, by: "by test")
    #expect(box.run { box.isDelivering })
    try station.perform(.restart, by: "by test")
    _ = station.supervise(.now())
    #expect(station.isOnAir && station.state.withLock { $0.broadcast == nil })
    #expect(station.status.onAirSeconds != nil)

    try station.perform(.stop, by: "by test")
    #expect(station.isOnAir && station.lamp == .unconfirmed)
    _ = station.supervise(.now())
    #expect(!station.isOnAir && box.count(.ended) == 1)
    let totals = try #require(box.events.last { $0.code == .ended }?.totals)
    #expect(totals.bytes > 0)

    try station.perform(.start, by: "by test")
    _ = station.supervise(.now())
    #expect(box.count(.started) == 2)
    box.end()
    #expect(box.count(.ended) == 2)
  }

  /// The end of the program, too.
  @Test func theProgramEndsDuringARestart() throws {
    let box = try LiveStation(port: try FakeServer.freePort())
    try box.station.perform(.start, by: "by test")
    _ = box.station.supervise(.now())
    try box.station.perform(.restart, by: "by test")
    _ = box.station.supervise(.now())
    box.end()
    #expect(box.count(.ended) == 1)
  }

  @Test func aRestartBeforeTheBeginIsNone() throws {
    let box = try LiveStation(port: try FakeServer.freePort())
    try box.station.perform(.start, by: "by test")
    try box.station.perform(.restart, by: "by test")
    _ = box.station.supervise(.now())
    _ = box.station.supervise(.now())
    #expect(box.count(.started) == 1 && box.station.state.withLock { $0.broadcast != nil })
    box.end()
  }

  /// The broadcast that was stopped ends, and its viewers see nothing of the next one.
  @Test func aStartRightAfterAStopBeginsAnotherBroadcast() throws {
    let box = try LiveStation(port: try FakeServer.freePort())
    let station = box.station
    try station.perform(.start, by: "by test")
    _ = station.supervise(.now())
    try station.perform(.pause, by: "by test")
    let scene = station.studio.scene.video
    try station.perform(.stop, by: "by test")
    try station.perform(.start, by: "by test")
    #expect(station.studio.scene.video == scene, "still the pause's image")
    _ = station.supervise(.now())
    #expect(box.count(.ended) == 1 && !station.isOnAir)
    _ = station.supervise(.now())
    #expect(box.count(.started) == 2 && station.isOnAir)
    #expect(station.studio.scene.video > scene)
    box.end()
  }

  @Test func allPartsCount() {
    let start = MediaTime(nanos: .seconds(1_000))
    func sent(
      _ bytes: UInt64, reconnects: UInt64 = 0, overflows: UInt64 = 0, dropped: UInt64 = 0,
      outage: Int64 = 0
    ) -> DestinationCounters {
      var counters = DestinationCounters()
      counters.bytesSent = bytes
      counters.outageNanos = outage
      (counters.reconnects, counters.overflows) = (reconnects, overflows)
      counters.dropped = dropped
      return counters
    }
    var tally = BroadcastTally(startedAt: start)
    let now = start + .seconds(90)
    #expect(tally.sentence(now).hasSuffix("No server took the stream, so nobody has seen it."))
    tally.add(frames: 10, late: 0, sent(0))
    tally.add(frames: 10, late: 0, sent(500, outage: .milliseconds(1_500)))
    #expect(
      tally.totals(now)
        == .init(
          seconds: 90, bytes: 500, frames: 20, interruptions: 0, dropped: 0, late: 0,
          withoutServerSeconds: 1,
          reached: "main", reconnects: 0, overflows: 0, standstills: 0))
    #expect(tally.sentence(now).hasSuffix("Viewers missed nothing."))
    let poor = sent(100, reconnects: 1, overflows: 2, dropped: 3, outage: .seconds(24))
    tally.add(frames: 5, late: 4, poor)
    #expect(
      tally.totals(now)
        == .init(
          seconds: 90, bytes: 600, frames: 25, interruptions: 4, dropped: 3, late: 4,
          withoutServerSeconds: 25,
          reached: "main", reconnects: 2, overflows: 2, standstills: 0))
    #expect(
      tally.sentence(now).contains(
        "the server did not have the broadcast for 25 s, the connection was made anew 2 times, the network was too "
          + "slow 2 times"))
    var suspended = BroadcastTally(startedAt: start)
    var frozen = sent(500)
    frozen.standstills = 1
    suspended.add(frames: 1, late: 0, frozen)
    #expect(suspended.totals(now).interruptions == 1)
    #expect(
      suspended.sentence(now).hasSuffix("missed something: the box stood still 1 time."))
    #expect(
      tally.sentence(now).hasSuffix(
        "3 frames or audio packets were dropped on a slow network, 4 frames or audio blocks were left out because the "
          + "box was too slow."))
    // Each look counts the time since the one before, but not a standstill of the program.
    let picture = BroadcastTally.Picture(size: "1280x720", fps: 30)
    for second in [0, 1, 2, 602] {
      suspended.note(
        lacksCamera: true, lacksMicrophone: second == 602, picture: picture,
        now: start + .seconds(Int64(second)))
    }
    #expect(suspended.picture == picture)
    suspended.note(
      lacksCamera: false, lacksMicrophone: false,
      picture: BroadcastTally.Picture(size: "640x360", fps: 30), now: start + .seconds(603))
    #expect(suspended.picture == nil, "it was changed meanwhile")
    #expect(suspended.totals(now).withoutCameraSeconds == 3)
    #expect(suspended.totals(now).withoutMicrophoneSeconds == 1)
    tally = BroadcastTally(startedAt: start)
    tally.add(frames: 10, late: 1, sent(500))
    #expect(
      tally.sentence(now).hasSuffix(
        "Viewers missed something: 1 frame or audio block was left out because the box was too slow."
      ),
      "nothing was lost on the network")
  }
}
