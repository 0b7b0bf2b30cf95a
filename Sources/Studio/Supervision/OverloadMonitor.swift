// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// How many frames and audio chunks were dropped in some period because the machine was too slow.
public struct LateLoss: Sendable, Equatable {
  public var dropped: Int
  /// The length of that period, in seconds.
  public var seconds: Int

  public init(dropped: Int, seconds: Int) {
    self.dropped = dropped
    self.seconds = seconds
  }
}

/// Detects a machine that is too slow for the settings: one that drops many frames within ten seconds, or a few again
/// and again within ten minutes. Reads no clock and does no I/O: the time is passed in.
struct OverloadMonitor {
  /// A limit of losses: the seconds in which they are counted, the share of all frames above which they are too many,
  /// and the least nanoseconds between two reports.
  private struct Limit {
    var seconds: Int
    var share: Double
    var reminder: Int64
  }

  /// The limit for an overload, which viewers notice at once.
  private static let overload = Limit(seconds: 10, share: 0.1, reminder: .seconds(600))
  /// The limit for lasting losses. At 30 frames a second it is one frame in seven seconds, and each is a jerk in a
  /// moving picture. Losses of an overload do not count: a single hiccup does not last.
  private static let lasting = Limit(seconds: 600, share: 0.005, reminder: .seconds(3_600))

  /// Whether too many frames were dropped in the last ten seconds.
  private(set) var isOverloaded = false
  /// Whether too many frames were dropped again and again in the last complete ten minutes.
  private(set) var isLosing = false
  var framesPerSecond: Int
  private var windowEnd = MediaTime.distantPast
  private var previousDropped = 0
  private var overloadToldAt = MediaTime.distantPast
  private var losingToldAt = MediaTime.distantPast
  /// How many seconds of the present ten minutes are over.
  private var seconds = 0
  /// How many frames and chunks were dropped in those seconds, apart from those of overloads.
  private var droppedSlowly = 0

  init(framesPerSecond: Int) { self.framesPerSecond = framesPerSecond }

  /// Counts the losses once in ten seconds. Calls in between do nothing.
  /// - Parameter dropped: all frames and audio chunks that were dropped since the start because a newer one came before
  ///   they were processed.
  /// - Returns: the losses of the last ten seconds or ten minutes, if they are to be reported; `nil` otherwise.
  mutating func check(_ now: MediaTime, dropped: Int) -> LateLoss? {
    guard now >= windowEnd else { return nil }
    let limit = OverloadMonitor.overload
    let isFirst = windowEnd == .distantPast
    windowEnd = now + .seconds(Int64(limit.seconds))
    // When video or audio is closed, `dropped` no longer includes its losses, and falls.
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
