// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Director
import HTTPTypes
import HummingbirdCore
import Media
import NIOCore
import Synchronization
import Testing

@testable import Box
@testable import Control

/// What listeners get, and what they cost.
@Suite struct EventStreamTests {
  /// Takes messages until there are enough.
  private final class Client: ResponseBodyWriter, Sendable {
    struct HasEnough: Error {}
    let all = Mutex<[String]>([])
    let count: Int
    init(_ count: Int) { self.count = count }

    func write(_ buffer: ByteBuffer) async throws {
      let isLast = all.withLock { all in
        all.append(String(buffer: buffer))
        return all.count == count
      }
      if isLast { throw HasEnough() }
    }
    func finish(_ trailingHeaders: HTTPFields?) async throws {}
  }

  @Test func aListenerGetsWhatItMissedAndTheStatus() async throws {
    let station = try StationChangeTests.station(in: try StationChangeTests.directory())
    station.events.report(.paused, "One.")
    station.events.report(.resumed, "Two.")
    let streams = EventStreams()
    let place = try #require(streams.take())
    let client = Client(4)
    let body = streams.body(of: station, after: 0, with: .status, mayAim: false, place: place) {
      true
    }
    await #expect(throws: Client.HasEnough.self) { try await body.write(client) }
    let messages = client.all.withLock { $0 }
    #expect(messages[0] == "retry: 2000\n\n")
    #expect(messages[1].hasPrefix("id: 1\nevent: paused\ndata: {\"code\":\"paused\",\"number\":1,"))
    #expect(messages[2].hasPrefix("id: 2\nevent: resumed\n"))
    #expect(messages[3].hasPrefix("event: status\ndata: {"))
    #expect(messages.allSatisfy { $0.hasSuffix("\n\n") })
  }

  @Test func listenersShareOneStatus() throws {
    let station = try StationChangeTests.station(in: try StationChangeTests.directory())
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
}
