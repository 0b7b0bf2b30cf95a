// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import TestSupport
import Testing

@testable import Control

/// Whether the threads that answer requests go around.
@Suite struct PingerTests {
  private let time = VirtualClock()

  @Test func aQuestionWithoutAnAnswerIsNoticed() async {
    let pinger = Pinger()
    #expect(pinger.isAlive(time.now), "nothing runs yet")
    let (answers, answer) = AsyncStream<Void>.makeStream()
    let heard = Signal()
    pinger.beginWatching {
      heard.signal()
      for await _ in answers { return }
    }
    #expect(pinger.isAlive(time.now))
    time.advance(by: Pinger.timeoutNanos - 1)
    #expect(pinger.isAlive(time.now))
    time.advance(by: 1)
    #expect(!pinger.isAlive(time.now))
    answer.yield()
    let deadline = MediaTime.now() + .seconds(600)
    while !pinger.isAlive(time.now), .now() < deadline { await Task.yield() }
    #expect(pinger.isAlive(time.now))
    pinger.endWatching()
    time.advance(by: .seconds(3_600))
    #expect(pinger.isAlive(time.now))
    answer.finish()
  }

  /// The listeners' own threads answer.
  @Test func theListenersAnswer() async throws {
    try await ServedStation.run { box in
      #expect(box.server.isAlive(.now()))
      #expect(
        eventually { box.server.isAlive(.now() + Pinger.timeoutNanos) }, "the question is answered")
    }
  }
}
