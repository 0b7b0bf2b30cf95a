// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Decides how much of the stream a relay gets whose own server or line does not keep up. Pure: the caller passes the
/// time.
///
/// Whole runs of frames are dropped by the queue. Where that happens again and again, less is offered to it: first
/// keyframes and sound, then nothing for a while.
struct RelayBacklog: Sendable {
  /// Runs of dropped frames within `dropWindow` that are too many.
  private static let mostDrops = 3
  private static let dropWindow = Int64.seconds(10)
  /// Video that is held back for this time counts as a run of dropped frames.
  private static let longHold = Int64.seconds(3)
  /// How long less is offered at first. The time doubles whenever the whole stream was too much again soon.
  private static let firstWait = Int64.seconds(10)
  private static let longestWait = Int64.seconds(80)
  /// A relay that has had the whole stream for this time keeps up with it.
  private static let provenAfter = Int64.seconds(30)

  private(set) var thinning = Thinning.whole
  private var since: MediaTime
  private var wait = firstWait
  /// When it got the whole stream again; `nil` if it never had less, or has less now.
  private var wholeSince: MediaTime?
  private var drops: [MediaTime] = []
  private var dropsSeen: UInt64 = 0
  /// Since when video is held back, or since it was counted last.
  private var heldSince: MediaTime?

  init(now: MediaTime) { since = now }

  /// Decides by the state of the relay's queue how much of the stream it gets from now on. To be called regularly.
  /// - Parameters:
  ///   - drops: how often the queue has begun to drop frames since its start.
  ///   - isHoldingVideo: whether the queue holds back video at present.
  mutating func decide(drops: UInt64, isHoldingVideo: Bool, now: MediaTime) -> Thinning {
    heldSince = isHoldingVideo ? heldSince ?? now : nil
    let isHeldLong = heldSince.map { now - $0 >= Self.longHold } ?? false
    if isHeldLong { heldSince = now }
    if drops > dropsSeen || isHeldLong { self.drops.append(now) }
    dropsSeen = drops
    self.drops.removeAll { now - $0 > Self.dropWindow }
    if self.drops.count >= Self.mostDrops, thinning < .nothing {
      // It came back too soon.
      if let wholeSince, now - wholeSince < Self.provenAfter {
        wait = min(wait * 2, Self.longestWait)
      }
      wholeSince = nil
      change(to: thinning == .whole ? .keyframes : .nothing, now)
    } else if thinning == .whole {
      if let wholeSince, now - wholeSince >= Self.provenAfter { wait = Self.firstWait }
    } else if now - max(since, self.drops.last ?? since) >= wait {
      change(to: thinning.fuller, now)
      if thinning == .whole { wholeSince = now }
    }
    return thinning
  }

  private mutating func change(to thinning: Thinning, _ now: MediaTime) {
    self.thinning = thinning
    since = now
    drops = []
  }
}
