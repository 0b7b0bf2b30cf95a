// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture

/// The cameras, microphones and headphones of the box, as `GET /api/devices` lists them. The names of the fields are a contract.
package struct DeviceList: Encodable {
  /// A camera, a microphone or a playback device.
  struct Device: Encodable {
    /// The value of `video.source`, `audio.source` or `audio.monitor` that selects this device.
    var value: String
    /// The device's name for people.
    var name: String
    /// Why the device cannot be used, and what to do about it; `nil` if it can.
    var problem: String?
    /// The code of a playback device's problem: "forbidden" or "no_screen"; `nil` for none and for other devices.
    var cause: String?
    /// The sizes and frame rates of a camera that need no conversion: "1280x720 at 30, 60"; `nil` for others.
    var modes: [String]?
    /// The value of `audio.source` for the sound that comes with a camera; `nil` if none does.
    var microphone: String?
    /// Whether `audio.source = "microphone"` means this one; `nil` for other devices.
    var first: Bool?
  }

  var cameras: [Device]
  var microphones: [Device]
  /// What headphones can be plugged into.
  var playback: [Device]

  /// The devices that are plugged in. Reading this queries the drivers, which may take a second.
  package static var present: DeviceList {
    let microphones = AudioDevices.list(probing: false)
    var cameras = Devices.cameras()
    Devices.pair(&cameras, with: microphones)
    return DeviceList(
      // Leave out video nodes that are no camera: a webcam has one for metadata, and a board has some for its codecs.
      cameras: cameras.filter { $0.cause != "not_a_camera" }.map { camera in
        let sizes = camera.formats.filter { $0.use == .straight }.flatMap(\.sizes).map(text)
        return Device(
          value: "camera:\(camera.stablePath ?? camera.path)",
          name: camera.name.isEmpty ? camera.path : camera.name, problem: camera.problem,
          modes: sizes.enumerated().filter { !sizes[..<$0.offset].contains($0.element) }.map(
            \.element), microphone: camera.microphone)
      },
      microphones: microphones.map { microphone in
        Device(
          value: "microphone:\(microphone.stableName ?? microphone.name)",
          name: microphone.description, problem: problem(microphone), first: microphone.isFirst)
      },
      playback: PlaybackDevices.list().map {
        Device(
          value: $0.value, name: $0.description.isEmpty ? $0.name : $0.description,
          problem: $0.problem, cause: $0.cause)
      })
  }

  /// A picture size and its frame rates as text: "1280x720 at 30, 60".
  private static func text(_ size: CameraSizeDescription) -> String {
    let rates = size.rates.map { $0 == $0.rounded() ? "\(Int($0))" : "\($0)" }
    return "\(size.width)x\(size.height)"
      + (rates.isEmpty ? "" : " at \(rates.joined(separator: ", "))")
  }

  /// Why a microphone cannot be used, and what to do about it; `nil` if it can.
  private static func problem(_ microphone: AudioDevices.Entry) -> String? {
    microphone.state == "forbidden"
      ? "OnAir's user may not open it: add that user to the group audio." : nil
  }
}
