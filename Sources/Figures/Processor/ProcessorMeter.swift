// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Posix

/// Reads the processor's heat, clock and supply below /sys.
///
/// Each file may be missing, and what it contains may be nonsense: then that reading is `nil`. No file is opened in a
/// way that waits, and there is a limit to how many are read and how much of each.
struct ProcessorMeter: Sendable {
  /// The most sensors, and the most groups of cores.
  private static let most = 32
  /// Nanoseconds after which the files are looked for again: a driver may be loaded later than OnAir starts.
  private static let searchInterval = Int64.seconds(60)

  private let root: String
  private var searchedAt: MediaTime?
  private var zones: [ThermalZone] = []
  private var policies: [ClockPolicy] = []
  private var raspberryPi: RaspberryPi?

  /// - Parameter root: "/sys", or a folder that stands for it.
  init(root: String) { self.root = root }

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
    health.firmware = raspberryPi?.flags
    return health
  }

  private mutating func search() {
    let found = folders("class/thermal", "thermal_zone").compactMap(ThermalZone.init)
    let ofProcessor = found.filter(\.isOfProcessor)
    zones = ofProcessor.isEmpty ? found : ofProcessor
    policies = folders("devices/system/cpu/cpufreq", "policy").compactMap(ClockPolicy.init)
    raspberryPi = RaspberryPi(root: root)
  }

  private func folders(_ path: String, _ prefix: String) -> [String] {
    File.names(in: "\(root)/\(path)").filter { $0.hasPrefix(prefix) }.sorted()
      .prefix(ProcessorMeter.most).map { "\(root)/\(path)/\($0)" }
  }
}
