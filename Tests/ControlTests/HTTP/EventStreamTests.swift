// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Director
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import Settings
import Synchronization
import TestSupport
import Testing

@testable import Box
@testable import Control
@testable import Events

/// What listeners get, and what they cost.
@Suite struct EventStreamTests {
  /// Takes messages until there are enough.
  private final class Client: ResponseBodyWriter, Sendable {
    struct EnoughError: Error {}
    let all = Mutex<[String]>([])
    let count: Int
    init(_ count: Int) { self.count = count }

    func write(_ buffer: ByteBuffer) async throws {
      let isLast = all.withLock { all in
        all.append(String(buffer: buffer))
        return all.count == count
      }
      if isLast { throw EnoughError() }
    }
    func finish(_ trailingHeaders: HTTPFields?) async throws {}
  }

  @Test func aListenerGetsWhatItMissedAndTheStatus() async throws {
    let directory = stateDirectory()
    let configuration = try Configuration.load(
      file: nil, overrides: ["state.directory=\(directory)", "page.listen="], environment: [:])
    let station = Station(
      configuration: configuration, reload: { _ throws(ConfigurationError) in configuration },
      store: IntentStore(directory: directory) { _ in },
      events: EventLog(log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, before: 0))
    station.events.report(.paused, "One.")
    station.events.report(.resumed, "Two.")
    let streams = EventStreams()
    let place = try #require(streams.reservePlace())
    let client = Client(4)
    let body = streams.body(
      of: station, after: 0, with: .status, mayViewOffAir: false, place: place
    ) {
      true
    }
    await #expect(throws: Client.EnoughError.self) { try await body.write(client) }
    let messages = client.all.withLock { $0 }
    #expect(messages[0] == "retry: 2000\n\n")
    #expect(messages[1].hasPrefix("id: 1\nevent: paused\ndata: {\"code\":\"paused\",\"number\":1,"))
    #expect(messages[2].hasPrefix("id: 2\nevent: resumed\n"))
    #expect(messages[3].hasPrefix("event: status\ndata: {"))
    #expect(messages.allSatisfy { $0.hasSuffix("\n\n") })
  }
}
