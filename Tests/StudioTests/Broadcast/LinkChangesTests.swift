// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import Studio

@Suite struct LinkChangesTests {
  @Test func eachStepDownOfTheLinkIsReported() {
    var rules = LinkChanges()
    var now = MediaTime(nanos: .seconds(100))
    func take(_ link: LinkQuality, seconds: Int64 = 0) -> LinkChanges.Change? {
      now = now + .seconds(seconds)
      return rules.note(link, now: now)
    }
    #expect(take(.good) == nil)
    #expect(take(.weak) == nil)
    #expect(take(.weak, seconds: 4) == nil, "it may be a moment")
    #expect(take(.weak, seconds: 1) == .degraded)
    #expect(take(.weak, seconds: 60) == nil)
    #expect(take(.poor) == .degraded)
    #expect(take(.weak, seconds: 3) == nil)
    #expect(take(.good, seconds: 3) == nil)
    #expect(take(.weak, seconds: 9) == nil, "it was good for too short")
    #expect(take(.good) == nil)
    #expect(take(.good, seconds: 9) == nil)
    #expect(take(.good, seconds: 1) == .recovered)
    #expect(take(.poor) == .degraded)
  }

  /// It counts neither as a good nor as a weak link.
  @Test func timeWithoutAConnectionDoesNotCount() {
    var rules = LinkChanges()
    let now = MediaTime(nanos: .seconds(100))
    #expect(rules.note(.weak, now: now) == nil)
    rules.restartCounting()
    #expect(rules.note(.weak, now: now + .seconds(60)) == nil)
    #expect(rules.note(.weak, now: now + .seconds(65)) == .degraded)
    #expect(rules.note(.good, now: now + .seconds(66)) == nil)
    rules.restartCounting()
    #expect(rules.note(.good, now: now + .seconds(120)) == nil)
    #expect(rules.note(.good, now: now + .seconds(130)) == .recovered)
  }
}
