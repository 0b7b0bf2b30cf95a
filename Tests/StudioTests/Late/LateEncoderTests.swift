// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Encode
import TestSupport
import Testing

@testable import Studio

/// Encoders that answer up to ten frames late: nothing that a cut hides comes out under the number of a later scene.
@Suite struct LateEncoderTests {
  /// Pauses and resumes at random moments: between two frames, while the encoder works on one, and between two of its
  /// packets. The still is ready at once, after a while, or not before the resumption.
  private func pause(_ count: Int, _ encoders: LateEncoders, seed: UInt64) throws -> LateRig {
    let rig = try LateRig(encoders)
    var dice = SplitMix64(seed: seed)
    var pauses = 0
    rig.start()
    rig.feed()
    while pauses < count {
      let change: @Sendable () -> Void
      nonisolated(unsafe) let unguarded = rig
      if rig.isPaused {
        if !rig.isStillOn, Int.random(in: 0..<4, using: &dice) == 0 {
          change = { unsafe unguarded.showStill() }
        } else {
          change = { unsafe unguarded.resume() }
        }
      } else if Int.random(in: 0..<5, using: &dice) == 0 {
        change = { unsafe unguarded.renew() }
      } else {
        pauses += 1
        let isReady = Bool.random(using: &dice)
        change = { unsafe unguarded.pause(stillIsReady: isReady) }
      }
      perform(change, on: rig, &dice)
      if Int.random(in: 0..<20, using: &dice) == 0 {
        rig.encode(at: Bool.random(using: &dice) ? .superfast : .veryfast)
      }
      for _ in 0..<Int.random(in: 0...12, using: &dice) {
        rig.feed()
        // Sometimes packets wait for the link, and a cut finds them in the queue.
        if Bool.random(using: &dice) { rig.check() }
      }
    }
    rig.stop()
    return rig
  }

  private func perform(
    _ change: @escaping @Sendable () -> Void, on rig: LateRig, _ dice: inout SplitMix64
  ) {
    let place = Int.random(in: 0..<3, using: &dice)
    if place > 0 {
      rig.encoders.state.withLock {
        $0.interruption = change
        $0.interruptsAnswer = place == 2
      }
      // In a few frames the encoder answers, unless a still is on.
      for _ in 0..<3 where rig.encoders.state.withLock({ $0.interruption != nil }) { rig.feed() }
    }
    // The lock is not held while the change is made: it asks the encoders for what they were given.
    let rest = rig.encoders.state.withLock { $0.interruption.take() }
    if place == 0 { change() } else { rest?() }
    rig.settle()
    rig.checkPreview()
  }

  @Test(arguments: [false, true]) func nothingHiddenIsSent(reorders: Bool) throws {
    let encoders = LateEncoders(delays: 1...10, reorders: reorders, seed: 7)
    let rig = try pause(300, encoders, seed: reorders ? 12 : 11)
    #expect(rig.leaks.map(\.count) == [0, 0, 0])
    // It is no proof if nothing is sent at all.
    #expect(rig.shown.allSatisfy { $0 > 300 } && rig.stills > 200)
    print("late encoders, reordering \(reorders): \(rig.shown) live, \(rig.stills) of stills")
  }

  /// The test above can fail: an encoder that gives its packets the number of the newest frame's scene, as if it
  /// answered at once, shows to viewers what was hidden from them.
  @Test(arguments: [false, true]) func theNumberOfTheNewestFrameWouldLeak(reorders: Bool) throws {
    let encoders = LateEncoders(
      delays: 1...10, reorders: reorders, stamping: .ofTheNewestFrame, seed: 7)
    let rig = try pause(300, encoders, seed: reorders ? 12 : 11)
    #expect(rig.leaks.allSatisfy { !$0.isEmpty })
    print("with the number of the newest frame, reordering \(reorders): \(rig.leaks.map(\.count))")
  }

  /// Frames in the encoder when the format changes are sent before the new header, and those at the end, too.
  @Test(arguments: [false, true]) func noFrameIsLost(reorders: Bool) throws {
    let encoders = LateEncoders(delays: 4...10, reorders: reorders)
    let rig = try LateRig(encoders)
    rig.start()
    for index in 0..<60 {
      if index == 20 { rig.encode(at: .veryfast) }
      if index == 40 { rig.encode(at: .superfast) }
      rig.feed()
    }
    #expect(rig.recorder.count < 60)
    rig.stop()
    #expect(rig.mainShown.map(\.frame).sorted() == Array(1...60))
    #expect(rig.recorder.headers.withLock { $0.map(\.after) } == [0, 20, 40])
    let packets = rig.recorder.packets
    #expect(packets.indices.filter { packets[$0].kind == .keyframe } == [0, 20, 40])
    #expect(zip(packets, packets.dropFirst()).allSatisfy { $0.time < $1.time })
    #expect(rig.line.counters.frames.count == 60 && rig.line.counters.repeats.count == 0)
    #expect(encoders.state.withLock { $0.lost } == 0)
  }

  /// A sink needs a keyframe until it has got it. The encoder is asked for one only.
  @Test func aKeyframeThatIsHeldIsNotAskedForAgain() throws {
    let encoders = LateEncoders(delays: 10...10)
    let rig = try LateRig(encoders)
    rig.start()
    for _ in 0..<20 { rig.feed() }
    #expect(encoders.state.withLock { $0.keyframes } == [1])
    rig.recorder.wantKeyframe()
    rig.feed()
    // A cut hides the keyframe that is held: another one is needed.
    rig.renew()
    for _ in 0..<20 { rig.feed() }
    rig.stop()
    let asked = encoders.state.withLock { $0.keyframes }
    // The pipeline shows frame 21 once more for the new scene, unless the next frame comes before it.
    #expect(asked == [1, 21, 21] || asked == [1, 21, 22])
    #expect(rig.leaks.map(\.count) == [0, 0, 0])
  }

  /// Nobody begins with a frame of the time before all had left.
  @Test func whatIsHeldWhenAllLeaveIsDiscarded() throws {
    let encoders = LateEncoders(delays: 10...10)
    let rig = try LateRig(encoders)
    rig.start()
    for _ in 0..<20 { rig.feed() }
    rig.check()
    rig.leave()
    for _ in 0..<20 { rig.feed() }
    let before = rig.mainShown.count
    rig.join()
    for _ in 0..<20 { rig.feed() }
    rig.stop()
    #expect(rig.mainShown.dropFirst(before).map(\.frame) == Array(41...60))
    #expect(rig.mainShown.prefix(before).map(\.frame) == Array(1...UInt32(before)))
  }
}
