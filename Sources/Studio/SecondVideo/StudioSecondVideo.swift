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
  /// Of the box's own picture alone: a guest has taken the camera's place.
  case guest
}

/// Whether the box's own picture and sound are encoded besides the programme.
enum CameraProgramme: Equatable {
  case idle, running
  case refused(SecondVideoRefusal)
}

extension Studio {
  /// The renditions of the video beside that of the broadcast.
  static let seconds: [Rendition] = [.secondVideo, .cameraVideo]
  /// The places of these renditions in `seconds`.
  private static let (programme, camera) = (0, 1)
  /// How long sinks may take to go back to the broadcast's video before a rendition ends, in nanoseconds.
  private static let farewellNanos = Int64.seconds(3)

  /// Why the second rendition is not encoded although a sink wants it; `nil` if it is, or none does.
  public var secondVideoRefusal: SecondVideoRefusal? {
    state.withLock { $0.refusal(of: Studio.programme) }
  }

  /// Whether the box's own picture and sound are encoded.
  var cameraProgramme: CameraProgramme {
    state.withLock { state in
      if let refusal = state.refusal(of: Studio.camera) { return .refused(refusal) }
      // Without video there is nothing that the processor could have no time for.
      return state.wantsCamera && (state.hasCameraVideo || state.settings.video.source == .none)
        ? .running : .idle
    }
  }

  /// Encodes the box's own picture and sound besides the programme, from the next `supervise` on and for as long as the
  /// processor has time for that, also while no sink takes packets.
  func want(camera isWanted: Bool) { state.withLock { $0.wantsCamera = isWanted } }

  /// Begins to encode renditions of the video besides that of the broadcast, or ends that, as sinks and the processor's
  /// load ask for. Only a broadcast has further ones: without it, the settings alone decide what is encoded.
  func followSeconds(_ now: MediaTime) {
    let (video, mayRun, wantsCamera, isOverloaded) = state.withLock {
      ($0.video, $0.isLed, $0.wantsCamera, $0.watch.isOverloaded)
    }
    guard let video else {
      secondAvailability.isOpen.store(false, ordering: .relaxed)
      return state.withLock { state in
        state.secondRules = SecondEncodings(count: Studio.seconds.count)
        state.seconds = Studio.seconds.map { _ in Studio.SecondEncoding() }
      }
    }
    let wanted = [renditions.takesPackets(of: .secondVideo), wantsCamera].map {
      $0 && mayRun && !video.isFinished
    }
    let obstacles = zip(Studio.seconds, wanted).map { $1 ? video.obstacle(to: $0) : nil }
    let requests = zip(Studio.seconds, zip(wanted, obstacles)).map { rendition, asked in
      SecondEncodings.Request(
        isWanted: asked.0 && asked.1 == nil,
        video.load(besides: rendition, isOverloaded: isOverloaded, now))
    }
    let runs = state.withLock { state in
      for (index, obstacle) in obstacles.enumerated() { state.seconds[index].obstacle = obstacle }
      return state.secondRules.follow(requests, at: .nanoseconds(now.nanos))
    }
    secondAvailability.isOpen.store(runs[Studio.programme], ordering: .relaxed)
    for (index, rendition) in Studio.seconds.enumerated() {
      encode(rendition, index, runs[index], of: video, now)
    }
  }

  /// Begins or ends a rendition, if that is due.
  private func encode(
    _ rendition: Rendition, _ index: Int, _ runs: Bool, of video: StudioVideo, _ now: MediaTime
  ) {
    let second = video.second(rendition)
    if runs, second == nil {
      let new = video.makeSecond(
        rendition, state.withLock { $0.costs }, textVariables.withLock { $0 })
      state.withLock { state in
        state.seconds[index].endsAt = nil
        // The scene must not change before it is shown.
        video.beginSecond(new, state.scenes)
        state.isVideoSet = false
      }
      new.maker.overlays.update { present in present = textVariables.withLock { $0 } }
    } else if !runs, let second {
      let (endsAt, obstacle) = state.withLock { state in
        let endsAt = state.seconds[index].endsAt ?? now + Studio.farewellNanos
        state.seconds[index].endsAt = endsAt
        return (endsAt, state.seconds[index].obstacle)
      }
      // The switches first go back to the broadcast's video, without a gap.
      let isPassed =
        index == Studio.programme && secondAvailability.passing.load(ordering: .relaxed) > 0
      guard !isPassed || now >= endsAt || obstacle != nil else { return }
      if !video.endSecond(second, by: .now() + Studio.closingNanos) {
        state.withLock { $0.hasAbandonedThread = true }
      }
    } else {
      state.withLock { $0.seconds[index].endsAt = nil }
    }
  }
}

extension Studio.State {
  /// Whether the picture of the camera alone is encoded.
  fileprivate var hasCameraVideo: Bool { video?.second(.cameraVideo) != nil }

  /// Why a rendition is not encoded although a sink wants it; `nil` if it is, or none does.
  fileprivate func refusal(of index: Int) -> SecondVideoRefusal? {
    guard video != nil else { return nil }
    return seconds[index].obstacle ?? (secondRules.isRefused(index) ? .processor : nil)
  }
}

extension StudioVideo {
  /// How busy the encoders are, for a further rendition.
  fileprivate func load(
    besides rendition: Rendition, isOverloaded: Bool, _ now: MediaTime
  ) -> SecondEncodingRules.Load {
    let second = second(rendition)
    var load = SecondEncodingRules.Load()
    load.level = pipeline.present.level
    load.isTooMuch =
      isOverloaded || pipeline.present.processorPlan != .unlimited
      || second?.isTooMuch(now) ?? false
    load.dropped = second?.frames.dropped ?? 0
    return load
  }
}
