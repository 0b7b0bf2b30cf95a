// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

@testable import Publish

/// A server with its own way of counting acknowledgements. It reads at once what has arrived, unless it is frozen.
struct Acknowledger {
  enum Count: String, CaseIterable {
    case all
    case withoutHandshake
    /// 0.17 % less than all, for ever.
    case payload
    case increments
    case wrapsAtTwoGigabytes
    case startsAgainAtF0000000
    case wrapsAt32Bits
  }

  let count: Count
  var window: UInt64 = 100_000
  private var read: UInt64 = 0
  private var told: UInt64 = 0
  private var base: UInt64 = 0

  init(_ count: Count, window: UInt64 = 100_000) {
    self.count = count
    self.window = window
  }

  mutating func ask(_ bytes: UInt32) { window = UInt64(bytes) }

  mutating func readsUp(to bytes: UInt64) -> UInt32? {
    read = bytes
    guard read - told >= window else { return nil }
    defer { told = read }
    switch count {
    case .all: return UInt32(truncatingIfNeeded: read)
    case .withoutHandshake: return UInt32(read - DeliveryMeter.handshakeBytes)
    case .payload: return UInt32((read - DeliveryMeter.handshakeBytes) * 9_983 / 10_000)
    case .increments: return UInt32(read - told)
    case .wrapsAtTwoGigabytes: return UInt32(read % 0x7FFF_FFFF)
    case .startsAgainAtF0000000:
      if read - base >= 0xF000_0000 { base = read }
      return UInt32(read - base)
    case .wrapsAt32Bits: return UInt32(read % 0x1_0000_0000)
    }
  }
}
