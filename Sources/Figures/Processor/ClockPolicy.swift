// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Posix

/// Cores that share a clock: "Policy Interface in sysfs" in Documentation/admin-guide/pm/cpufreq.rst.
struct ClockPolicy: Sendable {
  private let file: String
  private let fullKHz: Double
  private let cores: Double

  /// - Parameter folder: of the policy, without "/" at its end.
  /// - Returns: `nil` if its full clock is not known.
  init?(_ folder: String) {
    file = "\(folder)/scaling_max_freq"
    guard let full = ClockPolicy.kiloHertz("\(folder)/cpuinfo_max_freq") else { return nil }
    fullKHz = full
    let related = File.firstLine("\(folder)/related_cpus")?.split(separator: " ").count ?? 1
    cores = Double(max(1, related))
  }

  /// The share of the full clock that the kernel allows now, over all cores: a thermal limit, too, lowers
  /// scaling_max_freq. Above 0 to 1; `nil` if nothing is known.
  static func allowedShare(_ policies: [ClockPolicy]) -> Double? {
    var (full, allowed) = (0.0, 0.0)
    for policy in policies {
      guard let limit = kiloHertz(policy.file) else { continue }
      full += policy.cores * policy.fullKHz
      allowed += policy.cores * min(limit, policy.fullKHz)
    }
    return full > 0 ? allowed / full : nil
  }

  /// 10 MHz to 100 GHz; `nil` for what cannot be a clock.
  private static func kiloHertz(_ file: String) -> Double? {
    guard let number = File.firstLine(file).flatMap({ Int($0) }),
      (10_000...100_000_000).contains(number)
    else { return nil }
    return Double(number)
  }
}
