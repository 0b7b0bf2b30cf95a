// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import FakeServer
import Mux
import Synchronization
import Testing

@testable import Publish

/// Servers that are slow but right: each step gets more time after it has timed out.
@Suite struct StepPatienceTests {
  @Test(
    arguments: [
      // Seconds of the first five attempts that time out at the step.
      (.connect, [4, 8, 16, 30, 30]), (.tls, [5, 10, 20, 30, 30]),
      (.handshake, [5, 10, 20, 30, 30]),
      (.connectReply, [5, 10, 20, 30, 30]), (.publishReply, [8, 16, 30, 30, 30]),
      (.resolve, [5, 5, 5, 5, 5]), (.send, [4, 4, 4, 4, 4]), (.goodbye, [1, 1, 1, 1, 1]),
    ] as [(RTMPStep, [Int64])])
  func aTimeOutDoublesTheDeadlineOfItsStepAlone(_ step: RTMPStep, _ seconds: [Int64]) {
    let normal = RTMPDeadlines()
    var patience = StepPatience()
    for expected in seconds {
      let deadlines = patience.deadlines(normal)
      #expect(deadlines.nanos(step) == .seconds(expected))
      for other in RTMPStep.allCases where other != step {
        #expect(deadlines.nanos(other) == normal.nanos(other))
      }
      patience.noteFailure(.timedOut(step))
    }
  }

  @Test func otherFailuresChangeNothing() {
    var patience = StepPatience()
    for cause: DestinationCause in [.connectionRefused, .refused(.other), .closedByServer(.tls)] {
      patience.noteFailure(cause)
    }
    #expect(patience.deadlines(RTMPDeadlines()) == RTMPDeadlines())
  }

  @Test func aSuccessEndsItUnlessTheStepNeededTheTime() {
    let normal = RTMPDeadlines()
    var patience = StepPatience()
    for step: RTMPStep in [.handshake, .connectReply, .publishReply] {
      patience.noteFailure(.timedOut(step))
    }
    patience.noteSuccess(
      took: [.handshake: .seconds(1), .connectReply: .seconds(5), .publishReply: .seconds(9)],
      normal: normal)
    var expected = normal
    expected.publishReply = .seconds(16)
    #expect(patience.deadlines(normal) == expected)
    patience.noteSuccess(took: [.publishReply: .seconds(2)], normal: normal)
    #expect(patience.deadlines(normal) == normal)
  }

  /// A server that answers at one step only when the test says so.
  enum SlowStep: String, CaseIterable {
    case handshake, connect, createStream, publish

    var step: RTMPStep {
      switch self {
      case .handshake: .handshake
      case .connect: .connectReply
      case .createStream, .publish: .publishReply
      }
    }

    func answer(_ peer: Peer, waiting: () -> Void) throws {
      if self == .handshake { waiting() }
      try peer.greet()
      switch self {
      case .handshake: try peer.answer(upTo: "publish")
      case .publish:
        try peer.answer(upTo: "publish")
        waiting()
      case .connect, .createStream:
        let transaction = try peer.answer(upTo: rawValue)[1].number ?? 0
        waiting()
        try peer.send(
          [.string("_result"), .number(transaction), .null]
            + [self == .connect ? AMF0.null : .number(1)])
        try peer.answer(upTo: "publish")
      }
      try peer.status("NetStream.Publish.Start")
      peer.readToEnd()
    }
  }

  /// Moves the clock while a server is waited for at a step, or the next attempt. No other step may time out on a busy
  /// machine.
  private func isTaken(_ rig: Rig, slowAt step: RTMPStep, _ clock: VirtualClock) -> Bool {
    Rig.wait {
      let present = rig.destination.control.state.withLock { $0.step }
      let state = rig.destination.counters.state
      if present == step || state == .waiting { clock.advance(by: .milliseconds(20)) }
      return state.isOnAir
    }
  }

  /// A server that needs 25 s at one step, which is more than two attempts allow, is on the air in the end.
  @Test(arguments: SlowStep.allCases) func aSlowServerGetsTheStream(_ slow: SlowStep) throws {
    let clock = VirtualClock()
    let server = try FakeServer { [clock = clock.clock] peer in
      let due = clock.now + .seconds(25)
      try slow.answer(peer) { while clock.now < due { pause(milliseconds: 2) } }
    }
    defer { server.end() }
    let rig = try Rig(port: server.port, deadlines: RTMPDeadlines(), clock: clock.clock)
    rig.destination.start()
    let began = clock.now
    #expect(isTaken(rig, slowAt: slow.step, clock))
    #expect(clock.now - began < .seconds(80))
    let causes = rig.reported.compactMap(\.cause)
    #expect(causes == [.timedOut(slow.step)], "told once")
    #expect((2...3).contains(rig.destination.counters.failures))
    #expect(rig.stop())
  }

  /// nginx as it comes waits for a hook for 10 s.
  @Test func nginxWithASlowHookGetsTheStream() throws {
    let clock = VirtualClock()
    let hook = try FakeServer { [clock = clock.clock] peer in
      let due = clock.now + .seconds(9)
      var request = ""
      while !request.contains("name=stream") {
        request += String(decoding: try peer.read(1), as: UTF8.self)
      }
      while clock.now < due { pause(milliseconds: 2) }
      try peer.write(Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8))
    }
    defer { hook.end() }
    let nginx = try Nginx(hook: hook.port)
    defer { nginx.end() }
    let rig = try Rig(
      port: nginx.port, key: "stream", deadlines: RTMPDeadlines(), clock: clock.clock)
    rig.destination.start()
    rig.encode()
    #expect(isTaken(rig, slowAt: .publishReply, clock))
    #expect(rig.destination.counters.failures == 1 && hook.connections == 2)
    #expect(Rig.wait { rig.destination.counters.bytesSent > 100_000 })
    #expect(rig.stop(goodbye: true))
    #expect(try nginx.recorded("stream").contains { $0.type == 9 })
  }
}
