// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Decides when it is reported that the box is in a network, in another one, or in none. Pure: the caller passes the time.
struct WayRules {
  /// A network that is away for less than this is not reported.
  static let patience = Int64.seconds(5)
  /// After the start it takes longer until a network is there.
  static let startPatience = Int64.seconds(30)

  private let startedAt: MediaTime
  /// The way that was reported last, in words.
  private var way: String?
  /// The problem that was reported last.
  private var problem: String?
  private var candidate: (way: String?, problem: String?, since: MediaTime)?

  init(now: MediaTime) { startedAt = now }

  /// - Parameters:
  ///   - way: "the cable", "the Wi-Fi Home"; `nil` without a network.
  ///   - problem: why there is none.
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
