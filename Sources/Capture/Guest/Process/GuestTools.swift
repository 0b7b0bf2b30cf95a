// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CGuest
internal import CProcess
internal import Glibc
internal import Posix

/// How readers of guests are started, and the addresses with which they may connect.
public struct GuestTools: Sendable {
  /// The socket at which the service manager starts a reader for each connection (systemd/onair-guest.socket); `nil` where
  /// there is none.
  var service = unsafe getenv("ONAIR_GUEST_READERS").map { unsafe String(cString: $0) }
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

  /// Has the service manager start a reader.
  /// - Parameter given: the descriptors that it gets besides the control socket.
  /// - Returns: OnAir's end of the control socket; `nil` if the reader has to be spawned.
  func callService(_ given: [Int32]) throws(SystemError) -> Int32? {
    if let service {
      let control = unsafe onair_guest_call(service, given, given.count)
      if control >= 0 { return control }
    }
    // A child has OnAir's user: one that a guest has taken over could read OnAir's files.
    guard hasLandlock else { throw SystemError(service == nil ? ENOSYS : errno) }
    return nil
  }

  /// Why a reader cannot be started, in words that follow a colon.
  static func reason(_ error: SystemError) -> String {
    error.code == ENOSYS ? "this kernel has no Landlock" : "\(error)"
  }

  /// Starts a reader as a child of this process.
  /// - Parameter given: the descriptors that it gets besides the control socket.
  /// - Returns: OnAir's end of the control socket, and the number of the process.
  func spawn(_ given: [Int32]) throws(SystemError) -> (control: Int32, number: pid_t) {
    var ends: [Int32] = [-1, -1]
    guard unsafe onair_guest_control(&ends) == 0 else { throw SystemError() }
    var number: pid_t = 0
    let status = unsafe withArgumentList(arguments) { list in
      let all = [ends[1]] + given
      return unsafe onair_process_spawn(
        program, list, all, all.count, keepsErrors ? 1 : 0, &number)
    }
    close(ends[1])
    guard status == 0 else {
      close(ends[0])
      throw SystemError(status)
    }
    return (ends[0], number)
  }
}
