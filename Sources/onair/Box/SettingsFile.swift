// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Control
import Glibc
import Posix

/// The options of `onair settings` that export the settings to a file, or import them from one.
struct SettingsFileOptions: ParsableArguments {
  @Flag(help: "Print, as a file to keep, what differs from the defaults.")
  /// Whether to print the settings that differ from the defaults, as a file that `--import` can read.
  var export = false

  @Flag(
    help: """
      With --export: with stream key and passwords, encrypted with a passphrase, which is asked for on a terminal, or read \
      from standard input.
      """)
  /// Whether the exported file contains the stream key and the passwords, encrypted with a passphrase.
  var withSecrets = false

  @Option(
    name: .customLong("import"),
    help: ArgumentHelp(
      "Take over the settings of such a file, all of them or none. What it does not name goes back to its default; "
        + "servers and secrets stay.",
      valueName: "file"),
    completion: .file())
  /// The path of the file to import; `nil` without `--import`.
  var importedFile: String?

  /// Maximum size of an imported file in bytes: the HTTP API accepts no larger request.
  private static let maxFileBytes = 60_000

  func validate() throws {
    if export, importedFile != nil { throw ValidationError("Either --export or --import.") }
    if withSecrets, !export { throw ValidationError("--with-secrets goes with --export.") }
  }

  /// Exports or imports the settings, if an option asks for it.
  /// - Returns: `false` if no option asks for an export or import.
  func run(_ box: RunningBoxOptions) throws -> Bool {
    if export {
      let passphrase = withSecrets ? try Self.newPassphrase() : nil
      let text = try box.ask { (directory) throws(ControlError) in
        try ControlClient.exportSettings(passphrase: passphrase, directory: directory)
      }
      print(text, terminator: "")
    } else if let importedFile {
      let text = try Self.read(importedFile)
      let passphrase = ControlClient.isSealed(text) ? Self.passphrase("Passphrase: ") : nil
      try box.show(
        box.ask { (directory) throws(ControlError) in
          try ControlClient.importSettings(text, passphrase: passphrase, directory: directory)
        })
    }
    return export || importedFile != nil
  }

  /// Reads the passphrase for an export: asks for it twice on a terminal, else reads a line of standard input.
  /// - Throws: `ExitCode` if the two passphrases differ.
  private static func newPassphrase() throws -> String {
    let first = passphrase("New passphrase: ")
    guard isatty(STDIN_FILENO) == 1, first != passphrase("Once more: ") else { return first }
    printError("The two are not the same, and nothing was saved.")
    throw ExitCode.failure
  }

  /// Asks for a passphrase on a terminal, else reads a line of standard input; empty if there is none.
  private static func passphrase(_ question: String) -> String {
    isatty(STDIN_FILENO) == 1 ? ask(question, on: STDERR_FILENO) : readLine() ?? ""
  }

  /// Reads the text of an exported file. Ends the program with an error if that fails.
  private static func read(_ path: String) throws -> String {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try File.read(path, limit: maxFileBytes).bytes
    } catch {
      printError("\(path) \(error.sentence).")
      throw Exit.noInput
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      printError("\(path) is no file of settings: it is not text.")
      throw Exit.noInput
    }
    return text
  }
}
