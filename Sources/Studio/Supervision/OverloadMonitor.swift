// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// The frames and audio chunks that were dropped in a period because the machine was too slow.
public struct LateLoss: Sendable, Equatable {
  /// The number of frames and audio chunks that were dropped.
  public var dropped: Int
  /// The length of the period, in seconds.
  public var seconds: Int

  public init(dropped: Int, seconds: Int) {
    self.dropped = dropped
    self.seconds = seconds
  }
}

/// Detects that the machine is too slow for the settings: it drops many frames within ten seconds, or a few frames
/// repeatedly within ten minutes. Reads no clock and does no I/O: the time is passed in.
struct OverloadMonitor {
  /// A limit for the number of dropped frames.
  private struct Limit {
    /// The length of the period in which dropped frames are counted.
    var seconds: Int
    /// The share of all frames, 0 to 1, above which too many frames are dropped.
    var share: Double
    /// The minimum time between two reports.
    var reminderNanos: Int64
  }

  /// The limit above which the machine counts as overloaded, which viewers notice at once.
  private static let overload = Limit(seconds: 10, share: 0.1, reminderNanos: .seconds(600))
  /// The limit for a lasting loss, which viewers see as repeated stutter: at 30 frames per second, one dropped frame in
  /// seven seconds. Frames that are dropped during an overload are not counted, since a single hiccup is no lasting
  /// loss.
  private static let lasting = Limit(seconds: 600, share: 0.005, reminderNanos: .seconds(3_600))

  /// Whether too many frames were dropped in the last ten seconds.
  private(set) var isOverloaded = false
  /// Whether too many frames were dropped in the last complete period of ten minutes, not counting overloads.
  private(set) var hasLastingLoss = false
  /// The frame rate in the settings.
  var framesPerSecond: Int
  /// When the present period of ten seconds ends.
  private var windowEnd = MediaTime.distantPast
  /// The total of dropped frames and chunks at the start of the present period of ten seconds.
  private var previousDropped = 0
  /// When an overload was last reported.
  private var overloadReportedAt = MediaTime.distantPast
  /// When a lasting loss was last reported.
  private var lossReportedAt = MediaTime.distantPast
  /// How many seconds of the present period of ten minutes have passed.
  private var seconds = 0
  /// How many frames and chunks were dropped in the present period of ten minutes, not counting overloads.
  private var droppedSlowly = 0

  init(framesPerSecond: Int) { self.framesPerSecond = framesPerSecond }

  /// Evaluates the losses once every ten seconds. Calls in between do nothing.
  /// - Parameter dropped: the total of frames and audio chunks that were dropped since the start because the machine
  ///   was too slow.
  /// - Returns: the loss in the last ten seconds or ten minutes, if it has to be reported; `nil` otherwise.
  mutating func check(_ now: MediaTime, dropped: Int) -> LateLoss? {
    guard now >= windowEnd else { return nil }
    let limit = OverloadMonitor.overload
    let isFirst = windowEnd == .distantPast
    windowEnd = now + .seconds(Int64(limit.seconds))
    // `dropped` falls when video or audio is closed, since it then no longer includes that half's losses.
    let count = max(0, dropped - previousDropped)
    previousDropped = dropped
    guard !isFirst else { return nil }
    isOverloaded = exceeds(limit, count)
    let lasting = addSlow(isOverloaded ? 0 : count, now)
    guard isOverloaded, now - overloadReportedAt >= limit.reminderNanos else { return lasting }
    overloadReportedAt = now
    return LateLoss(dropped: count, seconds: limit.seconds)
  }

  /// Adds the losses of ten seconds without an overload, and evaluates them once in ten minutes.
  private mutating func addSlow(_ count: Int, _ now: MediaTime) -> LateLoss? {
    let limit = OverloadMonitor.lasting
    seconds += OverloadMonitor.overload.seconds
    droppedSlowly += count
    guard seconds >= limit.seconds else { return nil }
    let dropped = droppedSlowly
    (seconds, droppedSlowly) = (0, 0)
    hasLastingLoss = exceeds(limit, dropped)
    guard hasLastingLoss, now - lossReportedAt >= limit.reminderNanos else { return nil }
    lossReportedAt = now
    return LateLoss(dropped: dropped, seconds: limit.seconds)
  }

  /// Whether more frames were dropped than a limit allows.
  private func exceeds(_ limit: Limit, _ dropped: Int) -> Bool {
    Double(dropped) > limit.share * Double(framesPerSecond * limit.seconds)
  }
}
