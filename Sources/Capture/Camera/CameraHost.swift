// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// Where devices are looked for: the machine, or a test's idea of one.
protocol CameraHost: Sendable {
  /// The nodes that may be cameras, by number.
  func nodes() -> [String]
  func open(_ path: String) throws(DriverError) -> any VideoDevice
  /// The program that has `path` open, as far as this user can see.
  func holder(of path: String) -> String?
}

/// This machine.
struct LinuxCameraHost: CameraHost {
  func nodes() -> [String] {
    DeviceDirectory.numbered("video", in: "/dev").map { "/dev/\($0)" }
  }

  func open(_ path: String) throws(DriverError) -> any VideoDevice {
    try V4L2Device(path: path)
  }

  func holder(of path: String) -> String? {
    guard let node = DeviceDirectory.resolve(path) else { return nil }
    let own = "\(getpid())"
    for process in DeviceDirectory.names(in: "/proc") where process != own {
      guard process.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { continue }
      let descriptors = "/proc/\(process)/fd"
      for name in DeviceDirectory.names(in: descriptors)
      where DeviceDirectory.target(of: "\(descriptors)/\(name)") == node {
        return DeviceDirectory.firstLine(of: "/proc/\(process)/comm")
      }
    }
    return nil
  }
}
