// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Foundation
import Media
import Synchronization
import TestSupport
import Testing

@testable import Capture

/// The headphones on virtual time, with a device whose clock drifts.
@Suite struct MonitorPlayerTests {
  /// A playback device that plays what is written, and notes when each sample was heard.
  final class Phones: PlaybackDevice {
    let channels: Int
    let rate: Double
    private let time: VirtualClock
    private let began: MediaTime
    /// Sample frames that were written, and those that were heard.
    private(set) var (written, heard) = (0, 0)
    /// Sample frames that would have been heard if the device had not run empty.
    private var missed = 0
    private(set) var empties = 0
    /// The loudest sample, and when it is heard.
    var click: (value: Float, at: MediaTime)?
    var isLost = false
    /// The sample frames for which the device has room.
    var room = Int.max
    /// Sample frames that were written and are not silent.
    private(set) var sounding = 0

    init(_ time: VirtualClock, ppm: Double = 0, channels: Int = 1) {
      (self.time, self.channels) = (time, channels)
      rate = 48_000 * (1 + ppm / 1e6)
      began = time.now
    }

    private func play() {
      let due = Int(Double(time.now - began) / 1e9 * rate) - missed
      heard = min(due, written)
      if due > written {
        if written > 0 { empties += 1 }
        missed += due - written
      }
    }

    func queuedFrames() throws(MonitorTrouble) -> Int? {
      if isLost { throw .lost(pcm: "phones") }
      play()
      return written - heard
    }

    @unsafe func write(
      _ samples: UnsafePointer<Float>, frames: Int
    ) throws(MonitorTrouble) -> Int {
      play()
      let frames = min(frames, max(0, room - (written - heard)))
      for frame in 0..<frames {
        let value = unsafe abs(samples[frame * channels])
        if value > 0.05 { sounding += 1 }
        if value > click?.value ?? 0.2 {
          click = (value, time.now + Int64(Double(written - heard + frame) / rate * 1e9))
        }
      }
      written += frames
      return frames
    }
  }

  /// A microphone with periods of `milliseconds`, whose samples come `lateNanos` after the end of the period.
  final class Rig {
    let time = VirtualClock()
    let phones: Phones
    let player: MonitorPlayer<Phones>
    private var samples: [Float]
    private let period: Int64
    private var captured: MediaTime
    var lateNanos: () -> Int64 = { 500_000 }

    init(ppm: Double = 0, milliseconds: Int64 = 10, channels: Int = 1) throws {
      phones = Phones(time, ppm: ppm, channels: channels)
      player = try MonitorPlayer(phones, inputChannels: channels)
      period = .milliseconds(milliseconds)
      samples = Array(repeating: 0, count: Int(milliseconds) * 48 * channels)
      captured = time.now
    }

    /// Captures and plays a period.
    /// - Parameter click: whether its first sample is a click.
    /// - Returns: how long after its capture the click is heard, in milliseconds.
    @discardableResult func step(click: Bool = false) throws -> Double? {
      let arrival = captured + period + lateNanos()
      // What the thread does while it waits.
      while true {
        let wake = try player.wakeTime(now: time.now)
        guard wake < arrival else { break }
        time.advance(by: max(0, wake - time.now))
        try player.fill(now: time.now)
        if try player.wakeTime(now: time.now) <= time.now { break }
      }
      time.advance(by: max(0, arrival - time.now))
      samples[0] = click ? 0.9 : 0
      phones.click = nil
      try unsafe samples.withUnsafeBufferPointer { buffer in
        try unsafe player.play(
          try unsafe #require(buffer.baseAddress), frames: buffer.count / phones.channels,
          startsAt: captured, now: time.now)
      }
      let at = captured
      captured = captured + period
      return phones.click.map { Double($0.at - at) / 1e6 }
    }

    /// Time passes without samples.
    func stand(milliseconds: Int64) { captured = captured + .milliseconds(milliseconds) }
  }

