// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Posix
import Testing

@testable import Capture

@Suite struct OrientationTests {
  /// The matrices that EXIF's eight orientations mean, and where the first row and the first column are then.
  @Test(
    arguments: zip(
      1...8,
      [
        (1, 0, 0, 1), (-1, 0, 0, 1), (-1, 0, 0, -1), (1, 0, 0, -1), (0, 1, 1, 0), (0, 1, -1, 0),
        (0, -1, -1, 0), (0, -1, 1, 0),
      ] as [(Int32, Int32, Int32, Int32)]))
  func matrixAndNumberAgree(number: Int, matrix: (Int32, Int32, Int32, Int32)) {
    let one: Int32 = 1 << 16
    #expect(
      Orientation(matrix: matrix.0 * one, matrix.1 * one, matrix.2 * one, matrix.3 * one)
        == Orientation(exif: number))
  }

  @Test func unusualMatricesAreTheNearestTurn() {
    #expect(Orientation(matrix: 0, 0, 0, 0) == .upright)
    #expect(Orientation(matrix: 60_000, 20_000, -20_000, 60_000) == .upright)
    #expect(Orientation(matrix: .min, 0, 0, .min) == Orientation(degrees: 180))
    #expect(Orientation(exif: 0) == nil && Orientation(exif: 9) == nil)
  }
}

@Suite struct DeinterlacerTests {
  @Test(arguments: [
    (1, false), (2, false), (2, true), (5, false), (5, true), (6, false), (6, true),
  ])
  func rowsOfOneFieldStay(height: Int, keepsOddRows: Bool) {
    // Row n is 10 n in one field, and 200 in the other.
    let width = 70
    var source: [UInt8] = []
    for row in 0..<height {
      let isKept = (row % 2 == 1) == keepsOddRows
      source += [UInt8](repeating: isKept ? UInt8(10 * row) : 200, count: width)
    }
    var target = [UInt8](repeating: 0, count: width * height)
    unsafe source.withUnsafeBufferPointer { source in
      unsafe target.withUnsafeMutableBufferPointer { target in
        unsafe Deinterlacer.deinterlace(
          source.baseAddress!, Int32(width), into: target.baseAddress!, Int32(width),
          width: Int32(width), height: Int32(height), keepsOddRows: keepsOddRows)
      }
    }
    let wanted: [UInt8] =
      switch (height, keepsOddRows) {
      case (1, _): [0]
      case (2, false): [0, 0]
      case (2, true): [10, 10]
      case (5, false): [0, 10, 20, 30, 40]
      case (5, true): [10, 10, 20, 30, 30]
      case (6, false): [0, 10, 20, 30, 40, 40]
      default: [10, 10, 20, 30, 40, 50]
      }
    for row in 0..<height {
      let line = target[row * width..<(row + 1) * width]
      #expect(line.allSatisfy { $0 == wanted[row] })
    }
  }
}

@Suite struct ToneMapTests {
  /// Light relative to the reference white, by BT.2100 and BT.2408.
  @Test func referenceLevelsAreWhereTheStandardsHaveThem() {
    // 75 % of HLG and 58 % of PQ are the reference white; 38 % of both are the 18 % grey of BT.2408.
    #expect(abs(ToneMap.light(0.75, .hlg) - 0.816) < 0.01)
    #expect(abs(ToneMap.light(0.58, .pq) - 0.816) < 0.01)
    #expect(abs(ToneMap.light(0.38, .hlg) - 0.18) < 0.02)
    #expect(ToneMap.light(0, .hlg) == 0 && ToneMap.light(0, .pq) < 1e-6)
    for transfer in [ToneMap.Kind.Transfer.hlg, .pq, .sdr] {
      let lights = (0...100).map { ToneMap.light(Double($0) / 100, transfer) }
      #expect(zip(lights, lights.dropFirst()).allSatisfy { $0 <= $1 })
      #expect(lights[100] > 0.99 && lights[100] <= 1)
    }
  }

  @Test func onlyColoursThatNeedItAreConverted() {
    func kind(_ primaries: UInt32, _ transfer: UInt32, _ matrix: UInt32) -> ToneMap.Kind? {
      ToneMap.Kind(primaries: primaries, transfer: transfer, matrix: matrix, fullRange: false)
    }
    for primaries: UInt32 in [0, 1, 2, 5, 6, 7] {
      #expect(kind(primaries, 1, 1) == nil && kind(primaries, 2, 2) == nil)
    }
    #expect(kind(9, 18, 9)?.gamut == .bt2020 && kind(2, 18, 2)?.transfer == .hlg)
    #expect(kind(9, 16, 9)?.transfer == .pq && kind(9, 14, 9)?.transfer == .sdr)
    #expect(kind(12, 1, 1)?.gamut == .p3 && kind(12, 1, 1)?.matrix == 1)
    #expect(kind(1, 16, 1)?.gamut == .bt709)
    #expect(kind(2, 2, 9)?.gamut == .bt2020)
  }
}

@Suite struct FileWatchTests {
  @Test func aFileCountsWhenItHasStayedTheSame() throws {
    let files = try MadeFiles()
    let first = FileStamp(path: try files.write("one", [1]))
    let second = try #require(FileStamp(path: try files.write("two", [1, 2])))
    var now = MediaTime(nanos: 0)
    var watch = FileWatch(opened: first, now: now)
    func look(_ stamp: FileStamp?) -> FileWatch.Finding? {
      now = now + FileWatch.checkIntervalNanos
      return watch.check(now) { stamp }
    }
    #expect(watch.check(now) { nil } == nil)
    #expect(look(first) == .same)
    #expect(look(nil) == .changing)
    #expect(look(nil) == .gone)
    #expect(look(second) == .changing)
    #expect(look(second) == .replaced(second))
    watch.accept(second)
    #expect(look(second) == .same)
    #expect(look(first) == .changing)
    #expect(look(second) == .same)
    #expect(look(first) == .changing)
  }
}
