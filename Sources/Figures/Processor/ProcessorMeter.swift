// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Posix

/// Reads the temperature, the clock and the supply state of the processor from files in /sys.
///
/// A file may be missing or malformed: then the value from it is `nil`. Opening a file never blocks, and the number of
/// files and the bytes read of each are limited.
struct ProcessorMeter: Sendable {
  /// The most thermal zones, and the most cpufreq policies, that are read.
  private static let maxFolders = 32
  /// The time between two searches for the files, in nanoseconds. A driver may be loaded after OnAir has started.
  private static let searchInterval = Int64.seconds(60)

  /// The path of the sysfs folder: "/sys", or another folder in a test.
  private let root: String
  /// When the files were last searched for; `nil` before the first search.
  private var searchedAt: MediaTime?
  /// The thermal zones of the processor. If no zone is recognised as one of the processor: all zones of the machine.
  private var zones: [ThermalZone] = []
  /// The cpufreq policies of all cores.
  private var policies: [ClockPolicy] = []
  /// The sensors of a Raspberry Pi; `nil` on other machines, or without its hwmon driver.
  private var raspberryPi: RaspberryPi?

  /// - Parameter root: the sysfs folder: "/sys", or another folder in a test.
  init(root: String) { self.root = root }

  /// Reads the present values, and searches for the files again if the last search was long ago.
  mutating func read(_ now: MediaTime) -> ProcessorHealth {
    if searchedAt.map({ now - $0 >= ProcessorMeter.searchInterval }) ?? true {
      search()
      searchedAt = now
    }
    var health = ProcessorHealth()
    let firmwareLimit = raspberryPi == nil ? Double.infinity : RaspberryPi.limitCelsius
    for zone in zones {
      guard let celsius = zone.celsius else { continue }
      health.temperatureCelsius = max(health.temperatureCelsius ?? celsius, celsius)
      let limit = min(zone.limitCelsius ?? .infinity, firmwareLimit)
      guard limit < .infinity else { continue }
      health.headroomCelsius = min(health.headroomCelsius ?? .infinity, limit - celsius)
    }
    health.allowedClockShare = ClockPolicy.allowedShare(policies)
    health.isUnderVoltage = raspberryPi?.isUnderVoltage
    health.firmwareFlags = raspberryPi?.flags
    return health
  }

  /// Searches /sys for the files to read.
  private mutating func search() {
    let found = folders("class/thermal", "thermal_zone").compactMap(ThermalZone.init)
    let ofProcessor = found.filter(\.isOfProcessor)
    zones = ofProcessor.isEmpty ? found : ofProcessor
    policies = folders("devices/system/cpu/cpufreq", "policy").compactMap(ClockPolicy.init)
    raspberryPi = RaspberryPi(root: root)
  }

  /// The paths of the folders in `path` whose names begin with `prefix`, at most `maxFolders`.
  private func folders(_ path: String, _ prefix: String) -> [String] {
    File.names(in: "\(root)/\(path)").filter { $0.hasPrefix(prefix) }.sorted()
      .prefix(ProcessorMeter.maxFolders).map { "\(root)/\(path)/\($0)" }
  }
}
