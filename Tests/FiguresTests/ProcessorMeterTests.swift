// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Glibc
import TestSupport
import Testing

@testable import Figures

/// What is read of the sysfs of several boards.
@Suite struct ProcessorMeterTests {
  private func read(_ sys: FakeSys) -> ProcessorHealth {
    var meter = ProcessorMeter(root: sys.sys)
    return meter.read(MediaTime(nanos: .seconds(1_000)))
  }

  private func read(_ files: [String: String]) throws -> ProcessorHealth {
    try read(FakeSys(files))
  }

  @Test func aRaspberryPi4WithAWeakSupply() throws {
    let health = try read(FakeSys.pi(temp: "48312", flags: "50005", alarm: "1"))
    #expect(
      health
        == ProcessorHealth(
          temperatureCelsius: 48.312, headroomCelsius: 85 - 48.312, allowedClockShare: 1,
          isUnderVoltage: true, firmwareFlags: [.underVoltage, .throttled]))
    #expect(health.isThrottled == true && !health.isLimitedByHeat)
    // The past alone is no trouble.
    let past = try read(FakeSys.pi(temp: "48312", flags: "f0000"))
    #expect(past.firmwareFlags == [] && past.isUnderVoltage == false && past.isThrottled == false)
  }

  @Test func aHotRaspberryPi5() throws {
    let health = try read(FakeSys.pi(temp: "83400", flags: "e000a", at: FakeSys.pi5Flags))
    #expect(health.firmwareFlags == [.capped, .softLimit] && health.isUnderVoltage == false)
    #expect(health.headroomCelsius == 85 - 83.4 && health.isThrottled == true)
  }

  /// Without the driver that asks the firmware, get_throttled is as old as the machine's start.
  @Test func staleFlagsAreNotRead() throws {
    var files = FakeSys.pi(temp: "48312", flags: "50005")
    files["class/hwmon/hwmon1/name"] = "other"
    let health = try read(files)
    #expect(
      health.firmwareFlags == nil && health.isUnderVoltage == nil && health.isThrottled == false)
    // Of Debian's own kernel, which has no get_throttled.
    files["class/hwmon/hwmon1/name"] = "rpi_volt"
    files[FakeSys.flags] = nil
    let debian = try read(files)
    #expect(debian.firmwareFlags == nil && debian.isUnderVoltage == false)
    #expect(debian.headroomCelsius == 85 - 48.312)
  }

  @Test func aPCWithoutAnything() throws {
    #expect(try read([:]) == ProcessorHealth())
    #expect(ProcessorHealth().isThrottled == nil && !ProcessorHealth().isNearLimit)
  }

  /// Two of its trip points have no temperature yet, and the sensors of Wi-Fi and memory are not the processor's.
  @Test func aPCWithItsSensors() throws {
    var files = FakeSys.zone(0, "acpitz", "90000", trips: [("critical", "105000")])
    files.merge(FakeSys.zone(1, "iwlwifi_1", "95000")) { $1 }
    let unset = [("passive", "0"), ("passive", "-274000")]
    files.merge(FakeSys.zone(2, "x86_pkg_temp", "61000", trips: unset)) { $1 }
    #expect(
      try read(files) == ProcessorHealth(temperatureCelsius: 61, headroomCelsius: nil))
  }

  private func rk3588(bigcore: String, policy4: String) -> [String: String] {
    let trips = [("passive", "75000"), ("passive", "85000"), ("critical", "115000")]
    var files = FakeSys.zone(0, "soc-thermal", "68000", trips: [("critical", "115000")])
    let large = FakeSys.zone(1, "bigcore0-thermal", bigcore, trips: trips, cooling: ["1", "1"])
    files.merge(large) { $1 }
    files.merge(FakeSys.zone(2, "npu-thermal", "99000")) { $1 }
    files.merge(FakeSys.policy(0, cores: "0 1 2 3", full: "1800000", now: "1800000")) { $1 }
    files.merge(FakeSys.policy(4, cores: "4 5 6 7", full: "2400000", now: policy4)) { $1 }
    return files
  }

  /// The clock of the four large cores is lowered. Cooling begins at 85 °C only, where devices are bound to a trip.
  @Test func anRK3588WithTwoPolicies() throws {
    let health = try read(rk3588(bigcore: "84000", policy4: "1800000"))
    #expect(health.temperatureCelsius == 84 && health.headroomCelsius == 1)
    #expect(abs((health.allowedClockShare ?? 0) - 14.4 / 16.8) < 1e-9)
    #expect(health.isLimitedByHeat && health.isThrottled == true && health.firmwareFlags == nil)
    // A cool one that a person has limited.
    let limited = try read(rk3588(bigcore: "50000", policy4: "1800000"))
    #expect(limited.headroomCelsius == 35 && limited.isThrottled == false)
  }

  /// Without cooling devices every passive trip point is a limit, and a fan's is none.
  @Test func theLowestTripCounts() throws {
    let trips = [
      ("active", "50000"), ("critical", "95000"), ("passive", "80000"), ("hot", "90000"),
    ]
    #expect(try read(FakeSys.zone(0, "cpu", "60000", trips: trips)).headroomCelsius == 20)
    #expect(
      try read(FakeSys.zone(0, "cpu", "60000", trips: trips, cooling: ["0", "-1"]))
        .headroomCelsius == 30)
  }

  private static let files =
    FakeSys.pi(temp: "48312", flags: "0").keys
    + ["class/thermal/thermal_zone0/cdev0_trip_point"]

  @Test(arguments: [
    "", "banana", "-", "99999999999999999999999", "-274000", "0x", "\u{0}", "1 2 3 4 5 6",
    String(repeating: "9", count: 100_000), "\n\n48312",
  ])
  func nonsenseIsNotKnown(_ text: String) throws {
    let files = Dictionary(uniqueKeysWithValues: ProcessorMeterTests.files.map { ($0, text) })
    #expect(try read(files) == ProcessorHealth())
    // Only what changes.
    let sys = try FakeSys(FakeSys.pi(temp: "48312", flags: "0"))
    var meter = ProcessorMeter(root: sys.sys)
    #expect(meter.read(MediaTime(nanos: .seconds(1))).temperatureCelsius == 48.312)
    for path in files.keys { try sys.write([path: text]) }
    let health = meter.read(MediaTime(nanos: .seconds(2)))
    #expect(health.temperatureCelsius == nil && health.allowedClockShare == nil)
    #expect(health.firmwareFlags == nil && health.isUnderVoltage == nil)
  }

  /// Opening a FIFO to read waits for a writer, and reading from it for data.
  @Test func aFIFOOrAFolderDoesNotHang() throws {
    for path in ProcessorMeterTests.files {
      let sys = try FakeSys(FakeSys.pi(temp: "48312", flags: "0"))
      var meter = ProcessorMeter(root: sys.sys)
      _ = meter.read(MediaTime(nanos: .seconds(1)))
      try sys.putFIFO(path)
      _ = meter.read(MediaTime(nanos: .seconds(2)))
      _ = read(sys)
      // A writer that writes nothing.
      let descriptor = unsafe open("\(sys.sys)/\(path)", O_RDWR | O_NONBLOCK)
      defer { close(descriptor) }
      #expect(descriptor >= 0)
      _ = meter.read(MediaTime(nanos: .seconds(3)))
      _ = read(sys)
    }
    let folders = Dictionary(
      uniqueKeysWithValues: ProcessorMeterTests.files.map { ("\($0)/folder", "1") })
    #expect(try read(folders) == ProcessorHealth())
  }

  /// A driver that is loaded later, and one that goes.
  @Test func filesAreLookedForAgain() throws {
    let sys = try FakeSys()
    var meter = ProcessorMeter(root: sys.sys)
    func read(_ second: Int64) -> ProcessorHealth { meter.read(MediaTime(nanos: .seconds(second))) }
    #expect(read(0) == ProcessorHealth())
    try sys.write(FakeSys.pi(temp: "48312", flags: "0"))
    #expect(read(59) == ProcessorHealth())
    #expect(read(60).temperatureCelsius == 48.312 && read(61).isUnderVoltage == false)
    unsafe unlink("\(sys.sys)/\(FakeSys.alarm)")
    unsafe unlink("\(sys.sys)/class/thermal/thermal_zone0/temp")
    #expect(read(62).isUnderVoltage == false, "the flags tell it, too")
    #expect(read(63).temperatureCelsius == nil && read(63).headroomCelsius == nil)
  }

  @Test func manyFilesAreBounded() throws {
    var files: [String: String] = [:]
    for number in 0..<200 { files.merge(FakeSys.zone(number, "cpu", "5\(number % 10)000")) { $1 } }
    #expect(try read(files).temperatureCelsius == 59)
  }
}
