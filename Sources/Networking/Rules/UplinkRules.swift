// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Decides when to report that the box is in a network, in another one, or in none. Reads no clock and does no I/O: the
/// time is passed in.
struct UplinkRules {
  /// Nanoseconds without a network after which the missing network is reported.
  static let reportDelay = Int64.seconds(5)
  /// Nanoseconds after the start for which a missing network is not reported yet, since connecting takes a while.
  static let startReportDelay = Int64.seconds(30)

  /// When the network's thread began.
  private let startedAt: MediaTime
  /// The network link that was reported last, in words; `nil` for none.
  private var uplink: String?
  /// The problem in the last report, if that report said that there is no network; otherwise `nil`.
  private var problem: String?
  /// The network link and the problem of the last call of `decide`, and since when both have been the same. A missing
  /// network is reported once it has lasted for `reportDelay`.
  private var candidate: (uplink: String?, problem: String?, since: MediaTime)?

  init(now: MediaTime) { startedAt = now }

  /// Decides whether to report a change now. To be called regularly.
  /// - Parameters:
  ///   - uplink: the network link in use, such as "the cable" or "the Wi-Fi Home"; `nil` without a network.
  ///   - problem: why there is no network; `nil` if there is one.
  /// - Returns: the report that is due; `nil` if nothing has to be reported.
  mutating func decide(uplink: String?, problem: String?, now: MediaTime) -> NetworkReport? {
    let isNew = candidate.map { $0.uplink != uplink || $0.problem != problem } ?? true
    if isNew { candidate = (uplink, problem, now) }
    guard let candidate, uplink != self.uplink || (uplink == nil && problem != self.problem) else {
      return nil
    }
    guard let uplink else {
      let wait =
        self.uplink == nil && self.problem == nil ? startedAt + UplinkRules.startReportDelay : now
      guard let problem, now - candidate.since >= UplinkRules.reportDelay, now >= wait else {
        return nil
      }
      (self.uplink, self.problem) = (nil, problem)
      return .down(problem)
    }
    defer { (self.uplink, self.problem) = (uplink, nil) }
    guard let before = self.uplink else {
      return .up("The box is in the network, through \(uplink).")
    }
    return .switched("The box now uses \(uplink) instead of \(before).")
  }
}
