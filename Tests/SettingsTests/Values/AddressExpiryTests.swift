// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import Settings

@Suite struct AddressExpiryTests {
  @Test(
    arguments: [
      ("stream?auth_key=1700000000-0-0-0123456789abcdef", 1_700_000_000),
      ("app?vhost=x&auth_key=1700000000-0-0-aa", 1_700_000_000),
      ("stream?txSecret=00ff&txTime=6553F100", 0x6553_F100),
      ("stream?wsSecret=00ff&wsTime=6553f100", 0x6553_F100),
      ("stream?hwTime=1700000000", 1_700_000_000),
      ("stream?Expires=1700000000&sign=1", 1_700_000_000),
      ("stream", nil), ("stream?", nil), ("stream?auth_key=", nil), ("stream?auth_key=x-1", nil),
      ("stream?expires=60", nil), ("stream?expires=99999999999999999999", nil),
      ("stream?txTime=zz&expire=1700000000", 1_700_000_000), ("stream?&&=&a", nil),
    ] as [(String, Int64?)])
  func theEndIsReadFromTheQuery(_ text: String, _ seconds: Int64?) {
    #expect(AddressExpiry.unixSeconds(in: text) == seconds)
  }
}
