// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Media
import Synchronization
import TestSupport
import Testing

@testable import Base
@testable import Video

/// Filters that are processes: what comes of those that behave, and of those that do not. In each case the frame is shown, and
/// afterwards no process, thread, memory or descriptor is left.
@Suite(.serialized) struct FilterProcessTests {
  init() throws { try #require(FilterRig.folder != nil, "no C compiler") }

  /// Whether nothing is left of the filters that a test has had.
  private func isClean() -> Bool {
    eventually { FilterRig.children.isEmpty && FilterRig.memories == 0 }
  }

  @Test func aFrameIsFilteredOnceTheProgramIsReady() {
    let rig = FilterRig()
    do {
      let filter = rig.make("good")
      #expect(rig.applyUntilChanged(filter) == 200)
      // The clock stands still, so the frame waits for as long as it takes.
      for _ in 0..<50 { #expect(rig.apply(filter).first == 200) }
    }
    #expect(isClean())
    #expect(rig.told.all.isEmpty)
  }

  /// The new size is filtered as the old one was.
  @Test func anotherSizeStartsTheProgramAnew() {
    let rig = FilterRig()
    do {
      let filter = rig.make("good")
      #expect(rig.applyUntilChanged(filter) == 200)
      let size = PictureSize(width: 130, height: 74)
      #expect(!rig.apply(filter, size: size).isChanged)
      #expect(eventually { rig.apply(filter, size: size).first == 200 })
    }
    #expect(isClean())
  }

  /// After a pause no frame of the time before it is seen, even if the program has kept one.
  @Test func aProgramThatKeepsFramesForgetsThemAtAReset() {
    let rig = FilterRig()
    do {
      let filter = rig.make("keeps")
      #expect(rig.applyUntilChanged(filter, luma: 50) == 50)
      #expect(rig.apply(filter, luma: 60).first == 50)
      filter.reset()
      #expect(!rig.apply(filter, luma: 70).isChanged)
      for _ in 0..<3 {
        let seen = rig.applyUntilChanged(filter, luma: 80)
        #expect(seen == 80)
      }
    }
    #expect(isClean())
  }

  /// What a program finds is given to those after it, in the same frame alone; what is no number is left out.
  @Test func pointsAreHandedOn() {
    let rig = FilterRig()
    do {
      let (finder, counter) = (rig.make("finds"), rig.make("counts"))
      #expect(rig.applyUntilChanged(counter) == 0)
      // A quarter of the points are good ones, each fourth.
      #expect(
        eventually {
          !rig.apply(finder, at: 5).isChanged && rig.apply(counter, at: 5).first == 128
        })
      #expect(rig.apply(counter, at: 5).second == 40)
      #expect(rig.apply(counter, at: 6).first == 0)
    }
    #expect(isClean())
  }

  @Test func aProgramCanDoNothingButFilter() {
    let rig = FilterRig()
    do {
      let filter = rig.make("escapes")
      var result = rig.apply(filter)
      _ = eventually {
        result = rig.apply(filter)
        return result.isChanged || !rig.told.all.isEmpty
      }
      #expect(result.first == 200)
      #expect(rig.told.all.isEmpty)
    }
    #expect(isClean())
    #expect(rig.remarks.all.isEmpty)
  }

  /// On a kernel without Landlock it can read files, which is told once, but not what OnAir has in its memory.
  @Test func withoutLandlockOnAirsMemoryIsHidden() {
    let rig = FilterRig(hasLandlock: false)
    do {
      let filter = rig.make("escapes")
      #expect(rig.applyUntilChanged(filter) == 200)
      #expect(rig.told.all.isEmpty)
      #expect(!isReadableByOthers)
      filter.reset()
      #expect(rig.applyUntilChanged(filter) == 200)
    }
    #expect(isClean())
    #expect(rig.remarks.all == [FilterTools.unconfinedWarning("f")])
  }

  /// Whether other processes of this user may read this one's memory (PR_GET_DUMPABLE of prctl(2)).
  private var isReadableByOthers: Bool {
    typealias Call = @convention(c) (CInt) -> CInt
    guard let prctl = unsafe dlsym(nil, "prctl") else { return true }
    return unsafe unsafeBitCast(prctl, to: Call.self)(3) != 0
  }

  /// Frames stay as they are, and why is told once.
  @Test(arguments: [
    ("exits", "ended with the exit code 3"), ("crashes", "crash (SIGSEGV)"),
    ("ends", "ended by itself"), ("beyond", "crash (SIGSEGV)"),
    ("leaks", "crash (SIGABRT), perhaps for lack of memory"), ("wrong", "the number of a frame"),
    ("talks", "is [31m red and \u{FFFD} odd"), ("none", "in none of these folders"),
  ])
  func aProgramThatFailsIsSwitchedOff(_ program: String, _ words: String) {
    let rig = FilterRig()
    do {
      let filter = rig.make(program)
      #expect(
        eventually {
          _ = rig.apply(filter)
          return !rig.told.all.isEmpty
        })
      #expect(rig.told.all.first?.contains(words) ?? false, "\(rig.told.all)")
      #expect(rig.told.all.first?.contains("filter.f.enabled") ?? false)
      for _ in 0..<20 {
        let result = rig.apply(filter)
        #expect(!result.isChanged && result.first == 100)
      }
      #expect(rig.told.all.count == 1)
    }
    #expect(isClean())
    #expect(rig.told.wait(for: 2).last == "over")
  }

