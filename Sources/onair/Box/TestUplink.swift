// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
internal import Box
import Control
internal import Figures
import Glibc

struct TestUplink: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "uplink",
    abstract: "Measures what the connection to the platform carries, and recommends a bit rate.",
    discussion: """
      Off air only. For about 10 seconds the box sends a still to the server of the settings, faster and faster. A \
      platform that starts by itself may show it to viewers.
      """)

  /// Seconds to wait for the result of the test. The attempt to reach a server that does not answer takes about half a
  /// minute.
  private static let maxSeconds = 90

  @OptionGroup var box: RunningBoxOptions

  func run() throws {
    let answer = try box.ask { (directory) throws(ControlError) in
      let answer = try ControlClient.testUplink(directory: directory)
      guard case .begun(var uplink) = answer else { return answer }
      for _ in 0..<(TestUplink.maxSeconds * 2) where uplink.state == .running {
        usleep(500_000)
        uplink = try ControlClient.uplink(directory: directory)
      }
      return .begun(uplink)
    }
    switch answer {
    case .refused(let reply): try box.show(reply)
    case .begun(let uplink):
      if box.json {
        print(String(decoding: JSON.encode(uplink, forPeople: true), as: UTF8.self))
      } else if uplink.state == .done {
        print(uplink.sentence ?? "Done.")
      } else {
        printError(uplink.sentence ?? "The test does not end: see \"sudo onair status\".")
      }
      if uplink.state != .done { throw ExitCode.failure }
    }
  }
}
