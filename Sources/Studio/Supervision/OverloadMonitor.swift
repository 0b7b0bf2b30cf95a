// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Frames and audio chunks that were dropped because the machine was too slow.
public struct LateLoss: Sendable, Equatable {
  public var dropped: Int
  /// The time in which they were dropped.
  public var seconds: Int

  public init(dropped: Int, seconds: Int) {
    self.dropped = dropped
    self.seconds = seconds
  }
}

/// Detects a machine that is too slow for the settings: one that drops many frames at the moment, and one that drops a
/// few again and again.
struct OverloadMonitor {
  /// Seconds in which losses are counted, the share of all frames that is too much, and how often it is told at most.
  private struct Limit {
    var seconds: Int
    var share: Double
    var reminder: Int64
  }

  /// Viewers notice this at once.
  private static let overload = Limit(seconds: 10, share: 0.1, reminder: .seconds(600))
  /// At 30 frames a second this is one in seven seconds, and each is a jerk in a moving picture. What was lost in an
  /// overload does not count: a single hiccup does not last.
  private static let lasting = Limit(seconds: 600, share: 0.005, reminder: .seconds(3_600))

  /// Whether the last ten seconds were overloaded.
  private(set) var isOverloaded = false
  /// Whether frames were dropped again and again in the last whole ten minutes.
  private(set) var isLosing = false
  var framesPerSecond: Int
  private var windowEnd = MediaTime.distantPast
  private var previousDropped = 0
  private var overloadToldAt = MediaTime.distantPast
  private var losingToldAt = MediaTime.distantPast
  /// The part of ten minutes that is over, and what was dropped in it.
  private var seconds = 0
  private var droppedSlowly = 0

  init(framesPerSecond: Int) { self.framesPerSecond = framesPerSecond }

  /// - Parameter dropped: frames and audio chunks dropped since the start because a newer one came before they were
  ///   processed.
  /// - Returns: what was dropped in the last ten seconds or ten minutes, if it is to be told.
  mutating func check(_ now: MediaTime, dropped: Int) -> LateLoss? {
    guard now >= windowEnd else { return nil }
    let limit = OverloadMonitor.overload
    let isFirst = windowEnd == .distantPast
    windowEnd = now + .seconds(Int64(limit.seconds))
    // A part that is closed takes its count with it.
    let count = max(0, dropped - previousDropped)
    previousDropped = dropped
    guard !isFirst else { return nil }
    isOverloaded = exceeds(limit, count)
    let lasting = addSlow(isOverloaded ? 0 : count, now)
    guard isOverloaded, now - overloadToldAt >= limit.reminder else { return lasting }
    overloadToldAt = now
    return LateLoss(dropped: count, seconds: limit.seconds)
  }

  private mutating func addSlow(_ count: Int, _ now: MediaTime) -> LateLoss? {
    let limit = OverloadMonitor.lasting
    seconds += OverloadMonitor.overload.seconds
    droppedSlowly += count
    guard seconds >= limit.seconds else { return nil }
    let dropped = droppedSlowly
    (seconds, droppedSlowly) = (0, 0)
    isLosing = exceeds(limit, dropped)
    guard isLosing, now - losingToldAt >= limit.reminder else { return nil }
    losingToldAt = now
    return LateLoss(dropped: dropped, seconds: limit.seconds)
  }

  private func exceeds(_ limit: Limit, _ dropped: Int) -> Bool {
    Double(dropped) > limit.share * Double(framesPerSecond * limit.seconds)
  }
}
