// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

extension Devices {
  /// Notes in each camera the microphone of the same USB device: that of a webcam, or the sound of an HDMI grabber.
  /// - Parameter sys: where sysfs is.
  public static func pair(
    _ cameras: inout [CameraDescription], with microphones: [AudioDevices.Entry],
    sys: String = "/sys"
  ) {
    let owners = microphones.map { usbDevice("\(sys)/class/sound/card\($0.card)/device") }
    for index in cameras.indices {
      let node = cameras[index].path.split(separator: "/").last ?? ""
      guard let owner = usbDevice("\(sys)/class/video4linux/\(node)/device"),
        let match = owners.firstIndex(of: owner)
      else { continue }
      let microphone = microphones[match]
      cameras[index].microphone = "microphone:\(microphone.stableName ?? microphone.name)"
    }
  }

  /// The folder of the USB device that a link to one of its interfaces leads to; `nil` for another device. The name of
  /// an interface is that of its device, a colon, and two numbers: "1-1.3:1.0".
  private static func usbDevice(_ link: String) -> String? {
    guard let interface = DeviceDirectory.resolve(link), let slash = interface.lastIndex(of: "/")
    else { return nil }
    let device = interface[..<slash]
    let name = device.split(separator: "/").last ?? ""
    return interface[interface.index(after: slash)...].hasPrefix("\(name):") ? String(device) : nil
  }
}
