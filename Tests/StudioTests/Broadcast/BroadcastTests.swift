// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import FakeServer
import Synchronization
import TestSupport
import Testing

@testable import Director
@testable import Publish
@testable import Studio

/// A broadcast to a server on this machine, beside a view of the same studio.
@Suite struct BroadcastTests {
  @Test func aViewGoesOnBeforeAndAfterABroadcast() throws {
    let server = try FakeServer.reading()
    defer { server.end() }
    let settings = try StudioTests.settings()
    let names = Mutex<Set<String>>([])
    let studio = Studio(settings: settings) { _ in }
    let view = studio.enter(.video)
    let sink = QueueSink(capacity: 100_000)
    sink.start()
    view.add(sink)
    studio.supervise(.now())
    let video = try #require(studio.halves.video)
    #expect(eventually { sink.count > 10 })

    let target = try RTMPTarget(
      transport: .plain, host: "127.0.0.1", port: server.port, app: "live", streamKey: "key")
    let broadcast = Broadcast(
      studio: studio, settings: settings, main: BroadcastTarget(target: target), encoder: "test"
    ) { report in
      if case .destination(let name, _) = report { names.withLock { _ = $0.insert(name) } }
    }
    studio.present(Plan(video: .camera, audio: .microphone, lamp: .starting))
    broadcast.start()
    #expect(studio.halves.video === video && studio.halves.audio != nil)
    func supervise() {
      broadcast.supervise(.now())
      studio.supervise(.now())
    }
    #expect(
      eventually {
        supervise()
        return broadcast.conditions(.now()).videoDelivered && broadcast.figures.frames > 30
      })
    #expect(broadcast.figures.frames < video.pipeline.counters.frames.count)
    #expect(broadcast.destinationFigures.map(\.name) == ["main"])
    #expect(names.withLock { $0 } == ["main"])

