// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Control
import Media

struct ShowStatus: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Shows whether the broadcast is on the air, and what is wrong.")

  @OptionGroup var box: RunningBox

  func run() throws {
    let status = try box.ask { (directory) throws(ControlError) in
      try ControlClient.status(directory: directory)
    }
    if box.json {
      print(String(decoding: JSON.encode(status, forPeople: true), as: UTF8.self))
      return
    }
    for (name, value) in status.lines {
      print("\(name)\(String(repeating: " ", count: max(1, 11 - name.count)))\(value.onOneLine)")
    }
  }
}
