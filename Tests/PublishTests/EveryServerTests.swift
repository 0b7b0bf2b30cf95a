// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import FakeServer
import Media
import Testing

@testable import Publish

/// Each server of the table: the sentence, the code, the seconds, the retry; and the thread is free
/// again.
@Suite struct EveryServerTests {
  /// How late the supervisor may be, and this machine.
  private static let slack = Int64.seconds(3)

  private func begin(
    _ server: BadServer, deadlines: RTMPDeadlines
  ) throws -> (BadServer.Running, Rig) {
    let running = try server.run()
    let rig = try Rig(
      port: running.port, host: running.host, queueBytes: 1 << 20, deadlines: deadlines)
    rig.destination.start()
    switch server.load {
    case .nothing: break
    case .stream: rig.encode()
    case .flood: rig.flood()
    }
    return (running, rig)
  }

  @Test(arguments: BadServer.all) func isToldInTime(_ server: BadServer) throws {
    let deadlines = server.step.map { Rig.deadlines(short: $0) } ?? Rig.deadlines
    let start = MediaTime.now()
    let (running, rig) = try begin(server, deadlines: deadlines)
    defer { running.end() }
    var report: DestinationReport?
    _ = Rig.wait(seconds: 15) {
      // That nothing is confirmed may be told before it is known why.
      report = rig.told.first {
        server.codes.isEmpty
          ? $0.state == .publishing : $0.cause != nil && $0.cause != .unconfirmed
      }
      return report != nil
    }
    let took = MediaTime.now() - start
    let told = try #require(report)
    if let code = told.cause?.code {
      #expect(server.codes.contains(code), "\(told)")
    } else {
      #expect(server.codes.isEmpty)
    }

    let deadline = server.step.map { deadlines.nanos($0) } ?? 0
    // Two buffers fill up before a link is too slow.
    let filling = server.load == .nothing ? 0 : Int64.seconds(2)
    #expect(took <= deadline + filling + EveryServerTests.slack)
    if told.cause?.code.hasPrefix("timed_out") == true, server.codes.count == 1 {
      #expect(took >= deadline, "it is the deadline that ends it")
    }

    // The connection stays when the link is too slow.
    let retry = told.state == .publishing ? .none : server.retry
    switch retry {
    case .none: #expect(told.retry == nil)
    case .even:
      #expect(told.retry?.isGrowing == false)
      #expect((told.retry?.pauseNanos ?? .max) <= deadlines.retryPause * 21 / 20)
    case .growing: #expect(told.retry?.isGrowing == true)
    }
    if retry != .none {
      #expect(Rig.wait { rig.destination.counters.failures >= 2 }, "it tries again")
    }
    #expect(rig.longestSilence <= max(deadline, .seconds(1)) + EveryServerTests.slack)
    #expect(rig.stop())
    #expect(rig.destination.counters.state == .stopped)
    for report in rig.told { #expect(!"\(report)".contains(Rig.key)) }
  }

  /// With the deadlines of the real program, most of these servers hold it in their worst step now.
  @Test(arguments: BadServer.all) func canBeStopped(_ server: BadServer) throws {
    let (running, rig) = try begin(server, deadlines: RTMPDeadlines())
    defer { running.end() }
    (MediaTime.now() + .milliseconds(server.load == .nothing ? 100 : 500)).sleepUntil()
    let start = MediaTime.now()
    #expect(rig.stop(goodbye: true, seconds: 2))
    #expect(MediaTime.now() - start < .seconds(2))
  }
}

extension BadServer: CustomTestStringConvertible {
  public var testDescription: String { name }
}
