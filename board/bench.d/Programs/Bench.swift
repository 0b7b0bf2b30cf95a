// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Glibc

@main
struct Bench: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measures OnAir. Run by board/bench.",
    subcommands: [
      Comparison.self, Budget.self, Relays.self, Layers.self, Overlays.self, Filters.self,
      Sound.self, Voices.self,
    ],
    defaultSubcommand: Comparison.self)
}

/// What `board/bench` has built, and where files belong.
struct Paths: ParsableArguments {
  @Option(help: "Path of onair.")
  var onair: String
  @Option(help: "Path of the compiled Tools/floor.c.")
  var floor: String
  @Option(help: "Path of the compiled Tools/allocations.c.")
  var allocations: String
  @Option(help: "Folder for logs and for files of the programs.")
  var work: String

  func tools() throws -> Tools {
    let beep = "\(work)/beep.f32"
    try Beep.write(to: beep)
    return Tools(onair: onair, floor: floor, allocations: allocations, beep: beep)
  }
}

/// Shows progress on standard error.
func tell(_ line: String) {
  let bytes = Array("\(line)\n".utf8)
  _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
}
