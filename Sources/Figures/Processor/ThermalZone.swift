// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Posix

/// A sensor, and the temperature at which the kernel acts: "Generic Thermal Sysfs driver How To" in
/// Documentation/driver-api/thermal/sysfs-api.rst.
struct ThermalZone: Sendable {
  /// The most trip points and cooling devices.
  private static let most = 32
  /// A trip point below this has no temperature yet: x86_pkg_temp has 0 there until somebody sets one.
  private static let lowestTripCelsius = 40.0
  /// Parts of the names of the processor's sensors: "cpu-thermal", "soc-thermal", "bigcore0-thermal", "x86_pkg_temp".
  private static let ofProcessor = ["cpu", "core", "soc", "pkg", "package"]

  private let file: String
  /// Whether the name says that it measures the processor, not memory or Wi-Fi.
  let isOfProcessor: Bool
  /// Degrees Celsius at which the kernel lowers the clock or switches the machine off; `nil` if there is no such limit.
  let limitCelsius: Double?

  /// - Parameter folder: of the zone, without "/" at its end.
  /// - Returns: `nil` for a sensor that does not work.
  init?(_ folder: String) {
    file = "\(folder)/temp"
    guard ThermalZone.celsius(file) != nil else { return nil }
    let type = (File.firstLine("\(folder)/type") ?? "").lowercased()
    isOfProcessor = ThermalZone.ofProcessor.contains { type.contains($0) }
    let names = File.names(in: folder)
    // At a passive trip point the kernel does something only by a cooling device that is bound to it. Boards have
    // lower ones without any, as the point from which the power allocator measures.
    let bound = names.filter { $0.hasPrefix("cdev") && $0.hasSuffix("_trip_point") }
      .prefix(ThermalZone.most).compactMap { File.firstLine("\(folder)/\($0)") }
    limitCelsius =
      names.filter { $0.hasPrefix("trip_point_") && $0.hasSuffix("_type") }
      .prefix(ThermalZone.most).compactMap { name -> Double? in
        let trip = name.dropLast("_type".count)
        switch File.firstLine("\(folder)/\(name)") {
        case "passive":
          let number = String(trip.dropFirst("trip_point_".count))
          guard bound.isEmpty || bound.contains(number) else { return nil }
        case "hot", "critical": break
        // "active": a fan.
        default: return nil
        }
        return ThermalZone.celsius("\(folder)/\(trip)_temp")
      }
      .filter { $0 >= ThermalZone.lowestTripCelsius }.min()
  }

  /// Degrees Celsius now; `nil` if the sensor does not work.
  var celsius: Double? { ThermalZone.celsius(file) }

  private static func celsius(_ file: String) -> Double? {
    File.firstLine(file).flatMap(MachineReading.celsius)
  }
}
