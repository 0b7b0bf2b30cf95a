// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Glibc
import Posix
import Testing

@testable import Sticks

/// A stick that takes a time for each piece, on a virtual clock.
private struct FakeFile: SpeedTestFile {
  let clock: VirtualClock
  /// Nanoseconds that each piece takes, and the number and the nanoseconds of one that takes longer.
  var nanos: Int64
  var slowest: (piece: Int, nanos: Int64)?
  /// The number of the piece that fails.
  var failing: Int?
  /// The number of pieces after which a stick that pretends to be larger begins anew.
  var wrapsAfter: Int?
  var pieces: [[UInt8]] = []
  private(set) var count = 0

  init(_ clock: VirtualClock, milliseconds: Int64) {
    (self.clock, nanos) = (clock, .milliseconds(milliseconds))
  }

  mutating func append(_ bytes: [UInt8]) throws(SystemError) {
    if count == failing { throw SystemError(EIO) }
    clock.advance(by: slowest.flatMap { $0.piece == count ? $0.nanos : nil } ?? nanos)
    if let wrapsAfter, pieces.count == wrapsAfter { pieces = [] }
    pieces.append(bytes)
    count += 1
  }

  func read(at offset: Int, count: Int) throws(SystemError) -> [UInt8] {
    pieces.indices.contains(offset / count) ? pieces[offset / count] : []
  }
}

struct StickSpeedTests {
  private let clock = VirtualClock()

  private func measure(
    _ file: inout FakeFile, seed: UInt64 = 1, isOver: () -> Bool = { false }
  ) throws(SystemError) -> StickSpeed? {
    try StickSpeed.measure(&file, seed: seed, clock: clock.clock, isOver: isOver)
  }

  @Test func meanAndWorstAreMeasured() throws {
    var file = FakeFile(clock, milliseconds: 100)
    file.slowest = (piece: 7, nanos: .milliseconds(900))
    let speed = try #require(try measure(&file))
    #expect(file.count == 32)
    // 16 MiB in 31 × 0.1 s + 0.9 s.
    #expect(speed.bytesPerSecond == (16 << 20) / 4)
    #expect(speed.worstNanos == .milliseconds(900))
    #expect(speed.isFaithful)
    let third = speed.bytesPerSecond / 3
    #expect(speed.verdict(forBytesPerSecond: third) == .fast)
    #expect(speed.verdict(forBytesPerSecond: third + 1) == .slow)
    #expect(speed.verdict(forBytesPerSecond: .max) == .slow)
  }

  @Test func aPieceThatTakesLongerThanASecondIsAStall() throws {
    var file = FakeFile(clock, milliseconds: 10)
    file.slowest = (piece: 31, nanos: .milliseconds(1_001))
    let speed = try #require(try measure(&file))
    #expect(speed.verdict(forBytesPerSecond: 1) == .stalls)
  }

  @Test func aVerySlowStickIsNotWrittenFull() throws {
    var file = FakeFile(clock, milliseconds: 10_000)
    let speed = try #require(try measure(&file))
    #expect(file.count == 3)
    #expect(speed.bytesPerSecond == StickSpeed.pieceBytes / 10)
    #expect(speed.isFaithful)
  }

  @Test func aStickThatLosesWhatWasWrittenIsBroken() throws {
    var file = FakeFile(clock, milliseconds: 1)
    file.wrapsAfter = 20
    let speed = try #require(try measure(&file))
    #expect(speed.verdict(forBytesPerSecond: 1) == .broken)
  }

  @Test func noMeasurementHasTheBytesOfAnother() throws {
    var (first, second) = (FakeFile(clock, milliseconds: 1), FakeFile(clock, milliseconds: 1))
    _ = try measure(&first, seed: 1)
    _ = try measure(&second, seed: 2)
    #expect(Set(first.pieces + second.pieces).count == 64)
  }

  @Test func aFailureAndAnEndAreTold() throws {
    var file = FakeFile(clock, milliseconds: 1)
    file.failing = 5
    #expect(throws: SystemError(EIO)) { _ = try measure(&file) }
    file = FakeFile(clock, milliseconds: 1)
    var asked = 0
    let speed = try measure(&file) {
      asked += 1
      return asked > 3
    }
    #expect(speed == nil && file.count == 3)
  }
}
