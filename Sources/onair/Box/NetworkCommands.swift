// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
internal import Box
import Control
internal import Figures
import Glibc
import Networking

struct NetworkCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "network", abstract: "The box's own network: what it uses, and its Wi-Fi.",
    subcommands: [
      ShowNetwork.self, ListWiFis.self, JoinWiFi.self, ForgetWiFi.self, ConfirmNetwork.self,
    ], defaultSubcommand: ShowNetwork.self)
}

struct ShowNetwork: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Shows what the box uses, and what is wrong.")

  @OptionGroup var box: RunningBoxOptions

  func run() throws {
    let state = try box.ask { (directory) throws(ControlError) in
      try ControlClient.network(directory: directory)
    }
    guard !box.json else {
      return print(String(decoding: JSON.encode(state, forPeople: true), as: UTF8.self))
    }
    print(state.sentence)
    for interface in state.ways {
      let parts = [
        interface.wifi.map { "Wi-Fi \($0)" }, interface.strengthPercent.map { "\($0) %" },
        interface.addresses.first, interface.method, interface.inUse ? "in use" : nil,
      ]
      let text = ([interface.state] + parts.compactMap(\.self)).joined(separator: ", ")
      print("\(interface.interface) (\(interface.kind)): \(text)")
    }
    if let change = state.change, change.sentence != state.sentence { print(change.sentence) }
  }
}

struct ListWiFis: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Looks for Wi-Fis and lists them, the strongest first.")

  @OptionGroup var box: RunningBoxOptions

  func run() throws {
    let state = try box.ask { (directory) throws(ControlError) in
      // Wait for the scan. If the box cannot scan, because it makes its own Wi-Fi, show the result of an earlier scan.
      if try ControlClient.scanWiFis(directory: directory).ok { sleep(4) }
      return try ControlClient.network(directory: directory)
    }
    guard !box.json else {
      return print(String(decoding: JSON.encode(state.wifis, forPeople: true), as: UTF8.self))
    }
    for wifi in state.wifis {
      let remarks = [wifi.inUse ? "in use" : wifi.known ? "known" : nil].compactMap(\.self)
      print(
        (["\(wifi.strengthPercent) %", wifi.security] + remarks).joined(separator: ", ")
          + ": \(wifi.name)")
    }
    let outOfReach = Set(state.known).subtracting(state.wifis.map(\.name)).sorted()
    for name in outOfReach { print("not in reach, known: \(name)") }
    if state.wifis.isEmpty, outOfReach.isEmpty { print(state.sentence) }
  }
}

struct JoinWiFi: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "join", abstract: "Joins a Wi-Fi.",
    discussion: """
      Asks for the password on a terminal; otherwise reads one line of standard input. An empty one is for an open \
      Wi-Fi, or one that is known. Where that may cut you off, it is undone after a minute unless "onair network confirm" \
      is given.
      """)

  /// Seconds to wait until the box has joined the Wi-Fi or failed. The box itself gives up after a minute.
  private static let maxSeconds = 70

  @Argument(help: "The name of the Wi-Fi.")
  var name: String

  @Flag(help: "The Wi-Fi does not tell its name.")
  /// Whether the Wi-Fi does not broadcast its name.
  var hidden = false

  @OptionGroup var box: RunningBoxOptions

  func run() throws {
    let password = isatty(STDIN_FILENO) == 1 ? ask("Password: ") : readLine() ?? ""
    let reply = try box.ask { (directory) throws(ControlError) in
      try ControlClient.joinWiFi(
        name, password: password, isHidden: hidden, directory: directory)
    }
    guard reply.ok else { return try box.show(reply) }
    let state = try box.ask { (directory) throws(ControlError) in
      var state = try ControlClient.network(directory: directory)
      for _ in 0..<JoinWiFi.maxSeconds where state.change?.state == .trying {
        sleep(1)
        state = try ControlClient.network(directory: directory)
      }
      return state
    }
    let change = state.change
    if box.json {
      print(String(decoding: JSON.encode(change, forPeople: true), as: UTF8.self))
    } else if change?.state == .unconfirmed {
      print(
        "The box is in the Wi-Fi \(name). To keep that, give within \(change?.secondsLeft ?? 0) s: "
          + "onair network confirm")
    } else if change?.state == .done {
      print(change?.sentence ?? "")
    } else {
      printError(change?.sentence ?? "")
    }
    if change?.state != .done, change?.state != .unconfirmed { throw ExitCode.failure }
  }
}

struct ForgetWiFi: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget", abstract: "Forgets a Wi-Fi and its password.")

  @Argument(help: "The name of the Wi-Fi.")
  var name: String

  @OptionGroup var box: RunningBoxOptions

  func run() throws {
    try box.show(
      box.ask { (directory) throws(ControlError) in
        try ControlClient.forgetWiFi(name, directory: directory)
      })
  }
}

struct ConfirmNetwork: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "confirm", abstract: "Keeps a change of the network that waits to be confirmed.")

  @OptionGroup var box: RunningBoxOptions

  func run() throws {
    try box.show(
      box.ask { (directory) throws(ControlError) in
        try ControlClient.confirmNetwork(directory: directory)
      })
  }
}
