// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Posix

/// A cpufreq policy: a group of cores that share a clock ("Policy Interface in sysfs" in
/// Documentation/admin-guide/pm/cpufreq.rst).
struct ClockPolicy: Sendable {
  /// The path of the file scaling_max_freq, which contains the clock that the kernel allows, in kHz.
  private let file: String
  /// The full clock of these cores, in kHz.
  private let fullKHz: Double
  /// The number of cores that share the clock.
  private let cores: Double

  /// - Parameter folder: the sysfs folder of the policy, without a slash at its end.
  /// - Returns: `nil` if the full clock of the policy is not known.
  init?(_ folder: String) {
    file = "\(folder)/scaling_max_freq"
    guard let full = ClockPolicy.kiloHertz("\(folder)/cpuinfo_max_freq") else { return nil }
    fullKHz = full
    let related = File.firstLine("\(folder)/related_cpus")?.split(separator: " ").count ?? 1
    cores = Double(max(1, related))
  }

  /// The clock that the kernel allows now, as a share of the full clock, averaged over the cores of all policies: more
  /// than 0, at most 1; `nil` if no policy can be read. It is read from scaling_max_freq, which the kernel lowers at a
  /// thermal limit.
  static func allowedShare(_ policies: [ClockPolicy]) -> Double? {
    var (full, allowed) = (0.0, 0.0)
    for policy in policies {
      guard let limit = kiloHertz(policy.file) else { continue }
      full += policy.cores * policy.fullKHz
      allowed += policy.cores * min(limit, policy.fullKHz)
    }
    return full > 0 ? allowed / full : nil
  }

  /// Reads a clock in kHz from a file; `nil` for a value outside 10 MHz to 100 GHz, which cannot be a processor's
  /// clock.
  private static func kiloHertz(_ file: String) -> Double? {
    guard let number = File.firstLine(file).flatMap({ Int($0) }),
      (10_000...100_000_000).contains(number)
    else { return nil }
    return Double(number)
  }
}
