// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Box
internal import Events
internal import Figures
internal import Posix

extension Routes {
  /// The diagnostics file: one JSON object with the state, the settings, the events and the log of the box, without
  /// secrets.
  var diagnostics: [UInt8] {
    let parts: [(String, [UInt8])] = [
      ("version", JSON.encode(Version.current)),
      ("time", JSON.encode(WallClock.text(station.events.wallClock.milliseconds))),
      ("machine", JSON.encode(Machine.present)),
      ("status", JSON.encode(station.status)),
      ("figures", JSON.encode(station.figures)),
      ("history", station.history(seconds: 7_200)),
      ("settings", desk.settingsList),
      ("network", JSON.encode(network.state)),
      ("devices", JSON.encode(DeviceList.present)),
      ("events", JSON.encode(station.events.newest)),
      ("log", JSON.encode(log.newest(LogTail.maxLines))),
    ]
    let fields = parts.map { name, value in "\"\(name)\": " + String(decoding: value, as: UTF8.self)
    }
    return Array("{\n\(fields.joined(separator: ",\n"))\n}\n".utf8)
  }
}

/// Host name, model, kernel and operating system of the machine, for the diagnostics file.
private struct Machine: Encodable {
  /// The host name.
  var name: String
  /// The board, such as "Raspberry Pi 4 Model B Rev 1.4"; `nil` if the device tree does not name one.
  var model: String?
  /// The name, release and build of the kernel, from /proc/version; `nil` if it cannot be read.
  var kernel: String?
  /// The distribution, such as "Debian GNU/Linux 13 (trixie)"; `nil` if /etc/os-release does not name one.
  var system: String?

  /// This machine.
  static var present: Machine {
    let release = File.kernelText("/etc/os-release") ?? ""
    let pretty = release.split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }
    return Machine(
      name: Host.name,
      model: File.kernelText("/proc/device-tree/model").map { String($0.prefix { $0 != "\0" }) },
      kernel: File.kernelText("/proc/version").map { String($0.prefix { $0 != "\n" }) },
      system: pretty.map { String($0.dropFirst("PRETTY_NAME=".count).filter { $0 != "\"" }) })
  }
}
