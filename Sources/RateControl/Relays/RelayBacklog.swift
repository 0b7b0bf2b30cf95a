// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Decides how much of the stream a relay (a further server that gets the same stream) gets when its own server or line
/// does not keep up. Reads no clock and does no I/O: the time is passed in.
///
/// The relay's queue drops frames in runs. If that happens again and again, the queue is offered less: first keyframes
/// and audio only, then nothing for a while.
struct RelayBacklog: Sendable {
  /// This many runs of dropped frames within `dropWindow` are too many.
  private static let tooManyRuns = 3
  /// The time, in nanoseconds, in which runs of dropped frames are counted.
  private static let dropWindow = Int64.seconds(10)
  /// Video that is held back for this time, in nanoseconds, counts as a run of dropped frames.
  private static let longHold = Int64.seconds(3)
  /// The first value of `trialDelay`, in nanoseconds: how long the relay gets less of the stream before it gets more as
  /// a trial. The time doubles whenever the whole stream turns out to be too much within `provenAfter`.
  private static let firstTrialDelay = Int64.seconds(10)
  /// The maximum of `trialDelay`, in nanoseconds.
  private static let longestTrialDelay = Int64.seconds(80)
  /// A relay that has had the whole stream for this time, in nanoseconds, keeps up with it.
  private static let provenAfter = Int64.seconds(30)

  /// How much of the stream the relay gets.
  private(set) var thinning = Thinning.whole
  /// When `thinning` last changed.
  private var changedAt: MediaTime
  /// Nanoseconds for which the relay gets less of the stream, before it gets more again as a trial.
  private var trialDelay = firstTrialDelay
  /// When the relay got the whole stream again; `nil` if it never had less, or has less now.
  private var wholeSince: MediaTime?
  /// The times of the runs of dropped frames within `dropWindow`.
  private var dropTimes: [MediaTime] = []
  /// The queue's count of runs of dropped frames at the last call of `decide`.
  private var dropsSeen: UInt64 = 0
  /// Since when video has been held back; `nil` while it is not. Each time that video stays held back for `longHold`,
  /// this counts as a run of dropped frames, and the value becomes the present time.
  private var heldSince: MediaTime?

  init(now: MediaTime) { changedAt = now }

  /// Decides, by the state of the relay's queue, how much of the stream the relay gets from now on. To be called
  /// regularly.
  /// - Parameters:
  ///   - drops: how often the queue has begun to drop frames since it was made.
  ///   - isHoldingVideo: whether the queue holds back video.
  mutating func decide(drops: UInt64, isHoldingVideo: Bool, now: MediaTime) -> Thinning {
    heldSince = isHoldingVideo ? heldSince ?? now : nil
    let isHeldLong = heldSince.map { now - $0 >= Self.longHold } ?? false
    if isHeldLong { heldSince = now }
    if drops > dropsSeen || isHeldLong { dropTimes.append(now) }
    dropsSeen = drops
    dropTimes.removeAll { now - $0 > Self.dropWindow }
    if dropTimes.count >= Self.tooManyRuns, thinning < .nothing {
      // The relay has not kept up with the whole stream for `provenAfter`, so the next trial comes later.
      if let wholeSince, now - wholeSince < Self.provenAfter {
        trialDelay = min(trialDelay * 2, Self.longestTrialDelay)
      }
      wholeSince = nil
      change(to: thinning == .whole ? .keyframes : .nothing, now)
    } else if thinning == .whole {
      if let wholeSince, now - wholeSince >= Self.provenAfter { trialDelay = Self.firstTrialDelay }
    } else if now - max(changedAt, dropTimes.last ?? changedAt) >= trialDelay {
      change(to: thinning.fuller, now)
      if thinning == .whole { wholeSince = now }
    }
    return thinning
  }

  /// Sets how much of the stream the relay gets, and forgets the runs of dropped frames.
  private mutating func change(to thinning: Thinning, _ now: MediaTime) {
    self.thinning = thinning
    changedAt = now
    dropTimes = []
  }
}
