// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

/// Files of the time zone database.
@Suite struct TimeZoneFileTests {
  private static func number(_ value: Int64, _ bytes: Int) -> [UInt8] {
    (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }

  /// A part of a file: the header, and two offsets of which the second begins at each of the times.
  private static func part(_ times: [Int64], timeBytes: Int, version: UInt8) -> [UInt8] {
    var bytes = Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15)
    for count in [0, 0, 0, times.count, 2, 8] { bytes += number(Int64(count), 4) }
    for time in times { bytes += number(time, timeBytes) }
    bytes += times.map { _ in 1 }
    bytes += number(3_600, 4) + [0, 0] + number(-7_200, 4) + [1, 4]
    return bytes + Array("CET\0CES\0".utf8)
  }

  @Test func theOffsetFollowsTheTransitions() throws {
    let old = Self.part([100], timeBytes: 4, version: 0)
    let zone = try #require(TimeZoneFile(old))
    #expect([-5, 99, 100, 1 << 40].map(zone.offset) == [3_600, 3_600, -7_200, -7_200])
    let new =
      Self.part([], timeBytes: 4, version: 0x32) + Self.part([1 << 33], timeBytes: 8, version: 0x32)
    let later = try #require(TimeZoneFile(new))
    #expect([0, 1 << 33].map(later.offset) == [3_600, -7_200])
    #expect(TimeZoneFile.utc.offset(at: 5) == 0)
  }

  @Test func aDamagedFileIsNone() {
    let whole =
      Self.part([1], timeBytes: 4, version: 0x32) + Self.part([1], timeBytes: 8, version: 0x32)
    for count in 0..<whole.count { #expect(TimeZoneFile(Array(whole.prefix(count))) == nil) }
    for index in whole.indices {
      for value: UInt8 in [0, 1, 0x7F, 0xFF] {
        var bytes = whole
        bytes[index] = value
        // Whatever it says: an offset, or none, and no crash.
        _ = TimeZoneFile(bytes)?.offset(at: 0)
      }
    }
  }
}
