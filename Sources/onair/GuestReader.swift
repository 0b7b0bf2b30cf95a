// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Capture

/// `onair guest-reader`: the process that reads a guest. OnAir or the service manager starts it; a person has no
/// use for it.
struct GuestReaderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "guest-reader", abstract: "Reads a guest; started by OnAir itself.",
    shouldDisplay: false)

  @Flag(help: "Takes what OnAir gives it from a socket, as a service.")
  var service = false

  func run() throws { throw ExitCode(GuestReaderProcess.run(isService: service)) }
}
