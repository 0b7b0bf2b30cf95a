// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Logging
import Settings
import TestSupport
import Testing

@testable import Box
@testable import Events

@Suite struct RelayKeeperTests {
  private let directory = stateDirectory()
  private let jobs = JobThread(name: "test", urgency: .ordinary, mostWaiting: 8)

  /// That of a box with one relay, after a power cut on air.
  private func keeper() throws -> RelayKeeper {
    let configuration = try Configuration.load(
      file: nil,
      overrides: [
        "state.directory=\(directory)", "relay.one.url=rtmp://127.0.0.1:1/live",
        "relay.one.key=k",
      ], environment: [:])
    return RelayKeeper(
      configuration, wasOff: false, isOff: false, hasOwnAddress: false,
      events: EventLog(log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }), jobs: jobs)
  }

  /// What was asked of a relay counts no more when the broadcast ends, and its file stays for a moment: after a power cut
  /// before the end is on the disk, a relay that was stopped must not get the stream again.
  @Test func theFileOutlivesTheEndOfTheBroadcast() throws {
    let keeper = try keeper()
    #expect(keeper.desk.targets.map(\.name) == ["one"])
    #expect(try keeper.perform(.stop, of: "one", by: "by test") { $0() } == ["one"])
    #expect(keeper.desk.targets.isEmpty)
    keeper.forgetRequests(hasOwnAddress: false)
    #expect(keeper.desk.targets.map(\.name) == ["one"])
    #expect(try self.keeper().desk.targets.isEmpty)
    keeper.forgetFile()
    #expect(jobs.finish(by: .now() + .seconds(60)))
    #expect(try self.keeper().desk.targets.map(\.name) == ["one"])
  }

  /// A broadcast that has ended meanwhile is not followed.
  @Test func whatIsNotCarriedOutChangesNothing() throws {
    let keeper = try keeper()
    #expect(throws: StationError.self) {
      _ = try keeper.perform(.stop, of: "two", by: "by test") { $0() }
    }
    #expect(try keeper.perform(.stop, of: nil, by: "by test") { _ in } == ["one"])
    #expect(keeper.desk.targets.map(\.name) == ["one"])
  }
}