  /// On a clock that runs: it decides what is late.
  @Test(arguments: [
    ("sleeps", "not answered for a second"), ("never-ready", "not ready within 5 seconds"),
    ("floods", "not answered for a second"),
  ])
  func aProgramThatDoesNotAnswerIsSwitchedOff(_ program: String, _ words: String) {
    let rig = FilterRig()
    do {
      let filter = rig.make(program)
      let told = rig.applyUntilTold(filter)
      #expect(told.first?.contains(words) ?? false, "\(told)")
      #expect(rig.apply(filter).first == 100)
    }
    #expect(isClean())
  }

  /// Each frame is late, and shown as it is.
  @Test func aProgramThatIsLateThreeTimesIsSwitchedOff() {
    let rig = FilterRig()
    do {
      // 30 real milliseconds are at least 100 virtual ones, and a frame waits for 16.
      let filter = rig.make("slow", text: "30")
      let told = rig.applyUntilTold(filter)
      #expect(told.first?.contains("late for three frames") ?? false, "\(told)")
    }
    #expect(isClean())
  }

  /// Neither side's memory can be shrunk, and what the program writes is no place in OnAir's memory.
  @Test func aProgramThatWritesEverywhereChangesOnlyThePicture() {
    let rig = FilterRig()
    do {
      let filter = rig.make("scribbles")
      _ = rig.applyUntilChanged(filter)
      for _ in 0..<20 { #expect(rig.apply(filter).isChanged) }
      #expect(rig.told.all.isEmpty)
    }
    #expect(isClean())
  }

  /// What is told of it ends with the filter, or once there is a thread.
  @Test(arguments: [false, true]) func aFilterWithoutAThreadIsToldAndItsEnd(comesLater: Bool) {
    let rig = FilterRig()
    let memory = Memory()
    do {
      let process = FilterProcess(rig.plan("good")) {
        (worker, body) throws(MediaThread.NoThreadError) in
        guard memory.isThere.load(ordering: .relaxed) else {
          throw MediaThread.NoThreadError(code: EAGAIN)
        }
        try worker.tryStart(body)
      }
      defer { process.stop() }
      #expect(process.session(for: FilterRig.size) == nil)
      process.change(rig.plan("good", text: "other"))
      #expect(rig.told.all.count == 1)
      #expect(rig.told.all.first?.contains("too little memory") ?? false, "\(rig.told.all)")
      if comesLater {
        memory.isThere.store(true, ordering: .relaxed)
        process.change(rig.plan("good"))
        #expect(eventually { process.session(for: FilterRig.size) != nil })
        #expect(rig.told.all.last == "over")
      }
    }
    #expect(isClean())
    #expect(rig.told.all.count == 2 && rig.told.all.last == "over")
  }

  private final class Memory: Sendable {
    let isThere = Atomic(false)
  }

  /// Switching off and on makes a new filter, other parameters start the same one again.
  @Test func aFilterIsTriedAgainWithOtherParameters() {
    let rig = FilterRig()
    do {
      let filter = rig.make("ends")
      #expect(rig.applyUntilChanged(filter) == 200)
      #expect(
        eventually {
          _ = rig.apply(filter)
          return !rig.told.all.isEmpty
        })
      #expect(filter.change(rig.plan("ends", text: "other")))
      #expect(rig.applyUntilChanged(filter) == 200)
      #expect(rig.told.wait(for: 2)[1] == "over")
      #expect(!filter.change(rig.plan("good")))
    }
    #expect(isClean())
  }
}

/// When a filter has been late too often.
@Suite struct FilterLatenessTests {
  @Test func threeLateFramesWithinTenSecondsAreTooMany() {
    let start = MediaTime(nanos: .seconds(100))
    var pace = FilterLateness()
    let seconds: [Int64] = [0, 4, 11, 20, 21]
    let isTooMuch = seconds.map { pace.noteLate(start + .seconds($0)) }
    #expect(isTooMuch == [false, false, false, false, true])
  }
}
