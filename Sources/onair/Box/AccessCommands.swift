// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
internal import Box
import Control
internal import Figures
import FoundationEssentials
import Glibc

struct Password: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Sets the password of the page, without the old one.",
    discussion: """
      Asks for it twice on a terminal; otherwise reads one line of standard input. All who are logged in have to log in \
      again; tokens stay. With --operator it is a second password, with which one can only start, pause, mute and end the \
      broadcast.
      """)

  @Flag(help: "Forget the password, all sessions and all tokens: the page asks for a new one.")
  /// Whether to forget the password, all sessions and all tokens instead of setting a password.
  var reset = false

  @Flag(help: "The password for operators; with --reset, remove it.")
  var `operator` = false

  @OptionGroup var box: RunningBoxOptions

  func run() throws {
    let new = reset ? "" : try Password.read()
    try box.show(
      box.ask { (directory) throws(ControlError) in
        if `operator` {
          return try ControlClient.setOperatorPassword(reset ? nil : new, directory: directory)
        }
        return reset
          ? try ControlClient.resetAccess(directory: directory)
          : try ControlClient.setPassword(new, directory: directory)
      })
  }

  /// Reads the new password: asks for it twice on a terminal, else reads a line of standard input.
  /// - Throws: `ExitCode` if the two passwords differ.
  private static func read() throws -> String {
    guard isatty(STDIN_FILENO) == 1 else { return readLine() ?? "" }
    let first = ask("New password: ")
    guard first == ask("Once more: ") else {
      printError("The two are not the same, and nothing has changed.")
      throw ExitCode.failure
    }
    return first
  }
}

/// Asks a question on the terminal, and reads a line without showing what is typed.
/// - Parameter output: the file descriptor to which the question is written.
func ask(_ question: String, on output: Int32 = STDOUT_FILENO) -> String {
  var settingsWithEcho = termios()
  unsafe tcgetattr(STDIN_FILENO, &settingsWithEcho)
  var settingsWithoutEcho = settingsWithEcho
  settingsWithoutEcho.c_lflag &= ~tcflag_t(ECHO)
  unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &settingsWithoutEcho)
  defer {
    unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &settingsWithEcho)
    _ = unsafe write(output, "\n", 1)
  }
  _ = unsafe write(output, question, question.utf8.count)
  return readLine() ?? ""
}

struct TokenCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Tokens with which scripts use the API over the network.",
    subcommands: [AddToken.self, RemoveToken.self, ListTokens.self])
}

struct AddToken: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Makes a token and prints it. It is not shown again.")

  @Argument(help: "A name, to know it by.")
  /// The name by which a person recognises the new token.
  var name: String

  @Option(
    help: """
      What it allows: "read" is status and figures, "operate" also start, stop, pause, resume and mute, "control" also all \
      other commands, and the camera off air, "admin" everything.
      """,
    completion: .list(ControlClient.scopes))
  /// What the token allows: "read", "operate", "control" or "admin".
  var scope = "read"

  @OptionGroup var box: RunningBoxOptions

  func validate() throws {
    guard ControlClient.scopes.contains(scope) else {
      throw ValidationError(
        "There is no such scope: it is one of \(ControlClient.scopes.joined(separator: ", ")).")
    }
  }

  func run() throws {
    let token = try box.ask { (directory) throws(ControlError) in
      try ControlClient.makeToken(name, scope: scope, directory: directory)
    }
    if box.json {
      print(String(decoding: JSON.encode(token, forPeople: true), as: UTF8.self))
    } else {
      print(token.token ?? "")
    }
  }
}

struct RemoveToken: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Removes a token: it does not count any more.")

  @Argument(help: "The token's name.")
  var name: String

  @OptionGroup var box: RunningBoxOptions

  func run() throws {
    guard name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "_-".contains($0)) })
    else {
      printError("There is no token of this name.")
      throw ExitCode.failure
    }
    try box.show(
      box.ask { (directory) throws(ControlError) in
        try ControlClient.removeToken(name, directory: directory)
      })
  }
}

struct ListTokens: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists the tokens, without their secrets.")

  @OptionGroup var box: RunningBoxOptions

  func run() throws {
    let tokens = try box.ask { (directory) throws(ControlError) in
      try ControlClient.tokens(directory: directory)
    }
    if box.json {
      print(String(decoding: JSON.encode(tokens, forPeople: true), as: UTF8.self))
    } else {
      for token in tokens { print("\(token.name)  \(token.scope)  \(token.made)") }
      if tokens.isEmpty { print("none") }
    }
  }
}
