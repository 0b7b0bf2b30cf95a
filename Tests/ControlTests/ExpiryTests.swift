// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import Control

@Suite struct ExpiryTests {
  @Test func eachWarningIsReportedOnce() {
    var expiry = Expiry(expiresAt: 1_000_000_100)
    #expect(expiry.look(wallClock: 1_000_000_039) == nil)
    #expect(expiry.look(wallClock: 1_000_000_040)?.code == .urlExpiring)
    #expect(expiry.look(wallClock: 1_000_000_041) == nil)
    #expect(expiry.look(wallClock: 1_000_000_100)?.code == .urlExpired)
    #expect(expiry.look(wallClock: 1_000_000_200) == nil)
  }

  @Test func theFirstWarningIsRepeatedForEachBroadcast() {
    var expiry = Expiry(expiresAt: 1_000_000_100, backupExpiresAt: 1_000_000_000)
    #expect(expiry.look(wallClock: 999_999_950)?.sentence.contains("publish.backup_url") == true)
    expiry.beginAgain()
    #expect(expiry.look(wallClock: 999_999_951)?.code == .urlExpiring)
  }

  @Test func anAddressWithoutExpiryIsNotReported() {
    var expiry = Expiry(expiresAt: nil)
    #expect(expiry.look(wallClock: 4_000_000_000) == nil)
  }
}
