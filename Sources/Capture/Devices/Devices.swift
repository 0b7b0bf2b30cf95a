// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Lists the devices of this machine, for setting OnAir up.
public enum Devices {
  /// All video devices, ordered by number. Those that cannot be used have a `problem`.
  public static func cameras() -> [CameraDescription] {
    cameras(on: LinuxCameraHost(), links: LinuxCameraHost.links())
  }
}

/// A video device.
public struct CameraDescription: Codable, Sendable, Equatable {
  /// "/dev/video0". It may be another camera after the next boot.
  public var path: String
  /// The link in /dev/v4l/by-id, which always names this camera, or in by-path, which names its port.
  public var stablePath: String?
  /// The device's own name.
  public var name: String
  /// The kernel's driver: "uvcvideo".
  public var driver: String
  /// Where it is plugged in: "usb-0000:01:00.0-1.3".
  public var bus: String
  /// Whether OnAir can capture from it.
  public var isUsable: Bool
  /// Why it cannot be used, and what to do about it.
  public var problem: String?
  /// A code for `problem`: "not_a_camera", "busy".
  public var cause: String?
  /// The pixel formats, in the driver's order.
  public var formats: [CameraFormatDescription]

  public init(
    path: String, stablePath: String? = nil, name: String = "", driver: String = "",
    bus: String = "", isUsable: Bool = false, problem: String? = nil, cause: String? = nil,
    formats: [CameraFormatDescription] = []
  ) {
    self.path = path
    self.stablePath = stablePath
    self.name = name
    self.driver = driver
    self.bus = bus
    self.isUsable = isUsable
    self.problem = problem
    self.cause = cause
    self.formats = formats
  }
}

/// A pixel format of a camera.
public struct CameraFormatDescription: Codable, Sendable, Equatable {
  /// How OnAir uses a format.
  public enum Use: String, Codable, Sendable {
    /// Directly.
    case straight
    /// Converted by libv4lconvert, which costs processor time.
    case converted
    /// Not at all.
    case none
  }

  /// V4L2's four characters: "YUYV".
  public var fourcc: String
  /// The driver's or the kernel's description: "YUYV 4:2:2".
  public var description: String
  /// How OnAir uses it.
  public var use: Use
  /// Empty if the driver lists none.
  public var sizes: [CameraSizeDescription]

  public init(fourcc: String, description: String, use: Use, sizes: [CameraSizeDescription]) {
    self.fourcc = fourcc
    self.description = description
    self.use = use
    self.sizes = sizes
  }
}

/// A size of a format. With `maxWidth` and `maxHeight`, a range of sizes.
public struct CameraSizeDescription: Codable, Sendable, Equatable {
  /// In pixels; the minimum of a range.
  public var width: Int
  /// In pixels; the minimum of a range.
  public var height: Int
  /// The maximum width of a range.
  public var maxWidth: Int?
  /// The maximum height of a range.
  public var maxHeight: Int?
  /// Frames per second, from fast to slow; for a range, those at its maximum. Empty if the driver lists none.
  public var rates: [Double]

  public init(
    width: Int, height: Int, maxWidth: Int? = nil, maxHeight: Int? = nil, rates: [Double]
  ) {
    self.width = width
    self.height = height
    self.maxWidth = maxWidth
    self.maxHeight = maxHeight
    self.rates = rates
  }
}
