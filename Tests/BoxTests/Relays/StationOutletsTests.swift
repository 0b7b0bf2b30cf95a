// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import FakeServer
import Media
import Synchronization
import Testing

@testable import Box

/// A sink that counts what it gets.
private final class CountingSink: PacketSink {
  struct Counts {
    var keyframes = 0
    var packets = 0
    var cuts = 0
    var ends = 0
  }

  let counts = Mutex(Counts())
  var takesPackets: Bool { true }
  var needsKeyframe: Bool { false }
  func setVideo(_ header: VideoHeader) {}
  func setAudio(_ header: AudioHeader) {}
  func cut(video: UInt32, audio: UInt32) { counts.withLock { $0.cuts += 1 } }
  func offer(_ packet: Packet) {
    counts.withLock { counts in
      counts.packets += 1
      counts.keyframes += packet.kind == .keyframe ? 1 : 0
    }
  }
  func end() { counts.withLock { $0.ends += 1 } }
  var now: Counts { counts.withLock { $0 } }
}

/// What gets the packets of a broadcast beside its destinations.
struct StationOutletsTests {
  @Test func anOutletGetsTheBroadcastUntilItEnds() throws {
    let server = try FakeServer.reading()
    defer { server.end() }
    let box = try LiveStation(port: server.port)
    let (sink, other) = (CountingSink(), CountingSink())
    #expect(!box.station.hasProgramme)
    #expect(!box.station.addOutlet(sink) { sink.end() }, "off air")
    try box.station.perform(.start, by: "by test")
    #expect(box.run { box.isDelivering })
    #expect(box.station.hasProgramme)
    #expect(box.station.addOutlet(sink) { sink.end() })
    #expect(box.station.addOutlet(other) { other.end() })
    #expect(box.run { sink.now.keyframes > 0 && other.now.packets > 0 })
    // A pause reaches it before the command has returned.
    let before = sink.now.cuts
    try box.station.perform(.pause, by: "by test")
    #expect(sink.now.cuts > before)
    // It goes on after a restart of the encoders.
    try box.station.perform(.restart, by: "by test")
    #expect(
      box.run { box.count(.restarted) > 0 && box.station.state.withLock { !$0.needsRestart } })
    let restarted = sink.now.keyframes
    #expect(box.run { sink.now.keyframes > restarted })
    box.station.removeOutlet(other)
    // From the command to stop on there is no programme, and at the end the outlet is told once.
    try box.station.perform(.stop, by: "by test")
    #expect(!box.station.hasProgramme && !box.station.addOutlet(other) { other.end() })
    #expect(box.run { !box.station.isOnAir })
    let last = sink.now
    #expect(last.ends == 1 && other.now.ends == 0)
    // Nothing of the next broadcast comes to it.
    try box.station.perform(.start, by: "by test")
    #expect(box.run { box.isDelivering })
    #expect(sink.now.packets == last.packets && sink.now.ends == 1)
    box.end()
  }

  @Test func theStatusTellsOfThePlayout() throws {
    let box = try LiveStation(port: 1)
    #expect(box.station.status.playout == nil)
    box.end()
    let near = try LiveStation(port: 1, "playout.listen=127.0.0.1:8088", "playout.max_viewers=3")
    near.station.showPlayout { 2 }
    let playout = try #require(near.station.status.playout)
    #expect(playout.hls == "http://127.0.0.1:8088/live/programme.m3u8")
    #expect(playout.flv == "http://127.0.0.1:8088/live/programme.flv")
    #expect(playout.viewers == 2 && playout.maxViewers == 3 && !playout.needsKey)
    near.end()
  }
}
