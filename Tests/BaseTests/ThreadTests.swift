// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Synchronization
import Testing

@testable import Base

struct ThreadTests {
  @Test func aThreadEndsAndCanBeJoinedTwice() {
    let ran = Atomic<Bool>(false)
    let thread = MediaThread(name: "test", urgency: .ordinary) {
      ran.store(true, ordering: .releasing)
    }
    #expect(thread.join(until: .now() + .seconds(30)))
    #expect(thread.join(until: .now() + .seconds(30)))
    let hasRun = ran.load(ordering: .acquiring)
    #expect(hasRun)
  }

  @Test func joiningAThreadThatHangsEndsAtTheDeadline() {
    let release = Signal()
    let thread = MediaThread(name: "hangs", urgency: .ordinary) {
      _ = release.wait(until: .distantFuture)
    }
    #expect(!thread.join(until: .now() + .milliseconds(20)))
    release.signal()
    #expect(thread.join(until: .now() + .seconds(30)))
  }

  @Test func aSignalBeforeTheWaitIsNotLost() {
    let signal = Signal()
    signal.signal()
    #expect(signal.wait(until: .distantPast))
    #expect(!signal.wait(until: .now() + .milliseconds(5)))
  }

  @Test func aWakerStaysReadyUntilCleared() {
    let waker = Waker()
    #expect(!waker.wait(for: -1, until: .now()).woken)
    waker.wake()
    #expect(waker.wait(for: -1, until: .now() + .seconds(1)).woken)
    waker.clear()
    #expect(!waker.wait(for: -1, until: .now()).woken)
  }
}
