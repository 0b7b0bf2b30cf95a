// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
internal import Box
import Control
internal import Figures
import Glibc

struct MeasureLipSync: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lipsync",
    abstract: "Measures by how much picture and sound are apart, and proposes audio.delay_ms.",
    discussion: """
      Needs a camera and a microphone, on the air or off. A box with a lamp and a buzzer flashes and \
      beeps; point its camera at the lamp. Without them, clap your hands 20 times in the middle of the \
      picture. It takes at most a minute.
      """)

  /// Seconds to wait for the result: those of the measurement, and those until camera and microphone are open.
  private static let mostSeconds = 90

  @OptionGroup var box: RunningBoxOptions

  func run() throws {
    let answer = try box.ask { (directory) throws(ControlError) in
      let answer = try ControlClient.measureLipSync(directory: directory)
      guard case .begun(var measured) = answer else { return answer }
      if !box.json, let sentence = measured.sentence { print(sentence) }
      for _ in 0..<(MeasureLipSync.mostSeconds * 2) where measured.state == .running {
        usleep(500_000)
        measured = try ControlClient.lipSync(directory: directory)
      }
      return .begun(measured)
    }
    switch answer {
    case .refused(let reply): try box.show(reply)
    case .begun(let measured):
      if box.json {
        print(String(decoding: JSON.encode(measured, forPeople: true), as: UTF8.self))
      } else if measured.state == .done {
        print(measured.sentence ?? "Done.")
      } else {
        printError(measured.sentence ?? "The measurement does not end: see \"sudo onair status\".")
      }
      if measured.state != .done { throw ExitCode.failure }
    }
  }
}
