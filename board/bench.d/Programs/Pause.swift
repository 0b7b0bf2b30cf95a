// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc

extension Track {
  /// Runs OnAir live, then paused and muted.
  /// - Returns: the CPU time of a pause divided by that of live video.
  func pauseShare() throws -> Double {
    let server = try Server(.rtmp)
    defer { server.end() }
    // Its own state directory, since OnAir remains paused after a restart.
    let state = ["--set", "state.directory=\(work)/state-pause"]
    let child = try Child(
      Contender.onair.command(to: Servers(main: server.port), tools: tools, work: work) + state,
      log: "\(work)/pause.log")
    let feeder = Feeder(scene: scene, descriptor: child.input)
    feeder.start()
    defer {
      child.end()
      _ = feeder.stop(by: .now() + .seconds(1))
    }
    func processorNanos() -> Int64 {
      let before = child.processorNanos
      (MediaTime.now() + .seconds(Int64(seconds))).sleepUntil()
      return child.processorNanos - before
    }
    let first = try waitForPicture(server, child, .onair)
    try ask("resume", state)
    (first + .seconds(2)).sleepUntil()
    let live = processorNanos()
    try ask("pause", state)
    try ask("mute", state)
    // Skip the start of the pause, when the still is encoded: a pause is long.
    (MediaTime.now() + .seconds(6)).sleepUntil()
    let paused = processorNanos()
    guard child.isRunning, live > 0 else {
      throw Child.FailedError(description: "OnAir has ended: see \(work)/pause.log")
    }
    return Double(paused) / Double(live)
  }

  /// Runs one of OnAir's commands to its end.
  func ask(_ command: String, _ options: [String]) throws {
    let asking = try Child([tools.onair, command] + options, log: "\(work)/asked.log")
    close(asking.input)
    while asking.isRunning { usleep(5_000) }
    asking.end()
  }
}
