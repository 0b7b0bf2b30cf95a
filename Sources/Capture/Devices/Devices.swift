// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What is plugged into the machine, for people who set OnAir up.
public enum Devices {
  /// The video devices, by number: cameras, and other nodes with the reason why they are none.
  public static func cameras() -> [CameraDescription] {
    cameras(on: LinuxCameraHost(), links: LinuxCameraHost.links())
  }
}

/// A video device.
public struct CameraDescription: Codable, Sendable, Equatable {
  /// "/dev/video0": may name another camera after the next boot.
  public var path: String
  /// The link in /dev/v4l/by-id or by-path that stays with the camera, or with its socket.
  public var stablePath: String?
  /// What it calls itself.
  public var name: String
  /// The kernel's driver: "uvcvideo".
  public var driver: String
  /// Where it is plugged in: "usb-0000:01:00.0-1.3".
  public var bus: String
  /// Whether OnAir can take pictures from it.
  public var isUsable: Bool
  /// Why it cannot be used, and what to do about it.
  public var problem: String?
  /// In the driver's order.
  public var formats: [CameraFormatDescription]

  /// A device of which nothing is known but what is given.
  public init(
    path: String, stablePath: String? = nil, name: String = "", driver: String = "",
    bus: String = "", isUsable: Bool = false, problem: String? = nil,
    formats: [CameraFormatDescription] = []
  ) {
    self.path = path
    self.stablePath = stablePath
    self.name = name
    self.driver = driver
    self.bus = bus
    self.isUsable = isUsable
    self.problem = problem
    self.formats = formats
  }
}

/// A pixel format of a camera.
public struct CameraFormatDescription: Codable, Sendable, Equatable {
  /// How OnAir takes a format.
  public enum Use: String, Codable, Sendable {
    /// As it comes.
    case straight
    /// Through libv4lconvert, which costs time.
    case converted
    /// Not at all.
    case none
  }

  /// V4L2's four characters: "YUYV".
  public var fourcc: String
  /// The driver's or the kernel's words: "YUYV 4:2:2".
  public var description: String
  /// How OnAir takes it.
  public var use: Use
  /// Empty when the driver lists none.
  public var sizes: [CameraSizeDescription]

  /// A format with all that is told of it.
  public init(fourcc: String, description: String, use: Use, sizes: [CameraSizeDescription]) {
    self.fourcc = fourcc
    self.description = description
    self.use = use
    self.sizes = sizes
  }
}

/// A size of a format, or with `maxWidth` and `maxHeight` all sizes from it to those.
public struct CameraSizeDescription: Codable, Sendable, Equatable {
  /// Pixels from left to right.
  public var width: Int
  /// Pixels from top to bottom.
  public var height: Int
  /// Of a range of sizes: the greatest width.
  public var maxWidth: Int?
  /// Of a range of sizes: the greatest height.
  public var maxHeight: Int?
  /// Frames a second, from fast to slow; of a range of sizes, those at its greatest. Empty when the
  /// driver lists none.
  public var rates: [Double]

  /// One size, or a range of sizes.
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
