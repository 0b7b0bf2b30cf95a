// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import RateControl
internal import Synchronization

/// Why the second rendition of the video is not encoded although a sink wants it.
public enum SecondVideoRefusal: Sendable, Equatable {
  /// The processor has no time for it.
  case processor
  /// A filter runs as a process of its own, which cannot filter two pictures.
  case filter
}

extension Studio {
  /// How long sinks may take to go back to the broadcast's video before the second rendition ends, in nanoseconds.
  private static let farewellNanos = Int64.seconds(3)

  /// Why the second rendition is not encoded although a sink wants it; `nil` if it is, or none does.
  public var secondVideoRefusal: SecondVideoRefusal? {
    let (isRefused, video) = state.withLock { ($0.secondRules.isRefused, $0.video) }
    guard isRefused, let video else { return nil }
    return video.allowsSecond ? .processor : .filter
  }

  /// Begins to encode the second rendition of the video, or ends that, as sinks and the processor's load ask for. Only
  /// a broadcast has a second one: without it, the settings alone decide what is encoded.
  func followSecondVideo(_ now: MediaTime) {
    let (video, costs, isLed, isOverloaded) = state.withLock {
      ($0.video, $0.costs, $0.isLed, $0.watch.isOverloaded)
    }
    guard let video else {
      secondAvailability.isOpen.store(false, ordering: .relaxed)
      return state.withLock { $0.secondRules = SecondEncodingRules() }
    }
    let second = video.secondVideo
    var load = SecondEncodingRules.Load()
    load.level = video.pipeline.present.level
    load.isTooMuch =
      !video.allowsSecond || isOverloaded
      || video.pipeline.present.processorPlan != .unlimited || second?.isTooMuch(now) ?? false
    load.dropped = second?.frames.dropped ?? 0
    let isWanted = isLed && renditions.takesPackets(of: .secondVideo) && !video.isFinished
    let runs = state.withLock {
      $0.secondRules.follow(isWanted: isWanted, load, at: .nanoseconds(now.nanos))
    }
    secondAvailability.isOpen.store(runs, ordering: .relaxed)
    if runs, second == nil {
      let new = video.makeSecond(costs, textVariables.withLock { $0 })
      state.withLock { state in
        state.secondEndsAt = nil
        // The scene must not change before it is shown.
        video.beginSecond(new, state.scenes)
      }
      new.maker.overlays.update { present in present = textVariables.withLock { $0 } }
    } else if !runs, second != nil {
      let endsAt = state.withLock { state in
        let endsAt = state.secondEndsAt ?? now + Studio.farewellNanos
        state.secondEndsAt = endsAt
        return endsAt
      }
      // The switches first go back to the broadcast's video, without a gap.
      let isPassed = secondAvailability.passing.load(ordering: .relaxed) > 0
      guard !isPassed || now >= endsAt || !video.allowsSecond else { return }
      if !video.endSecond(by: .now() + Studio.closingNanos) {
        state.withLock { $0.hasAbandonedThread = true }
      }
    } else {
      state.withLock { $0.secondEndsAt = nil }
    }
  }
}
