// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Settings
import Synchronization
import TestSupport
import Testing

@testable import Publish
@testable import Studio

/// A destination without a protocol, which records what it is asked to do.
private final class FakeDestination: BroadcastDestination {
  private struct State {
    var target: PublishTarget
    var calls: [String] = []
    var packets = 0
  }

  let name: String
  private let state: Mutex<State>

  init(_ order: DestinationFactory.Request) {
    name = order.plan.name
    state = Mutex(State(target: order.plan.target))
  }

  private func note(_ call: String) { state.withLock { $0.calls.append(call) } }
  var calls: [String] { state.withLock { $0.calls } }
  var packets: Int { state.withLock { $0.packets } }

  var takesPackets: Bool { calls.contains("start") && !hasEnded }
  var needsKeyframe: Bool { packets == 0 }
  func setVideo(_ header: VideoHeader) {}
  func setAudio(_ header: AudioHeader) {}
  func cut(video: UInt32, audio: UInt32) {}
  func offer(_ packet: Packet) { state.withLock { $0.packets += 1 } }

  var target: PublishTarget { state.withLock { $0.target } }
  let counters = DestinationCounters()
  let trouble: DestinationTrouble? = nil
  func isAlive(_ now: MediaTime) -> Bool { true }
  func start() { note("start") }
  func tryStart() -> Bool {
    note("start")
    return true
  }
  func beginStop(goodbye: Bool, by deadline: MediaTime) { note(goodbye ? "goodbye" : "stop") }
  func finishStop(by deadline: MediaTime) -> Bool { true }
  var hasEnded: Bool { calls.contains("goodbye") || calls.contains("stop") }
  func reconnect() { note("reconnect") }
  func noteRouteChange() {}
  func supervise(now: MediaTime) {}
  func publish(_ plan: BroadcastTarget) {
    state.withLock { $0.target = plan.target }
    note("publish")
  }
  func follow(_ settings: Settings) { note("follow") }
  let link: LinkFigures? = nil
  let hasJustResumed = false
  let isHoldingVideo = false
  let thinning = Thinning.whole
  func setMaxInFlight(bytes: Int, capacityKbps: Int?) {}
  func suspendVideo(_ isSuspended: Bool) {}
  func thin(_ thinning: Thinning) {}
  func endVideo(at time: MediaTime) -> Int64 { 0 }
}

@Suite struct BroadcastDestinationTests {
  /// What `Broadcast` asks of its destinations and reports of them, in a studio with the test pattern.
  private final class Rig {
    let studio: Studio
    let broadcast: Broadcast
    private let made: MadeDestinations
    let reports: Reports

    final class MadeDestinations: Sendable {
      let all = Mutex<[FakeDestination]>([])
    }

    final class Reports: Sendable {
      private let causes = Mutex<[String]>([])
      func note(_ report: StudioReport) {
        guard case .destination(let name, let report) = report, let cause = report.cause else {
          return
        }
        causes.withLock { $0.append("\(name): \(cause.code)") }
      }
      var all: [String] { causes.withLock { $0 } }
    }

    init(_ settings: Settings) throws {
      studio = Studio(settings: settings) { _ in }
      let (made, reports) = (MadeDestinations(), Reports())
      (self.made, self.reports) = (made, reports)
      let factory = DestinationFactory { order in
        let destination = FakeDestination(order)
        made.all.withLock { $0.append(destination) }
        return destination
      }
      broadcast = Broadcast(
        studio: studio, settings: settings, main: BroadcastTarget(target: try Self.target("one")),
        encoder: "test", destinations: factory, listener: { reports.note($0) })
      broadcast.start()
    }

    static func target(_ host: String) throws -> RTMPTarget {
      try RTMPTarget(host: host, app: "live", streamKey: "key")
    }

    var last: FakeDestination? { made.all.withLock { $0.last } }

    func supervise() {
      broadcast.supervise(.now())
      studio.supervise(.now())
    }

