// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CPosix
internal import FoundationEssentials
internal import Posix
internal import Synchronization

/// Tells whether the box knows the time of day. A board without a battery begins with the time at which it was switched
/// off, or with that of its image.
final class ClockTrust: Sendable {
  /// The environment variable that, as "trusted", says that the clock of the machine is right, as in a container.
  private static let variable = "ONAIR_CLOCK"
  /// A real-time clock with an earlier time has lost it: 2026-01-01.
  private static let earliest: Int64 = 1_767_225_600
  /// Seconds by which a real-time clock that was kept may differ.
  private static let tolerance: Int64 = 120

  /// The path before "/sys".
  private let root: String
  private let isSynchronised: @Sendable () -> Bool
  /// Whether the clock was set once in this run. It then goes on, also without the network.
  private let wasSet: Atomic<Bool>

  /// - Parameter isSynchronised: whether an NTP client keeps the kernel's clock.
  init(
    root: String = "",
    isTrusted: Bool = ProcessInfo.processInfo.environment[variable] == "trusted",
    isSynchronised: @escaping @Sendable () -> Bool = { onair_clock_is_synchronised() != 0 }
  ) {
    (self.root, self.isSynchronised) = (root, isSynchronised)
    wasSet = Atomic(isTrusted)
  }

  /// Whether the clock is set.
  /// - Parameter now: the time that it shows, in seconds since 1970-01-01 UTC.
  func isSet(now: Int64) -> Bool {
    if wasSet.load(ordering: .relaxed) { return true }
    guard isSynchronised() || isKeptByHardware(now) else { return false }
    wasSet.store(true, ordering: .relaxed)
    return true
  }

  /// Whether the kernel has the time from a real-time clock that has not lost it.
  private func isKeptByHardware(_ now: Int64) -> Bool {
    let folder = "\(root)/sys/class/rtc/rtc0"
    func number(_ name: String) -> Int64? {
      File.kernelText("\(folder)/\(name)").flatMap { Int64($0.filter { $0 != "\n" }) }
    }
    guard number("hctosys") == 1, let time = number("since_epoch") else { return false }
    return time >= ClockTrust.earliest && abs(time - now) <= ClockTrust.tolerance
  }
}
