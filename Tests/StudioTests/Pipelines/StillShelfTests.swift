// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Director
import Settings
import Testing

@testable import Studio

@Suite struct StillShelfTests {
  /// Whatever slate.gop_seconds is: a larger keyframe would take seconds on such a link.
  @Test func keyframesForAPoorNetworkAreSmall() throws {
    let settings = try Configuration.load(
      file: nil, overrides: ["slate.gop_seconds=10", "video.size=640x360"]
    ).settings
    let shelf = StillShelf(settings) { _, _ in }
    shelf.start()
    defer { shelf.stop() }
    func still(_ picture: Plan.Video) -> Still? {
      for _ in 0..<1_000 {
        if let still = shelf.still(picture) { return still }
        (MediaTime.now() + .milliseconds(20)).sleepUntil()
      }
      return nil
    }
    let poor = try #require(still(.poorNetworkStill))
    #expect(poor.gopNanos == .seconds(4))
    #expect(try unsafe Still.keyBytes(poor.picture, poor.format) <= 14_000)
    #expect(still(.pauseStill)?.gopNanos == .seconds(10))
  }
}
