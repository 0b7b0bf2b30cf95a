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
  /// A broadcast knows its destinations by a protocol, whatever they speak.
  @Test func aBroadcastGoesToAnyDestination() throws {
    let settings = try StudioTests.settings()
    let studio = Studio(settings: settings) { _ in }
    let made = Mutex<[FakeDestination]>([])
    let factory = DestinationFactory { order in
      let destination = FakeDestination(order)
      made.withLock { $0.append(destination) }
      return destination
    }
    func target(_ host: String) throws -> RTMPTarget {
      try RTMPTarget(host: host, app: "live", streamKey: "key")
    }
    let broadcast = Broadcast(
      studio: studio, settings: settings, main: BroadcastTarget(target: try target("one.example")),
      encoder: "test", destinations: factory
    ) { _ in }
    broadcast.start()
    func supervise() {
      broadcast.supervise(.now())
      studio.supervise(.now())
    }
    let first = made.withLock { $0.first }
    let main = try #require(first)
    #expect(
      eventually {
        supervise()
        return main.packets > 10
      })
    broadcast.relay(to: [BroadcastTarget(name: "second", target: try target("two.example"))])
    let last = made.withLock { $0.last }
    let relay = try #require(last)
    #expect(relay.name == "second")
    #expect(
      eventually {
        supervise()
        return relay.packets > 10
      })
    #expect(broadcast.destinationFigures.map(\.target.host) == ["one.example", "two.example"])
    broadcast.publish(BroadcastTarget(target: try target("other.example")))
    broadcast.change(settings)
    broadcast.reconnect()
    #expect(main.calls == ["start", "publish", "follow", "reconnect"])
    broadcast.relay(to: [])
    #expect(relay.calls == ["start", "follow", "reconnect", "goodbye"])
    supervise()
    #expect(broadcast.destinationFigures.map(\.target.host) == ["other.example"])
    #expect(broadcast.stop(goodbye: false, by: .now() + .seconds(60)))
    #expect(main.calls.last == "stop")
    #expect(studio.stop(by: .now() + .seconds(60)))
  }
}
