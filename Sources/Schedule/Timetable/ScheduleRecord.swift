// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What of the schedule has to survive a power cut. All times are in seconds since 1970-01-01 UTC.
public struct ScheduleRecord: Codable, Equatable, Sendable {
  /// A broadcast that the schedule has begun, or is about to begin.
  public struct Running: Codable, Equatable, Sendable {
    public var occurrence: Occurrence
    /// By how many minutes a person has extended it.
    public var extendedMinutes = 0
    /// Whether the broadcast has started. False after a restart: power was cut just before the start.
    public var hasBegun = false

    /// When it ends.
    public var ends: Int64 { occurrence.ends + Int64(extendedMinutes) * 60 }

    public init(occurrence: Occurrence) { self.occurrence = occurrence }
  }

  /// The broadcast of the schedule that is on air; `nil` if there is none.
  public var running: Running?
  /// The occurrences that are over for the schedule, whether they were broadcast or not, by id: when they end.
  public var handled: [String: Int64] = [:]
  /// The occurrences that a person has left out, by id: when they end.
  public var skipped: [String: Int64] = [:]
  /// Occurrences that may begin late, by id, with their ends: another one was on air, or power was cut just before the
  /// start.
  public var waiting: [String: Int64] = [:]
  /// The next occurrence. If it passes while the box is off, it is told as missed.
  public var next: Occurrence?

  public init() {}

  /// Forgets what has ended long ago. Days are kept, in case the clock is set back.
  mutating func prune(now: Int64) {
    let oldest = now - 7 * 86_400
    handled = handled.filter { $0.value >= oldest }
    skipped = skipped.filter { $0.value >= oldest }
    waiting = waiting.filter { $0.value >= oldest }
  }
}
