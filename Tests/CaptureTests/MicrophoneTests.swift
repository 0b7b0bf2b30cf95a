// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Testing

@testable import Capture

@Suite struct MicrophoneTests {
  @Test func aMissingMicrophoneIsReportedOnceAndTriedEachSecond() {
    let time = SourceClock()
    let reports = Reports()
    let microphone = Microphone(
      pcm: "hw:7,7", queue: PCMQueue(channels: 1), clock: time.clock, report: reports.listener)
    microphone.start()
    for _ in 0..<3 {
      #expect(time.nextDeadline() == time.now + .seconds(1))
      time.stall(nanos: .seconds(1))
    }
    #expect(time.nextDeadline() == time.now + .seconds(1))
    // The clock stands still, so the stop ends the pause.
    #expect(microphone.stop(by: .now() + .seconds(30)))
    #expect(reports.codes == ["missing"])
    #expect(reports.all.first?.sentence.contains("hw:7,7") == true)
  }

  @Test func everyTroubleNamesCauseAndRemedy() {
    let all: [MicrophoneTrouble] = [
      .none, .missing(pcm: "x"), .busy(pcm: "x"), .forbidden(pcm: "x"), .noUsableFormat(pcm: "x"),
      .lost(pcm: "x"), .stuck(pcm: "x"), .failed(pcm: "x", call: "read", errno: 5),
    ]
    for trouble in all {
      #expect(trouble.sentence.hasSuffix("."))
      #expect(trouble.sentence.contains(": "), "a remedy after the cause")
    }
    func trouble(_ result: Int32, isOpen: Bool) -> MicrophoneTrouble {
      .of(result, call: "open", pcm: "x", isOpen: isOpen)
    }
    #expect(trouble(-16, isOpen: false) == .busy(pcm: "x"))
    #expect(trouble(-13, isOpen: false) == .forbidden(pcm: "x"))
    #expect(trouble(-19, isOpen: false) == .missing(pcm: "x"))
    #expect(trouble(-19, isOpen: true) == .lost(pcm: "x"))
  }
}
