// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Posix

/// Why a camera delivers no frames.
enum CameraTrouble: SourceTrouble, Equatable, Sendable {
  /// No camera was found. `path` is the requested path; `nil` if the request names no camera.
  case missing(path: String?)
  /// The camera was unplugged while in use.
  case lost(path: String, name: String, error: SystemError)
  /// Another program uses the camera. `holder` is that program's name; `nil` if it is not known.
  case busy(path: String, holder: String?)
  /// This user may not open the device.
  case forbidden(path: String)
  /// The file at `path` is not a camera. `kind` names what it is instead, with an article: "a codec".
  case notCamera(path: String, kind: String)
  /// The camera is a bare sensor that delivers only raw Bayer data, and no program drives its image processor.
  case rawBayer(path: String, name: String, formats: [String])
  /// The node is part of a media-controller pipeline that no program has configured.
  case notConnected(path: String, name: String)
  /// The device's selected input has no signal.
  case noSignal(path: String, name: String)
  /// The device offers no format that OnAir supports. `formats` lists the formats that it offers.
  case noUsableFormat(path: String, name: String, formats: [String])
  /// The camera streams, but has delivered no good frame for this many seconds.
  case stuck(path: String, name: String, seconds: Int)
  /// The operation that `step` names failed for another reason.
  case failed(path: String, step: String, error: SystemError)

  /// The trouble in one word, for programs.
  var code: String {
    switch self {
    case .missing: "missing"
    case .lost: "lost"
    case .busy: "busy"
    case .forbidden: "forbidden"
    case .notCamera: "not_a_camera"
    case .rawBayer: "raw_bayer"
    case .notConnected: "not_connected"
    case .noSignal: "no_signal"
    case .noUsableFormat: "no_usable_format"
    case .stuck: "stuck"
    case .failed: "failed"
    }
  }

  /// The trouble and its remedy, for people.
  var sentence: String {
    switch self {
    case .missing(nil):
      return "No camera was found: plug one in; `onair devices` lists what is there."
    case .missing(let path?):
      return "There is no camera at \(path): plug it in, or choose one that `onair devices` lists."
    case .lost(let path, let name, let error):
      return
        "The camera \(name) at \(path) was unplugged (\(error)): plug it in again, and OnAir uses "
        + "it again."
    case .busy(let path, let holder):
      let program = holder.map { "another program (\($0))" } ?? "another program"
      return
        "The camera at \(path) is used by \(program): close that program, and OnAir uses the camera."
    case .forbidden(let path):
      return "This user may not open the camera at \(path): add the user to group video "
        + "(`sudo usermod -aG video USER`) and start again."
    case .notCamera(let path, let kind):
      return "\(path) is \(kind), not a camera: choose one that `onair devices` lists."
    case .rawBayer(let path, let name, let formats):
      return
        "\(name) at \(path) is a sensor that delivers only raw Bayer (\(list(formats))), which the "
        + "board's image processor must convert first: feed a v4l2loopback device with libcamera, or "
        + "choose a USB camera."
    case .notConnected(let path, let name):
      return
        "\(name) at \(path) is part of the board's camera pipeline, which no program has configured: "
        + "feed a v4l2loopback device with libcamera, or choose a USB camera."
    case .noSignal(let path, let name):
      return
        "\(name) at \(path) has no signal: check the cable, and that the connected device is "
        + "switched on."
    case .noUsableFormat(let path, let name, let formats):
      return "\(name) at \(path) has no format that OnAir supports"
        + (formats.isEmpty ? "" : " (only \(list(formats)))") + ": choose another camera."
    case .stuck(let path, let name, let seconds):
      return
        "The camera \(name) at \(path) has sent no good picture for \(seconds) s: OnAir opens it "
        + "again. If that does not help, use another port or a stronger power supply."
    case .failed(let path, let step, let error):
      return "The camera at \(path) failed to \(step) (\(error)): plug it in again, or choose "
        + "another camera."
    }
  }

  /// The rank of this trouble. When several devices were tried in vain, the trouble with the highest rank is reported.
  var priority: Int {
    switch self {
    case .busy: 9
    case .forbidden: 8
    case .noSignal: 7
    case .stuck, .failed: 6
    case .rawBayer: 5
    case .notConnected: 4
    case .noUsableFormat: 3
    case .lost: 2
    case .notCamera: 1
    case .missing: 0
    }
  }

  /// The first four of `formats`, separated by commas, for use in a sentence.
  private func list(_ formats: [String]) -> String {
    formats.prefix(4).joined(separator: ", ") + (formats.count > 4 ? ", …" : "")
  }
}
