// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import FoundationEssentials
import TestSupport
import Testing

@testable import Figures

@Suite struct MachineReadingTests {
  @Test func theTicksOfAllCoresAreRead() {
    let stat = """
      cpu  10132153 290696 3084719 46828483 16683 0 25195 175628 5000 0
      cpu0 1393280 32966 572056 13343292 6130 0 17875 0 0 0
      intr 199292 0
      """
    #expect(
      MachineReading.ticks(stat)
        == MachineReading.Ticks(
          total: 10_132_153 + 290_696 + 3_084_719 + 46_828_483 + 16_683 + 25_195 + 175_628,
          busy: 10_132_153 + 290_696 + 3_084_719 + 25_195 + 175_628))
    // A kernel of long ago has four fields.
    #expect(MachineReading.ticks("cpu  1 2 3 4") == MachineReading.Ticks(total: 10, busy: 6))
    for text in ["", "cpu", "cpu 1 2 3", "cpu a b c d", "cpu 1 2 3 4 x", "intr 1 2 3 4"] {
      #expect(MachineReading.ticks(text) == nil, "\(text)")
    }
  }

  @Test func theProgramsNameMayContainAnything() {
    let rest = " S 1 2 3 4 5 6 7 8 9 10 120 34 0 0 20 0 11 0 4711 1000 200"
    #expect(MachineReading.ownTicks("42 (onair)\(rest)") == 154)
    #expect(MachineReading.ownTicks("42 (a) b) 9 9 (\n)\(rest)") == 154)
    for text in ["", "42 (onair", "42 (onair)", "42 (onair) S 1 2 3 4 5 6 7 8 9 10 x 34"] {
      #expect(MachineReading.ownTicks(text) == nil, "\(text)")
    }
  }

  @Test func memoryIsReadByName() {
    let text = "MemTotal:   24000000 kB\nMemAvailable:\t 1000 kB\nHugePages_Free:  7\n"
    #expect(MachineReading.bytes(of: "MemAvailable", text) == 1_024_000)
    #expect(MachineReading.bytes(of: "Mem", text) == nil)
    #expect(MachineReading.bytes(of: "HugePages_Free", text) == nil, "it has no unit")
    #expect(MachineReading.bytes(of: "A", "A: 18446744073709551615 kB") == nil)
  }

  @Test func whatNoSensorMeasuresIsNoTemperature() {
    #expect(MachineReading.celsius("48312") == 48.312)
    #expect(MachineReading.celsius("-5000") == -5)
    for text in ["", "-274000", "3000000", "n/a"] { #expect(MachineReading.celsius(text) == nil) }
  }

  @Test func thisMachineCanBeRead() throws {
    var meter = MachineMeter()
    let reading = meter.read(.now())
    let ticks = try #require(reading.ticks)
    #expect(ticks.busy > 0 && ticks.busy < ticks.total)
    #expect(reading.ownTicks != nil)
    #expect(try #require(reading.residentBytes) > 1_000_000)
    #expect(try #require(reading.availableBytes) > 1_000_000)
    #expect(reading.uptimeSeconds > 0)
  }

  @Test func theHottestSensorCountsAndMissingFilesAreNotKnown() throws {
    let root = freshDirectory()
    for (zone, text) in [(0, "41000\n"), (1, "52500\n"), (3, "-274000\n")] {
      let folder = "\(root)/sys/class/thermal/thermal_zone\(zone)"
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      try Data(text.utf8).write(to: URL(filePath: "\(folder)/temp"))
    }
    var meter = MachineMeter(root: root)
    let reading = meter.read(MediaTime(nanos: .seconds(77)))
    var expected = MachineReading()
    expected.ticksPerSecond = reading.ticksPerSecond
    expected.processor.temperatureCelsius = 52.5
    expected.uptimeSeconds = 77
    #expect(reading == expected)
  }
}