  /// S8: two hours with a device that is fast or slow. The delay is at most 30 ms, and stays within 3 ms.
  @Test(arguments: [100.0, -100, 0]) func theDelayStaysForHours(ppm: Double) throws {
    let rig = try Rig(ppm: ppm)
    let steps = often(720_000)
    var (least, most) = (Double.infinity, 0.0)
    for step in 0..<steps {
      let delay = try rig.step(click: step % 500 == 499)
      guard let delay else { continue }
      (least, most) = (min(least, delay), max(most, delay))
    }
    #expect(most <= 30 && most - least <= 3, "\(least) to \(most) ms")
    #expect(rig.phones.empties <= 1)
    #expect(abs((rig.player.driftPPM ?? 0) - ppm) < 5)
    let told = Double(try #require(rig.player.heardAfterNanos)) / 1e6
    #expect(abs(told - most) < 3)
    print("figure  monitor/delay ms at \(ppm) ppm  \(least) to \(most)")
  }

  /// Samples that come late now and then cost a moment, and afterwards the delay is what it was.
  @Test func anUnevenSourceIsHeardInTime() throws {
    let rig = try Rig()
    var dice = SplitMix64(seed: 5)
    rig.lateNanos = { Int64.random(in: 0...6_000_000, using: &dice) }
    var delays: [Double] = []
    for step in 0..<6_000 {
      if let delay = try rig.step(click: step % 50 == 49), step > 500 { delays.append(delay) }
    }
    #expect((delays.max() ?? 99) - (delays.min() ?? 0) <= 3)
    #expect(rig.phones.empties <= 1)
  }

  /// After a gap of the source the sound is in time at once; a source that is late again and again gets a longer delay.
  @Test func gapsAndLateness() throws {
    let rig = try Rig()
    for _ in 0..<300 { try rig.step() }
    let before = try #require(try rig.step(click: true))
    for gap in [Int64(40), 3_000, 700] {
      rig.stand(milliseconds: gap)
      try rig.step()
      let after = try #require(try rig.step(click: true))
      #expect(abs(after - before) < 3, "\(after) after \(gap) ms, \(before) before")
      for _ in 0..<200 { try rig.step() }
    }
    #expect(try #require(rig.player.heardAfterNanos) < .milliseconds(45))
    for round in 0..<9 {
      rig.lateNanos = { round % 3 == 0 ? 500_000 : .milliseconds(30) }
      for _ in 0..<100 { try rig.step() }
    }
    #expect(try #require(rig.player.heardAfterNanos) > .milliseconds(30))
    #expect(try #require(rig.player.heardAfterNanos) <= .milliseconds(100))
  }

  /// With the smallest profile the programme comes 128 ms at once. All of it is heard, even where the device has little
  /// room.
  @Test(arguments: [Int(PlaybackPCM.bufferFrames), 5_760, 1_024])
  func whatComesAtOnceIsHeardCompletely(room: Int) throws {
    let time = VirtualClock()
    let phones = Phones(time)
    phones.room = room
    let player = try MonitorPlayer(phones, inputChannels: 1)
    let samples = [Float](repeating: 0.1, count: PCMQueue.chunkFrames)
    let (block, blocks) = (6_144, 500)
    var captured = time.now
    for _ in 0..<blocks {
      let arrival = captured + PCM.nanos(frames: block)
      while try player.wakeTime(now: time.now) < arrival {
        time.advance(by: max(0, try player.wakeTime(now: time.now) - time.now))
        try player.fill(now: time.now)
        if try player.wakeTime(now: time.now) <= time.now { break }
      }
      time.advance(by: max(0, arrival - time.now))
      for start in stride(from: 0, to: block, by: samples.count) {
        try unsafe player.play(
          samples, frames: min(samples.count, block - start),
          startsAt: captured + PCM.nanos(frames: start), now: time.now)
      }
      captured = arrival
    }
    // The last block is not heard yet.
    let missing = block * blocks - phones.sounding
    #expect(missing < block + 1_000, "\(missing)")
    #expect(phones.empties <= 1)
  }

  @Test func theVolumeIsRampedAndLimited() throws {
    let rig = try Rig(channels: 2)
    rig.player.set(gain: 0)
    for _ in 0..<10 { try rig.step() }
    #expect(try rig.step(click: true) == nil)
    rig.player.set(gain: 2)
    for _ in 0..<10 { try rig.step() }
    _ = try rig.step(click: true)
    #expect(rig.phones.click?.value == 1)
  }

  @Test func aDeviceThatIsGoneIsTold() throws {
    let rig = try Rig()
    try rig.step()
    rig.phones.isLost = true
    #expect(throws: MonitorTrouble.lost(pcm: "phones")) { try rig.step() }
  }

  /// No machine has this device: it is told once, and tried again.
  @Test func headphonesThatAreMissingAreTold() {
    let reports = Reports()
    let monitor = Monitor(
      pcm: "hw:31,7", queue: PCMQueue(channels: 2), report: reports.listener)
    monitor.start()
    #expect(eventually { reports.codes == ["missing"] })
    #expect(monitor.delayNanos == nil)
    #expect(monitor.stop(by: .now() + .seconds(30)))
  }

  /// A device whose driver hangs while it is opened: here a pipe into which ALSA is to write, and that nobody reads.
  /// Other headphones wait for its end, but not for long, and can be stopped meanwhile.
  @Test func headphonesThatHangHoldUpNoOthers() throws {
    let pipe = stateDirectory() + "/pipe"
    try #require(unsafe mkfifo(pipe, 0o600) == 0)
    let time = VirtualClock()
    let (first, others) = (Reports(), Reports())
    let hanging = Monitor(
      pcm: "file:'\(pipe)',raw", queue: PCMQueue(channels: 2), report: first.listener)
    hanging.start()
    let hadEnded = Mutex(false)
    func start() -> Monitor {
      let monitor = Monitor(pcm: "hw:31,7", queue: PCMQueue(channels: 2), clock: time.clock) {
        hadEnded.withLock { $0 = hanging.stop(by: .now()) }
        others.listener($0)
      }
      monitor.start(after: [hanging])
      return monitor
    }
    #expect(start().stop(by: .now() + .seconds(30)) && others.codes.isEmpty)
    let late = start()
    #expect(
      eventually {
        time.advance(by: .seconds(2))
        return others.codes == ["missing"]
      })
    #expect(!hadEnded.withLock { $0 })
    #expect(late.stop(by: .now() + .seconds(30)))
    // The driver works again: it is closed, and the next device is opened after that.
    let next = start()
    let reader = unsafe open(pipe, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    #expect(eventually { others.codes == ["missing", "missing"] })
    #expect(hadEnded.withLock { $0 } && first.codes.isEmpty)
    #expect(next.stop(by: .now() + .seconds(30)))
  }

  @Test func aHDMIPortNeedsAScreen() {
    func isMissing(
      _ names: [String], _ eld: [UInt8]?, _ connectors: [String: String] = [:]
    ) -> Bool { HDMIScreen.isMissing(names: names, eld: eld, connectors: connectors) }
    #expect(!isMissing(["USB Audio", "Headset"], nil, ["card0-HDMI-A-1": "disconnected"]))
    #expect(!isMissing(["bcm2835 Headphones"], []))
    for name in ["vc4-hdmi-0", "HDMI 1", "DisplayPort 2"] {
      #expect(isMissing([name], []))
      #expect(isMissing([name], [0, 0, 0]))
      #expect(!isMissing([name], [0x10, 0, 8]))
      #expect(
        isMissing([name], nil, ["card1-HDMI-A-1": "disconnected", "card1-eDP-1": "disconnected"]))
      #expect(!isMissing([name], nil, ["card1-HDMI-A-1": "connected"]))
      #expect(!isMissing([name], nil))
    }
  }
}
