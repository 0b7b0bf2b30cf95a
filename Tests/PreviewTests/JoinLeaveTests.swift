// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import TestSupport
import Testing

@testable import Preview

/// In a process of its own, whose descriptors and threads can be counted.
struct JoinLeaveTests {
  @Test func threeHundredJoinsAndLeaves() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
    ) {
      let before = ProcessFootprint.eventDescriptors
      let feeder = try Feeder()
      feeder.start()
      var memory = 0
      for round in 0..<300 {
        // Each has a preview of its own, so that its sink joins and leaves at once.
        let preview = feeder.preview
        let reader = try preview.reader()
        if round % 10 == 0 {
          #expect(await reader.next()?.isInitialization == true)
          _ = try await preview.snapshot()
        }
        #expect(preview.close(by: .now() + .seconds(60)))
        // Memory that is kept for reuse is no loss: it counts from the hundredth on.
        if round == 100 { memory = ProcessFootprint.residentKiB }
      }
      let more = ProcessFootprint.residentKiB - memory
      feeder.stop()
      #expect(feeder.begins == 300 && feeder.ends == 300)
      let isBack = eventually {
        ProcessFootprint.threads(["preview", "preview users", "snapshot", "feeder"].contains) == 0
      }
      #expect(isBack)
      print("descriptors \(ProcessFootprint.eventDescriptors) of \(before), \(more) KiB more")
      #expect(ProcessFootprint.eventDescriptors <= before + 1, "the feeder's worker is still there")
      #expect(more < 8_192)
    }
    print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
    print(String(decoding: result?.standardErrorContent ?? [], as: UTF8.self))
  }
}
