// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Why no pictures come from a camera: each case is a cause that a person can act on.
enum CameraTrouble: Error, Equatable, Sendable {
  /// Nothing is there. `path` is `nil` when any camera would do.
  case missing(path: String?)
  /// It ran, and went away.
  case lost(path: String, name: String, error: DriverError)
  /// Another program streams from it. `holder`: that program, where it can be seen.
  case busy(path: String, holder: String?)
  case forbidden(path: String)
  /// The node is something else. `kind`: what, with its article.
  case notCamera(path: String, kind: String)
  /// A sensor whose image processor nobody drives.
  case rawBayer(path: String, name: String, formats: [String])
  /// A media-controller node whose pipeline nobody has set up.
  case notConnected(path: String, name: String)
  case noSignal(path: String, name: String)
  case noUsableFormat(path: String, name: String, formats: [String])
  /// It streams, but no good picture comes.
  case stuck(path: String, name: String, seconds: Int)
  /// A step failed in a way that has no name of its own.
  case failed(path: String, step: String, error: DriverError)

  /// One word for programs.
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

  /// The cause and what to do about it.
  var sentence: String {
    switch self {
    case .missing(nil):
      return "No camera was found: plug one in; `onair devices` lists what is there."
    case .missing(let path?):
      return "There is no camera at \(path): plug it in, or choose one that `onair devices` lists."
    case .lost(let path, let name, let error):
      return "The camera \(name) at \(path) is gone (\(error)): plug it in again; it is then taken "
        + "back by itself."
    case .busy(let path, let holder):
      let program = holder.map { "another program (\($0))" } ?? "another program"
      return "The camera at \(path) is used by \(program): close that, and it is taken by itself."
    case .forbidden(let path):
      return "This user may not open the camera at \(path): add the user to group video "
        + "(`sudo usermod -aG video USER`) and start again."
    case .notCamera(let path, let kind):
      return "\(path) is \(kind), not a camera: choose one that `onair devices` lists."
    case .rawBayer(let path, let name, let formats):
      return
        "\(name) at \(path) is a sensor that gives only raw Bayer (\(list(formats))), which the "
        + "board's image processor must develop first: feed a v4l2loopback device by libcamera, or "
        + "choose a USB camera."
    case .notConnected(let path, let name):
      return "\(name) at \(path) is a part of the board's camera pipeline that nobody has set up: "
        + "feed a v4l2loopback device by libcamera, or choose a USB camera."
    case .noSignal(let path, let name):
      return
        "\(name) at \(path) has no signal: check its cable and that what is plugged into it is "
        + "switched on."
    case .noUsableFormat(let path, let name, let formats):
      return "\(name) at \(path) has no format that can be taken"
        + (formats.isEmpty ? "" : " (only \(list(formats)))") + ": choose another camera."
    case .stuck(let path, let name, let seconds):
      return
        "The camera \(name) at \(path) has sent no good picture for \(seconds) s: it is opened "
        + "again; if that does not help, plug it into another port or give it more power."
    case .failed(let path, let step, let error):
      return "The camera at \(path) failed to \(step) (\(error)): plug it in again, or choose "
        + "another."
    }
  }

  /// How much it tells when several devices were tried: the greatest is reported.
  var weight: Int {
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

  /// The first few of `formats`, for a sentence.
  private func list(_ formats: [String]) -> String {
    formats.prefix(4).joined(separator: ", ") + (formats.count > 4 ? ", …" : "")
  }
}
