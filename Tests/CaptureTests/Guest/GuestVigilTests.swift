// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import Capture

/// When a reader has hung or sends too much, and when frames have stopped.
@Suite struct GuestVigilTests {
  private static let start = MediaTime(nanos: .seconds(1_000))

  /// A vigil that can be asked inside of `#expect`.
  private final class Vigil {
    private var vigil: GuestVigil
    init(startedAt start: MediaTime) { vigil = GuestVigil(startedAt: start) }
    func hasHung(beat: Int64, _ now: MediaTime) -> Bool { vigil.hasHung(beat: beat, now) }
    func allows(_ message: GuestBroker.Message, _ now: MediaTime) -> Bool {
      vigil.allows(message, now)
    }
    func noteFrame(_ now: MediaTime) -> Bool { vigil.noteFrame(now) }
    func hasStalled(isExpected: Bool, frameRate: Double, _ now: MediaTime) -> Bool {
      vigil.hasStalled(isExpected: isExpected, frameRate: frameRate, now)
    }
  }

  private func at(_ milliseconds: Int64) -> MediaTime {
    GuestVigilTests.start + .milliseconds(milliseconds)
  }

  @Test func aReaderMayTakeLongToStartAndNotToGoOn() {
    let vigil = Vigil(startedAt: GuestVigilTests.start)
    #expect(!vigil.hasHung(beat: 0, at(30_000)))
    #expect(vigil.hasHung(beat: 0, at(30_001)))
    #expect(!vigil.hasHung(beat: 7, at(30_002)))
    #expect(!vigil.hasHung(beat: 7, at(40_002)))
    #expect(vigil.hasHung(beat: 7, at(40_003)))
    // Any other value is a sign of life: a reader can write what it likes.
    #expect(!vigil.hasHung(beat: -5, at(40_004)))
    #expect(!vigil.hasHung(beat: -5, at(50_004)))
    #expect(vigil.hasHung(beat: -5, at(50_005)))
  }

  @Test func twoHundredRequestsOrTwentyStatesASecondAreAllowed() {
    let vigil = Vigil(startedAt: GuestVigilTests.start)
    for second in 0..<3 {
      for message in 0..<200 {
        #expect(vigil.allows(.connection(0), at(Int64(second * 1_000 + message))))
      }
    }
    #expect(!vigil.allows(.connection(0), at(2_999)))
    for _ in 0..<20 { #expect(vigil.allows(.state(.connecting), at(3_000))) }
    #expect(!vigil.allows(.connection(0), at(3_999)))
    #expect(vigil.allows(.state(.ended), at(4_000)))
  }

  @Test func framesThatAreExpectedHaveStoppedAfterASecond() {
    let vigil = Vigil(startedAt: GuestVigilTests.start)
    #expect(!vigil.hasStalled(isExpected: false, frameRate: 30, at(5_000)))
    // From when they are expected on.
    #expect(!vigil.hasStalled(isExpected: true, frameRate: 30, at(6_000)))
    #expect(!vigil.hasStalled(isExpected: true, frameRate: 30, at(7_000)))
    #expect(vigil.hasStalled(isExpected: true, frameRate: 30, at(7_001)))
    #expect(!vigil.hasStalled(isExpected: true, frameRate: 30, at(9_000)))
    #expect(vigil.noteFrame(at(9_100)))
    #expect(!vigil.noteFrame(at(9_200)))
    #expect(!vigil.hasStalled(isExpected: true, frameRate: 30, at(10_200)))
    #expect(vigil.hasStalled(isExpected: true, frameRate: 30, at(10_201)))
    // Not expected any more, and expected again.
    #expect(!vigil.hasStalled(isExpected: false, frameRate: 30, at(10_300)))
    #expect(!vigil.noteFrame(at(10_350)))
    #expect(!vigil.hasStalled(isExpected: true, frameRate: 30, at(10_400)))
    #expect(vigil.hasStalled(isExpected: true, frameRate: 30, at(11_401)))
  }

  @Test(arguments: [
    (0.0, 1_000), (30.0, 1_000), (1.0, 3_000), (0.5, 6_000), (0.001, 10_000), (1e9, 1_000),
  ])
  func slowVideoMayTakeThreeIntervals(_ frameRate: Double, _ patience: Int64) {
    let vigil = Vigil(startedAt: GuestVigilTests.start)
    #expect(!vigil.hasStalled(isExpected: true, frameRate: frameRate, at(0)))
    #expect(!vigil.hasStalled(isExpected: true, frameRate: frameRate, at(patience)))
    #expect(vigil.hasStalled(isExpected: true, frameRate: frameRate, at(patience + 1)))
  }
}
