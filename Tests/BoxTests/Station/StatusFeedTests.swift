// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import TestSupport
import Testing

@testable import Box

@Suite struct StatusFeedTests {
  @Test func listenersShareOneStatus() throws {
    let station = try SettingsDeskTests.desk(in: stateDirectory()).station
    let feed = StatusFeed()
    let start = MediaTime(nanos: .seconds(1_000))
    var status = station.status
    var built = 0
    func newest(after nanos: Int64) -> StatusFeed.Edition {
      feed.newest(start + nanos) {
        built += 1
        return status
      }
    }
    for listener in 0..<24 { #expect(newest(after: .milliseconds(Int64(listener))).number == 1) }
    #expect(built == 1)
    // Counters alone are no news, but whoever comes gets the present ones.
    status.troubles[0].sinceSeconds = 7
    let later = newest(after: .milliseconds(100))
    #expect(later.number == 1 && later.status.troubles[0].sinceSeconds == 7)
    status.lamp = "live"
    #expect(newest(after: .milliseconds(150)).number == 1)
    #expect(newest(after: .milliseconds(200)).number == 2)
    #expect(newest(after: .milliseconds(300)).number == 2)
    #expect(built == 4)
    // Times are computed anew each time, and differ by a millisecond.
    for (index, since) in ["1", "2"].enumerated() {
      status.watched = Status.Watched(by: "the page", since: since)
      #expect(newest(after: .milliseconds(400 + 100 * Int64(index))).number == 3)
    }
  }

  /// Somebody who has asked gets no older status from the stream afterwards.
  @Test func whoHasAskedIsNotToldOfBefore() throws {
    let station = try SettingsDeskTests.desk(in: stateDirectory()).station
    let feed = StatusFeed()
    let start = MediaTime(nanos: .seconds(1_000))
    var status = station.status
    status.lamp = "unconfirmed"
    #expect(feed.newest(start) { status }.status.lamp == "unconfirmed")
    status.lamp = "live"
    #expect(feed.present(start + .milliseconds(10)) { status }.lamp == "live")
    let next = feed.newest(start + .milliseconds(20)) { status }
    #expect(next.number == 2 && next.status.lamp == "live")
  }
}
