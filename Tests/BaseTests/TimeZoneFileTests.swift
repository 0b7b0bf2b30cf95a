// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Foundation
import TestSupport
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

  /// Each rule at each half hour of four years, of which two are beyond any table, beside what the C library says.
  @Test(arguments: [
    "CET-1CEST,M3.5.0,M10.5.0/3", "EST5EDT,M3.2.0,M11.1.0", "AEST-10AEDT,M10.1.0,M4.1.0/3",
    "<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "<+0330>-3:30", "IST-1GMT0,M10.5.0,M3.5.0/1",
    "EET-2EEST,M4.5.5/0,M10.5.4/24", "EET-2EEST,M3.4.4/50,M10.4.4/50", "IST-5:30",
    "<+1245>-12:45<+1345>,M9.5.0/2:45,M4.1.0/3:45", "AAA4BBB,J60/0,J300", "AAA4BBB,59,300/4",
  ]) func theRuleHoldsAfterTheTable(rule: String) throws {
    let zone = try #require(
      TimeZoneFile(
        Self.part([], timeBytes: 4, version: 0x32) + Self.part([100], timeBytes: 8, version: 0x32)
          + Array("\n\(rule)\n".utf8)))
    #expect([-5, 99].map(zone.offset) == [3_600, 3_600], "the table holds before")
    var seconds = ""
    var ours = ""
    for start: Int64 in [946_684_800, 1_704_067_200, 2_208_988_800, 4_102_444_800] {
      for time in stride(from: start, to: start + 366 * 86_400, by: 1_800) {
        seconds += "@\(time)\n"
        let offset = zone.offset(at: time)
        let (minutes, sign) = (abs(offset) / 60, offset < 0 ? "-" : "+")
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        ours += "\(sign)\(two(minutes / 60))\(two(minutes % 60))\n"
      }
    }
    let date = Process()
    let (input, output) = (stateDirectory() + "/times", Pipe())
    try Data(seconds.utf8).write(to: URL(filePath: input))
    date.executableURL = URL(filePath: "/usr/bin/date")
    date.arguments = ["-f", input, "+%z"]
    date.environment = ["TZ": rule]
    date.standardOutput = output
    try date.run()
    let theirs = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    date.waitUntilExit()
    #expect(ours == theirs)
  }

  @Test(arguments: [
    "", "X", "CET", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0",
    "CET-1CEST,M3.6.0,M1.1.1", "CET-1CEST,M3.5.7,M1.1.1", "CET-1CEST,J0,J5", "CET-1CEST,1,999",
    "CET-999", "<CET-1", "CET-1CEST,M3.5.0,M10.5.0/3x", "CET--1", "CET-1:60",
  ]) func anUnknownRuleIsNone(rule: String) throws {
    let zone = try #require(
      TimeZoneFile(
        Self.part([], timeBytes: 4, version: 0x32) + Self.part([100], timeBytes: 8, version: 0x32)
          + Array("\n\(rule)\n".utf8)))
    #expect([99, 1 << 32].map(zone.offset) == [3_600, -7_200])
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
