// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Posix

/// The machine whose cameras are used. Tests implement it, too.
protocol CameraHost: Sendable {
  /// The paths of the video nodes, ordered by number.
  func nodes() -> [String]
  func open(_ path: String) throws(SystemError) -> any VideoDevice
  /// The name of the program that has `path` open, if this user can find out.
  func holder(of path: String) -> String?
}

/// The real machine.
struct LinuxCameraHost: CameraHost {
  func nodes() -> [String] {
    DeviceDirectory.numbered("video", in: "/dev").map { "/dev/\($0)" }
  }

  func open(_ path: String) throws(SystemError) -> any VideoDevice {
    try V4L2Device(path: path)
  }

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
