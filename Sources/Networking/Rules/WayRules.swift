// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Decides when to report that the box is in a network, in another one, or in none. Reads no clock and does no I/O: the
/// time is passed in.
struct WayRules {
  /// Nanoseconds after which the lack of a network is reported.
  static let patience = Int64.seconds(5)
  /// Nanoseconds after the start before which a missing network is not reported: it takes a while until the first one
  /// is there.
  static let startPatience = Int64.seconds(30)

  private let startedAt: MediaTime
  /// The network link that was reported last, in words; `nil` for none.
  private var way: String?
  /// The problem that was reported last; `nil` if there was none, and once a network has been reported.
  private var problem: String?
  /// What was seen last and since when, to be reported if it lasts.
  private var candidate: (way: String?, problem: String?, since: MediaTime)?

  init(now: MediaTime) { startedAt = now }

  /// - Parameters:
  ///   - way: the network link in use, such as "the cable" or "the Wi-Fi Home"; `nil` without a network.
  ///   - problem: why there is no network; `nil` if there is one.
  /// - Returns: the report that is due; `nil` if nothing has to be reported.
  mutating func look(way: String?, problem: String?, now: MediaTime) -> NetworkReport? {
    let isNew = candidate.map { $0.way != way || $0.problem != problem } ?? true
    if isNew { candidate = (way, problem, now) }
    guard let candidate, way != self.way || (way == nil && problem != self.problem) else {
      return nil
    }
    guard let way else {
      let wait = self.way == nil && self.problem == nil ? startedAt + WayRules.startPatience : now
      guard let problem, now - candidate.since >= WayRules.patience, now >= wait else {
        return nil
      }
      (self.way, self.problem) = (nil, problem)
      return .down(problem)
    }
    defer { (self.way, self.problem) = (way, nil) }
    guard let before = self.way else { return .up("The box is in the network, through \(way).") }
    return .way("The box now uses \(way) instead of \(before).")
  }
}
