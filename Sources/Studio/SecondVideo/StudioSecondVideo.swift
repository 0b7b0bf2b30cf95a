// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import RateControl
internal import Synchronization

/// Why a rendition of the video beside that of the broadcast is not encoded although a sink wants it.
public enum SecondVideoRefusal: Sendable, Equatable {
  /// The processor has no time for it.
  case processor
  /// A filter runs as a process of its own, which cannot filter two pictures.
  case filter
}

/// Whether the box's own picture and sound are encoded besides the programme.
enum CameraProgramme: Equatable {
  case idle, running
  case refused(SecondVideoRefusal)
}

extension Studio {
  /// How long sinks may take to go back to the broadcast's video before a rendition ends, in nanoseconds.
  private static let farewellNanos = Int64.seconds(3)

  /// Why the second rendition is not encoded although a sink wants it; `nil` if it is, or none does.
  public var secondVideoRefusal: SecondVideoRefusal? { refusal(\.secondVideo) }

  private func refusal(_ encoding: KeyPath<State, SecondEncoding>) -> SecondVideoRefusal? {
    let (isRefused, video) = state.withLock {
      ($0[keyPath: encoding].rules.isRefused, $0.video)
    }
    guard isRefused, let video else { return nil }
    return video.allowsSecond ? .processor : .filter
  }

  /// Whether the box's own picture and sound are encoded.
  var cameraProgramme: CameraProgramme {
    if let refusal = refusal(\.camera) { return .refused(refusal) }
    let isRunning = state.withLock { state in
      // Without video there is nothing that the processor could have no time for.
      state.wantsCamera && (state.settings.video.source == .none || state.camera.rules.isRunning)
    }
    return isRunning ? .running : .idle
  }

  /// Encodes the box's own picture and sound besides the programme, from the next `supervise` on and for as long as the
  /// processor has time for that.
  func want(camera isWanted: Bool) { state.withLock { $0.wantsCamera = isWanted } }

  /// Begins to encode renditions of the video besides that of the broadcast, or ends that, as sinks and the processor's
  /// load ask for. Only a broadcast has further ones: without it, the settings alone decide what is encoded.
  func followSeconds(_ now: MediaTime) {
    let (video, isLed, wantsCamera) = state.withLock { ($0.video, $0.isLed, $0.wantsCamera) }
    guard let video else {
      secondAvailability.isOpen.store(false, ordering: .relaxed)
      return state.withLock { state in
        (state.secondVideo, state.camera) = (SecondEncoding(), SecondEncoding())
      }
    }
    let mayRun = isLed && !video.isFinished
    let isSecondWanted = mayRun && renditions.takesPackets(of: .secondVideo)
    follow(.secondVideo, \.secondVideo, isWanted: isSecondWanted, of: video, now)
    follow(.cameraVideo, \.camera, isWanted: mayRun && wantsCamera, of: video, now)
  }

  private func follow(
    _ rendition: Rendition, _ encoding: WritableKeyPath<State, SecondEncoding>, isWanted: Bool,
    of video: StudioVideo, _ now: MediaTime
  ) {
    let (costs, isOverloaded) = state.withLock { ($0.costs, $0.watch.isOverloaded) }
    let second = video.second(rendition)
    var load = SecondEncodingRules.Load()
    load.level = video.pipeline.present.level
    load.isTooMuch =
      !video.allowsSecond || isOverloaded
      || video.pipeline.present.processorPlan != .unlimited || second?.isTooMuch(now) ?? false
    load.dropped = second?.frames.dropped ?? 0
    let runs = state.withLock {
      $0[keyPath: encoding].rules.follow(isWanted: isWanted, load, at: .nanoseconds(now.nanos))
    }
    let isSwitched = rendition == .secondVideo
    if isSwitched { secondAvailability.isOpen.store(runs, ordering: .relaxed) }
    if runs, second == nil {
      let new = video.makeSecond(rendition, costs, textVariables.withLock { $0 })
      state.withLock { state in
        state[keyPath: encoding].endsAt = nil
        // The scene must not change before it is shown.
        video.beginSecond(new, state.scenes)
      }
      new.maker.overlays.update { present in present = textVariables.withLock { $0 } }
    } else if !runs, let second {
      let endsAt = state.withLock { state in
        let endsAt = state[keyPath: encoding].endsAt ?? now + Studio.farewellNanos
        state[keyPath: encoding].endsAt = endsAt
        return endsAt
      }
      // The switches first go back to the broadcast's video, without a gap.
      let isPassed = isSwitched && secondAvailability.passing.load(ordering: .relaxed) > 0
      guard !isPassed || now >= endsAt || !video.allowsSecond else { return }
      if !video.endSecond(second, by: .now() + Studio.closingNanos) {
        state.withLock { $0.hasAbandonedThread = true }
      }
    } else {
      state.withLock { $0[keyPath: encoding].endsAt = nil }
    }
  }
}
