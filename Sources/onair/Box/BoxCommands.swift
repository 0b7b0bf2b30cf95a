// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Control
import Networking

struct BoxCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "box", abstract: "The machine that OnAir runs on.",
    subcommands: [RestartBox.self, ShutDownBox.self])
}

struct RestartBox: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restart", abstract: "Restarts the machine.",
    discussion: "Not during a broadcast, unless --even-live is given: it then goes on afterwards.")

  /// Whether to restart the machine or to switch it off even during a broadcast.
  @Flag(help: "During a broadcast, too.")
  var evenLive = false

  @OptionGroup var box: RunningBoxOptions

  func run() throws { try box.power(.restart, isForced: evenLive) }
}

struct ShutDownBox: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "shutdown", abstract: "Switches the machine off.",
    discussion:
      "Not during a broadcast, unless --even-live is given: it then goes on at the next start.")

  /// Whether to restart the machine or to switch it off even during a broadcast.
  @Flag(help: "During a broadcast, too.")
  var evenLive = false

  @OptionGroup var box: RunningBoxOptions

  func run() throws { try box.power(.shutdown, isForced: evenLive) }
}

extension RunningBoxOptions {
  /// Restarts the machine or switches it off, and prints the answer.
  /// - Parameter isForced: whether to do so during a broadcast, too.
  fileprivate func power(_ action: MachinePower.Action, isForced: Bool) throws {
    try show(
      ask { (directory) throws(ControlError) in
        try ControlClient.power(action, isForced: isForced, directory: directory)
      })
  }
}
