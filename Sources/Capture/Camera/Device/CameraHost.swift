// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Posix

/// Lists and opens the video devices of a machine. Tests implement it with simulated devices.
protocol CameraHost: Sendable {
  /// The paths of all video device nodes, ordered by number.
  func nodes() -> [String]
  /// Opens the video device at `path` without changing its settings.
  func open(_ path: String) throws(SystemError) -> any VideoDevice
  /// The name of another program that has the device at `path` open; `nil` if there is none, or if this user may not
  /// see it.
  func holder(of path: String) -> String?
}

/// Lists and opens the V4L2 devices of the machine that OnAir runs on.
struct LinuxCameraHost: CameraHost {
  /// The paths of all nodes /dev/video*, ordered by number.
  func nodes() -> [String] {
    DeviceDirectory.numbered("video", in: "/dev").map { "/dev/\($0)" }
  }

  func open(_ path: String) throws(SystemError) -> any VideoDevice {
    try V4L2Device(path: path)
  }

  /// The name of another program that has the device at `path` open; `nil` if /proc shows none.
  func holder(of path: String) -> String? {
    guard let node = DeviceDirectory.resolve(path) else { return nil }
    let own = "\(getpid())"
    for process in File.names(in: "/proc") where process != own {
      guard process.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { continue }
      let descriptors = "/proc/\(process)/fd"
      for name in File.names(in: descriptors)
      where DeviceDirectory.target(of: "\(descriptors)/\(name)") == node {
        return File.firstLine("/proc/\(process)/comm")
      }
    }
    return nil
  }
}
