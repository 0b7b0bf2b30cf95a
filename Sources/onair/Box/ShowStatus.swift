// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Base
internal import Box
import Control
internal import Figures
import Glibc

struct ShowStatus: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Shows whether the broadcast is on the air, and what is wrong.")

  @OptionGroup var box: RunningBoxOptions

  func run() throws {
    let status = try box.ask { (directory) throws(ControlError) in
      try ControlClient.status(directory: directory)
    }
    if box.json {
      print(String(decoding: JSON.encode(status, forPeople: true), as: UTF8.self))
      return
    }
    let time = ShowStatus.time(in: status.zone)
    for (name, value) in [("Box", "\(status.name), \(time) (\(status.zone))")] + status.lines {
      print("\(name)\(String(repeating: " ", count: max(1, 11 - name.count)))\(value.onOneLine)")
    }
  }

  /// The present time of day in a time zone: "18:05".
  private static func time(in zone: String) -> String {
    // Set the time zone for localtime_r(3). tzset(3) treats an unknown zone as UTC.
    unsafe setenv("TZ", ":\(zone)", 1)
    tzset()
    var now = Glibc.time(nil)
    var parts = unsafe tm()
    unsafe localtime_r(&now, &parts)
    let (hour, minute) = unsafe (parts.tm_hour, parts.tm_min)
    func padded(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(padded(hour)):\(padded(minute))"
  }
}
