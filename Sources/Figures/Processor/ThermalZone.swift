// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Posix

/// A thermal zone of the kernel: a temperature sensor, and the limit at which the kernel acts ("Generic Thermal Sysfs
/// driver How To" in Documentation/driver-api/thermal/sysfs-api.rst).
struct ThermalZone: Sendable {
  /// The maximum number of trip points, and of cooling devices, that are read.
  private static let maxFiles = 32
  /// The lowest temperature in degrees Celsius at which a trip point counts. A trip point with a lower temperature has
  /// not been set yet: x86_pkg_temp has 0 until somebody sets it.
  private static let lowestTripCelsius = 40.0
  /// Parts of zone types by which a sensor of the processor is recognised, as in "cpu-thermal", "soc-thermal",
  /// "bigcore0-thermal" and "x86_pkg_temp".
  private static let processorTypeParts = ["cpu", "core", "soc", "pkg", "package"]

  /// The path of the file with the present temperature.
  private let file: String
  /// Whether the zone measures the processor, by its type, and not memory or Wi-Fi for example.
  let isOfProcessor: Bool
  /// The lowest temperature in degrees Celsius at which the kernel lowers the clock or switches the machine off; `nil`
  /// if the zone has no such trip point.
  let limitCelsius: Double?

  /// - Parameter folder: the sysfs folder of the zone, without a slash at its end.
  /// - Returns: `nil` if the sensor does not work.
  init?(_ folder: String) {
    file = "\(folder)/temp"
    guard ThermalZone.celsius(file) != nil else { return nil }
    let type = (File.firstLine("\(folder)/type") ?? "").lowercased()
    isOfProcessor = ThermalZone.processorTypeParts.contains { type.contains($0) }
    let names = File.names(in: folder)
    // At a passive trip point the kernel acts only through a cooling device that is bound to it. Boards have lower
    // passive trip points without a cooling device, at which the power allocator begins to measure.
    let bound = names.filter { $0.hasPrefix("cdev") && $0.hasSuffix("_trip_point") }
      .prefix(ThermalZone.maxFiles).compactMap { File.firstLine("\(folder)/\($0)") }
    limitCelsius =
      names.filter { $0.hasPrefix("trip_point_") && $0.hasSuffix("_type") }
      .prefix(ThermalZone.maxFiles).compactMap { name -> Double? in
        let trip = name.dropLast("_type".count)
        switch File.firstLine("\(folder)/\(name)") {
        case "passive":
          let number = String(trip.dropFirst("trip_point_".count))
          guard bound.isEmpty || bound.contains(number) else { return nil }
        case "hot", "critical": break
        // Skip other trip points: an "active" one, for example, only switches a fan on.
        default: return nil
        }
        return ThermalZone.celsius("\(folder)/\(trip)_temp")
      }
      .filter { $0 >= ThermalZone.lowestTripCelsius }.min()
  }

  /// The present temperature in degrees Celsius; `nil` if the sensor does not work.
  var celsius: Double? { ThermalZone.celsius(file) }

  /// Reads a temperature in degrees Celsius from a file; `nil` if that fails, or outside -40 to 150 degrees.
  private static func celsius(_ file: String) -> Double? {
    File.firstLine(file).flatMap(MachineReading.celsius)
  }
}