    #expect(broadcast.stop(goodbye: true, by: .now() + .seconds(60)))
    #expect(studio.halves.video === video && studio.halves.audio == nil)
    let before = sink.count
    #expect(eventually { sink.count > before + 10 })
    #expect(sink.dropped == 0)
    // The view has lost nothing at the broadcast's start and end.
    let times = sink.taken.filter { $0.kind != .audio }.map(\.time)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    #expect(studio.stop(by: .now() + .seconds(60)))
    #expect(studio.halves.video == nil)
    view.leave()
    #expect(sink.taken.count { $0.kind != .audio } == video.pipeline.counters.frames.count)
    #expect(sink.stop())
  }

  /// Nobody would ever stop one that joined a broadcast that is over.
  @Test func nobodyJoinsABroadcastThatIsOver() throws {
    let (main, late) = (try FakeServer.reading(), try FakeServer.reading())
    defer { for server in [main, late] { server.end() } }
    func target(_ server: FakeServer) throws -> RTMPTarget {
      try RTMPTarget(
        transport: .plain, host: "127.0.0.1", port: server.port, app: "live", streamKey: "key")
    }
    let settings = try StudioTests.settings()
    let studio = Studio(settings: settings) { _ in }
    let broadcast = Broadcast(
      studio: studio, settings: settings, main: BroadcastTarget(target: try target(main)),
      encoder: "test"
    ) { _ in }
    broadcast.start()
    #expect(broadcast.stop(goodbye: true, by: .now() + .seconds(60)))
    broadcast.relay(to: [BroadcastTarget(name: "late", target: try target(late))])
    broadcast.supervise(.now())
    #expect(broadcast.relayFigures.isEmpty)
    let user = studio.enter([])
    user.leave()
    let sink = QueueSink(capacity: 1)
    user.add(sink)
    #expect(!studio.renditions.takesPackets() && late.connections == 0)
    #expect(studio.stop(by: .now() + .seconds(60)))
  }

  /// A server counts from where its own connection was, whoever comes and goes beside it.
  @Test func bytesThatArriveAreCountedByServer() {
    final class Server {}
    let (main, one, two) = (Server(), Server(), Server())
    var rate = ArrivalRate()
    let start = MediaTime(nanos: .seconds(1_000))
    func note(_ arrived: [(Server, UInt64, UInt64)], _ tick: Int64) {
      rate.add(
        arrived.map { (ObjectIdentifier($0), $1, $2) }, now: start + .milliseconds(50 * tick))
    }
    for tick in 0..<20 as Range<Int64> {
      let bytes = UInt64(tick) * 12_500
      // A relay with a gigabyte behind it takes the place of another, which ends; later the main one connects anew.
      note(
        [
          (main, tick < 15 ? 1 : 2, tick < 15 ? bytes : bytes - 180_000),
          tick < 10 ? (one, 1, bytes) : (two, 1, 1_000_000_000 + bytes),
        ], tick)
      if tick > 5 { #expect((3_000...4_000).contains(rate.kbps), "\(tick): \(rate.kbps)") }
    }
  }

  /// A server might take a relay that comes back for the rival of its own predecessor.
  @Test func aRelayBeginsAgainAfterItsPredecessorHasEnded() throws {
    let open = Mutex(0)
    let most = Mutex(0)
    let main = try FakeServer.reading()
    let server = try FakeServer { peer in
      let now = open.withLock { open in
        open += 1
        return open
      }
      most.withLock { $0 = max($0, now) }
      defer { open.withLock { $0 -= 1 } }
      try peer.accept()
      peer.readToEnd()
    }
    defer { for server in [main, server] { server.end() } }
    func target(_ server: FakeServer, _ key: String) throws -> RTMPTarget {
      try RTMPTarget(
        transport: .plain, host: "127.0.0.1", port: server.port, app: "live", streamKey: key)
    }
    let settings = try StudioTests.settings()
    let studio = Studio(settings: settings) { _ in }
    let broadcast = Broadcast(
      studio: studio, settings: settings, main: BroadcastTarget(target: try target(main, "m")),
      encoder: "test"
    ) { _ in }
    broadcast.start()
    func supervise() {
      broadcast.supervise(.now())
      studio.supervise(.now())
    }
    for number in 1...4 {
      broadcast.relay(to: [BroadcastTarget(name: "one", target: try target(server, "\(number)"))])
      #expect(
        eventually {
          supervise()
          return server.connections == number
            && broadcast.relayFigures.first?.counters.state.isOnAir == true
        })
    }
    #expect(most.withLock { $0 } == 1)
    #expect(broadcast.stop(goodbye: true, by: .now() + .seconds(60)))
    #expect(studio.stop(by: .now() + .seconds(60)))
  }

  /// While another user goes on, a broadcast that ends still ends video and audio at the same moment of its stream.
  /// Here audio is captured 300 ms after the video of the same moment.
  @Test func videoAndAudioEndTogetherBesideAView() throws {
    let heard = Heard()
    let server = try FakeServer { peer in
      try peer.accept()
      while let message = try? peer.message() { heard.note(message) }
    }
    defer { server.end() }
    let settings = try StudioTests.settings("audio.delay_ms=-300")
    let studio = Studio(settings: settings) { _ in }
    let view = studio.enter(.video)
    let target = try RTMPTarget(
      transport: .plain, host: "127.0.0.1", port: server.port, app: "live", streamKey: "key")
    let broadcast = Broadcast(
      studio: studio, settings: settings, main: BroadcastTarget(target: target), encoder: "test"
    ) { _ in }
    broadcast.start()
    #expect(
      eventually {
        broadcast.supervise(.now())
        return heard.last.video > 1_000 && heard.last.audio > 1_000
      })
    #expect(broadcast.stop(goodbye: true, by: .now() + .seconds(60)))
    #expect(studio.halves.video?.isFinished == false)
    view.leave()
    #expect(studio.stop(by: .now() + .seconds(60)))
    let last = heard.last
    #expect(abs(last.video - last.audio) < 150, "\(last)")
  }

  /// The times of the last video and audio messages at a server, in milliseconds.
  private final class Heard: Sendable {
    private let times = Mutex<(video: Int, audio: Int)>((0, 0))
    var last: (video: Int, audio: Int) { times.withLock { $0 } }
    func note(_ message: Peer.Message) {
      times.withLock { times in
        if message.type == 9 { times.video = Int(message.time) }
        if message.type == 8 { times.audio = Int(message.time) }
      }
    }
  }
}
