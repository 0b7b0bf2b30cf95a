// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Decides when a broadcast counts as forgotten: viewers have got nothing but silence and a still picture for long. Reads
/// no clock: times are in seconds on a clock that is never set.
public struct ForgottenRules: Sendable {
  /// What viewers get now.
  public struct Present: Sendable {
    /// The number of the broadcast; `nil` off air.
    public var broadcast: Int?
    /// A person has paused the broadcast.
    public var isPaused: Bool
    public var isSilent: Bool
    public var isStill: Bool

    public init(broadcast: Int?, isPaused: Bool, isSilent: Bool, isStill: Bool) {
      (self.broadcast, self.isPaused) = (broadcast, isPaused)
      (self.isSilent, self.isStill) = (isSilent, isStill)
    }
  }

  /// What is to be done or told.
  public enum Action: Equatable, Sendable {
    /// Tell that the broadcast ends after so many seconds.
    case warn(seconds: Int64)
    /// End the broadcast.
    case end
  }

  /// Since when there has been nothing; `nil` while there is something.
  private var since: Int64?
  /// When the broadcast ends unless something comes; `nil` while it has not been warned of.
  public private(set) var endsAt: Int64?
  private var broadcast: Int?

  public init() {}

  /// Begins to count anew, since a person has done something.
  public mutating func reset() { (since, endsAt) = (nil, nil) }

  /// Applies the rules. To be called about once a second.
  /// - Parameter minutes: minutes of nothing after which it counts as forgotten; 0 for never.
  public mutating func advance(_ present: Present, minutes: Int, uptime: Int64) -> Action? {
    if present.broadcast != broadcast { reset() }
    broadcast = present.broadcast
    guard minutes > 0, broadcast != nil, !present.isPaused, present.isSilent, present.isStill else {
      reset()
      return nil
    }
    let begin = since ?? uptime
    since = begin
    let end = begin + Int64(minutes) * 60
    if uptime >= end {
      reset()
      return .end
    }
    guard end - uptime <= Timetable.warningSeconds, endsAt == nil else { return nil }
    endsAt = end
    return .warn(seconds: end - uptime)
  }
}
