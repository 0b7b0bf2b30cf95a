// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import TestSupport
import Testing

@testable import Box
@testable import Studio

/// What a lip-sync measurement tells.
@Suite struct LipSyncReplyTests {
  /// The reply to a measurement of which each sound comes `offsetMs` after its flash, give or take some milliseconds.
  private func reply(_ offsetMs: Double, isByPhone: Bool) throws -> LipSync {
    var (events, dice) = (LipSyncEvents(), SplitMix64(seed: 3))
    for second in 1...20 {
      let flash = MediaTime(nanos: .seconds(Int64(second)))
      events.addFlash(flash)
      events.addSound(flash + Int64((offsetMs + Double.random(in: -9...9, using: &dice)) * 1e6))
    }
    let result = try events.result(present: 0).get()
    return LipSync(.done(result), hasBeats: true, isByPhone: isByPhone)
  }

  /// A phone's own screen and speaker are apart by some tens of milliseconds.
  @Test(arguments: [
    (-180.0, LipSync.Verdict.early), (-60, .early), (-40, .together), (0, .together),
    (40, .together), (60, .late), (180, .late),
  ])
  func aPhoneTellsNoDelay(offsetMs: Double, verdict: LipSync.Verdict) throws {
    let reply = try reply(offsetMs, isByPhone: true)
    #expect(reply.verdict == verdict && reply.byPhone == true && reply.events == 20)
    #expect(reply.delayMs == nil && reply.soundAfterMs == nil && reply.spreadMs == nil)
    let sentence = try #require(reply.sentence)
    #expect(sentence.contains("50 ms") && !sentence.contains("delay_ms"))
    let word = [.late: "after", .early: "before", .together: "at most"][verdict] ?? ""
    #expect(sentence.contains(word))

    let exact = try self.reply(offsetMs, isByPhone: false)
    #expect(exact.verdict == nil && exact.byPhone == nil)
    #expect(abs((exact.soundAfterMs ?? 0) - offsetMs) < 5 && exact.delayMs != nil)
  }

  @Test func aPhoneNeedsNoLamp() {
    let running = LipSyncTest.State.running(flashes: 0, sounds: 0, secondsLeft: 60)
    #expect(LipSync(running, hasBeats: true).byLamp == true)
    let reply = LipSync(running, hasBeats: true, isByPhone: true)
    #expect(reply.byLamp == false && reply.sentence?.contains("its screen") == true)
    let failed = LipSync(.failed(.tooFew), hasBeats: true, isByPhone: true)
    #expect(failed.byPhone == true && failed.sentence?.contains("bring the phone") == true)
  }
}
