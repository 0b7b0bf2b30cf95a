// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import Appliance

@Suite struct WatchdogTests {
  /// Parts that hang from a time on.
  private func watchdog(_ hangs: [String: Int64]) -> Watchdog {
    Watchdog(
      hangs.sorted { $0.key < $1.key }.map { name, since in
        (name, { $0 < MediaTime(nanos: .seconds(since)) })
      })
  }

  private func at(_ seconds: Int64) -> MediaTime { MediaTime(nanos: .seconds(seconds)) }

  @Test func itIsFedWhileEveryPartGoesAround() {
    var watchdog = watchdog(["a": 20, "b": 30])
    #expect(watchdog.check(at(10)) == nil)
    #expect(!watchdog.hasHangingPart)
    #expect(watchdog.check(at(20)) == "a")
    #expect(watchdog.hasHangingPart)
    #expect(watchdog.check(at(25)) == nil, "it is told once")
    #expect(watchdog.hasHangingPart)
    #expect(watchdog.check(at(15)) == nil)
    #expect(!watchdog.hasHangingPart, "it goes on")
    #expect(watchdog.check(at(30)) == "a, b")
  }
}
