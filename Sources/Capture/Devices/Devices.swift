// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Lists the video devices of this machine, for people who set OnAir up.
public enum Devices {
  /// All video devices, ordered by number. Devices that cannot be used have a `problem`.
  public static func cameras() -> [CameraDescription] {
    cameras(on: LinuxCameraHost(), links: LinuxCameraHost.links())
  }
}

/// The description of a video device of this machine.
public struct CameraDescription: Codable, Sendable, Equatable {
  /// The path of the device node: "/dev/video0". After the next boot, it may belong to another camera.
  public var path: String
  /// A link to the node that stays valid after a reboot: a link in /dev/v4l/by-id, which always leads to this camera,
  /// or in /dev/v4l/by-path, which leads to the camera at this port. `nil` if udev has made no link.
  public var stablePath: String?
  /// The name of the device, as its driver states it.
  public var name: String
  /// The name of the device's driver in the kernel: "uvcvideo".
  public var driver: String
  /// The bus and the port that the device is connected to: "usb-0000:01:00.0-1.3".
  public var bus: String
  /// Whether OnAir can capture from the device.
  public var isUsable: Bool
  /// Why the device cannot be used and what to do about it, for people; `nil` if it can be used.
  public var problem: String?
  /// The code of `problem`, for programs: "not_a_camera", "busy". `nil` if the device can be used.
  public var cause: String?
  /// The pixel formats that the device offers, in the driver's order.
  public var formats: [CameraFormatDescription]
  /// The value of `audio.source` for the microphone of the same device; `nil` if there is none, or it was not looked
  /// for (`Devices.pair`).
  public var microphone: String?

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
  /// The way in which OnAir uses a pixel format.
  public enum Use: String, Codable, Sendable {
    /// OnAir uses the format without a conversion.
    case straight
    /// libv4lconvert converts the format, which costs processor time.
    case converted
    /// OnAir does not support the format.
    case none
  }

  /// V4L2's four characters that name the format: "YUYV".
  public var fourcc: String
  /// The description of the format by the driver or the kernel: "YUYV 4:2:2".
  public var description: String
  /// The way in which OnAir uses the format.
  public var use: Use
  /// The picture sizes that the device offers in this format; empty if the driver lists none.
  public var sizes: [CameraSizeDescription]

  public init(fourcc: String, description: String, use: Use, sizes: [CameraSizeDescription]) {
    self.fourcc = fourcc
    self.description = description
    self.use = use
    self.sizes = sizes
  }
}

/// A picture size that a device offers in a pixel format, or a range of sizes, which has `maxWidth` and `maxHeight`.
public struct CameraSizeDescription: Codable, Sendable, Equatable {
  /// The width in pixels; the minimum width of a range.
  public var width: Int
  /// The height in pixels; the minimum height of a range.
  public var height: Int
  /// The maximum width of a range in pixels; `nil` for a single size.
  public var maxWidth: Int?
  /// The maximum height of a range in pixels; `nil` for a single size.
  public var maxHeight: Int?
  /// The frame rates at this size in frames per second, from fast to slow; for a range, the rates at its maximum size.
  /// Empty if the driver lists none.
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