    func stop() -> Bool {
      broadcast.stop(goodbye: false, by: .now() + .seconds(60))
        && studio.stop(by: .now() + .seconds(60))
    }
  }

  /// A relay that gets the camera alone is connected while that is encoded; one that gets the programme is not.
  @Test func aRelayGetsTheCameraAlone() throws {
    let rig = try Rig(try StudioTests.settings("video.speed=superfast"))
    func relay(isCamera: Bool) throws -> FakeDestination {
      rig.broadcast.relay(to: [
        BroadcastTarget(name: "box", target: try Rig.target("two"), isCamera: isCamera)
      ])
      return try #require(rig.last)
    }
    let camera = try relay(isCamera: true)
    #expect(camera.calls.isEmpty)
    #expect(
      eventually {
        rig.supervise()
        return camera.packets > 10
      })
    #expect(rig.studio.cameraProgramme == .running)
    let programme = try relay(isCamera: false)
    #expect(programme !== camera && camera.calls.last == "goodbye")
    #expect(
      eventually {
        rig.supervise()
        return programme.packets > 10 && rig.studio.cameraProgramme == .idle
      })
    #expect(rig.reports.all.isEmpty)
    #expect(rig.stop())
  }

  /// A filter that is a program of its own cannot filter two pictures: the relay waits, and that is told once.
  @Test func aRelayWithoutTheCamerasPictureWaits() throws {
    let plain = try StudioTests.settings("video.speed=superfast")
    let rig = try Rig(plain)
    rig.broadcast.relay(to: [
      BroadcastTarget(name: "box", target: try Rig.target("two"), isCamera: true)
    ])
    let first = try #require(rig.last)
    #expect(
      eventually {
        rig.supervise()
        return first.packets > 10
      })
    rig.studio.change(
      try StudioTests.settings(
        "video.speed=superfast", "filter.odd.kind=outside", "filter.odd.program=none.py"))
    #expect(
      eventually {
        rig.supervise()
        return !rig.reports.all.isEmpty
      })
    for _ in 0..<20 { rig.supervise() }
    #expect(rig.reports.all == ["box: no_camera_picture"])
    #expect(first.calls.last == "stop")
    let figures = try #require(rig.broadcast.relayFigures.first)
    #expect(figures.trouble?.cause == .noCameraPicture(.filter))
    #expect(rig.broadcast.isRelayFailing)
    #expect(figures.counters.obstacle == .noCameraPicture(.filter))
    rig.studio.change(plain)
    #expect(
      eventually {
        rig.supervise()
        return (rig.last?.packets ?? 0) > 10
      })
    #expect(rig.last !== first && rig.broadcast.relayFigures.first?.trouble == nil)
    #expect(rig.stop())
  }

  /// A broadcast knows its destinations by a protocol, whatever they speak.
  @Test func aBroadcastGoesToAnyDestination() throws {
    let settings = try StudioTests.settings()
    let rig = try Rig(settings)
    let broadcast = rig.broadcast
    let main = try #require(rig.last)
    #expect(
      eventually {
        rig.supervise()
        return main.packets > 10
      })
    broadcast.relay(to: [BroadcastTarget(name: "second", target: try Rig.target("two"))])
    let relay = try #require(rig.last)
    #expect(relay.name == "second")
    #expect(
      eventually {
        rig.supervise()
        return relay.packets > 10
      })
    #expect(broadcast.destinationFigures.map(\.target.host) == ["one", "two"])
    broadcast.publish(BroadcastTarget(target: try Rig.target("other")))
    broadcast.change(settings)
    broadcast.reconnect()
    #expect(main.calls == ["start", "publish", "follow", "reconnect"])
    broadcast.relay(to: [])
    #expect(relay.calls == ["start", "follow", "reconnect", "goodbye"])
    rig.supervise()
    #expect(broadcast.destinationFigures.map(\.target.host) == ["other"])
    #expect(rig.stop())
    #expect(main.calls.last == "stop")
  }
}
