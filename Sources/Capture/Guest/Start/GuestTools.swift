// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CGuest
internal import CProcess
internal import Glibc
internal import Posix

/// Why a reader cannot be started.
enum GuestStartError: Error, CustomStringConvertible {
  case noLandlock
  case system(SystemError)

  /// In words that follow a colon.
  var description: String {
    switch self {
    case .noLandlock: "this kernel has no Landlock"
    case .system(let error): "\(error)"
    }
  }
}

/// How readers of guests are started, and the addresses with which they may connect.
public struct GuestTools: Sendable {
  /// Starts readers; `nil` where OnAir itself does.
  var service = GuestService.ofEnvironment
  /// The path of the program. The link leads to the running program, even if an upgrade has replaced its file.
  var program = "/proc/self/exe"
  /// The program's name and its arguments.
  var arguments = ["onair", "guest-reader"]
  /// Whether readers may write to OnAir's standard error, for those who work on OnAir.
  var keepsErrors = unsafe getenv("ONAIR_GUESTS_STDERR") != nil
  /// Whether the kernel keeps readers away from OnAir's files.
  var hasLandlock = GuestTools.kernelHasLandlock
  var rules = AddressRules()

  public init() {}

  /// Whether this kernel can keep a process away from files (landlock(7)).
  public static let kernelHasLandlock = onair_has_landlock() != 0

  /// What starts the next reader; `nil` if OnAir does it itself. OnAir needs Landlock for that: its child has the same
  /// user, and could otherwise read OnAir's files.
  var usedService: GuestService? {
    service.flatMap { $0.hasFailed && hasLandlock ? nil : $0 }
  }

  /// Starts a reader as a child of this process.
  /// - Parameter given: the descriptors that it gets besides the control socket.
  /// - Returns: OnAir's end of the control socket, and the number of the process.
  func spawn(_ given: [Int32]) throws(GuestStartError) -> (control: Int32, number: pid_t) {
    guard hasLandlock else { throw .noLandlock }
    var ends: [Int32] = [-1, -1]
    guard unsafe onair_guest_control(&ends) == 0 else { throw .system(SystemError()) }
    var number: pid_t = 0
    let status = unsafe withArgumentList(arguments) { list in
      let all = [ends[1]] + given
      return unsafe onair_process_spawn(
        program, list, all, all.count, keepsErrors ? 1 : 0, &number)
    }
    close(ends[1])
    guard status == 0 else {
      close(ends[0])
      throw .system(SystemError(status))
    }
    return (ends[0], number)
  }
}
