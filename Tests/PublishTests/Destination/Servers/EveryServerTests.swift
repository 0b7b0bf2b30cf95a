// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import FakeServer
import Testing

@testable import Publish

/// The table of bad servers, with the program's own deadlines on a virtual clock. Time passes only when a test says so,
/// so a busy machine changes nothing.
@Suite struct EveryServerTests {
  private func start(
    _ server: BadServer, deadlines: RTMPDeadlines = RTMPDeadlines(), on clock: VirtualClock
  ) throws -> (BadServer.Running, Rig) {
    let running = try server.run()
    let rig = try Rig(
      port: running.port, host: running.host, queueBytes: 1 << 20, deadlines: deadlines,
      clock: clock.clock)
    rig.destination.start()
    switch server.load {
    case .nothing: break
    case .stream: rig.encode()
    case .flood: rig.flood()
    }
    return (running, rig)
  }

  /// Moves the clock, 20 ms at a time, until a condition holds.
  private func advance(_ clock: VirtualClock, until isDone: () -> Bool) -> Bool {
    Rig.wait {
      if isDone() { return true }
      clock.advance(by: .milliseconds(20))
      return false
    }
  }

  /// The first report that decides about the server: its failure, but not that delivery is only unconfirmed. For a good
  /// server, that it publishes.
  private func found(_ server: BadServer, _ rig: Rig) -> DestinationReport? {
    rig.reported.first {
      server.codes.isEmpty
        ? $0.state == .publishing : $0.cause != nil && $0.cause != .unconfirmed
    }
  }

  @Test(arguments: BadServer.all) func causeAndRetry(_ server: BadServer) throws {
    let clock = VirtualClock()
    let (running, rig) = try start(server, on: clock)
    defer { running.end() }

    switch server.step {
    case nil: #expect(Rig.wait { found(server, rig) != nil })
    // They do not depend on any earlier step.
    case .resolve, .connect, .send: #expect(advance(clock) { found(server, rig) != nil })
    case .some(let step):
      try #require(Rig.wait { rig.destination.control.state.withLock { $0.step } == step })
      clock.advance(by: RTMPDeadlines().nanos(step) - .milliseconds(1))
      pause(milliseconds: 20)
      #expect(found(server, rig) == nil, "before the deadline")
      clock.advance(by: .milliseconds(1))
      #expect(Rig.wait { found(server, rig) != nil })
    }
    let report = try #require(found(server, rig))
    if let cause = report.cause {
      #expect(server.codes.contains(cause.code))
    } else {
      #expect(server.codes.isEmpty)
    }

    // The connection stays up when the link is only too slow.
    let retry = report.state == .publishing ? .none : server.retry
    switch retry {
    case .none: #expect(report.retry == nil)
    case .even:
      #expect(report.retry?.isGrowing == false)
      #expect((report.retry?.pauseNanos ?? .max) <= RTMPDeadlines().retryPause * 21 / 20)
    case .growing: #expect(report.retry?.isGrowing == true)
    }
    if retry != .none {
      #expect(advance(clock) { rig.destination.counters.failures >= 2 }, "it tries again")
    }
    #expect(rig.stop())
    #expect(rig.destination.counters.state == .stopped)
    for report in rig.reported { #expect(!"\(report)".contains(Rig.key)) }
  }

  /// Refusals of servers that go on refusing become a cause that needs a person, and stay one.
  @Test(arguments: BadServer.all.filter { $0.fault != nil }) func refusalsBecomeAFault(
    _ server: BadServer
  ) throws {
    let clock = VirtualClock()
    let (running, rig) = try start(server, on: clock)
    defer { running.end() }
    let began = clock.now
    func isFault() -> Bool {
      let counters = rig.destination.counters
      return counters.needsPerson && counters.obstacle?.code == server.fault
    }
    #expect(advance(clock) { isFault() })
    #expect(clock.now - began < .seconds(90))
    let failures = rig.destination.counters.failures
    var hasRecovered = false
    #expect(
      advance(clock) {
        hasRecovered = hasRecovered || !isFault()
        return rig.destination.counters.failures > failures + 1
      })
    #expect(!hasRecovered, "the lamp does not say otherwise during an attempt")
    #expect(rig.destination.trouble?.cause.code == server.fault)
    #expect(rig.reported.contains { $0.cause?.code == server.fault })
    #expect(rig.stop())
  }

  /// The clock stands still, so no deadline of a step helps: only the stop ends what hangs.
  @Test(arguments: BadServer.all) func stopEndsWhateverHangs(_ server: BadServer) throws {
    let (running, rig) = try start(server, deadlines: Rig.impatient, on: VirtualClock())
    defer { running.end() }
    pause(milliseconds: server.load == .nothing ? 10 : 50)
    #expect(rig.stop(goodbye: true))
    #expect(rig.reported.last?.state == .stopped)
  }
}

extension BadServer: CustomTestStringConvertible {
  public var testDescription: String { name }
}
