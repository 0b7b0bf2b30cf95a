// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Director
internal import Events
internal import Studio
internal import Synchronization

// Reports that the video or audio source of a broadcast delivers nothing, if no reason for that is known.

extension Station {
  /// Reports that viewers get a still or silence because a source delivers nothing, unless a trouble of that source has
  /// been reported already.
  func reportStalls(_ now: MediaTime) {
    let troubles = state.withLock { $0.broadcast == nil } ? [] : events.troubles
    func hasReason(_ half: StudioReport.Input) -> Bool {
      troubles.contains { $0.subject == half.rawValue && $0.cause != OpenSources.stalledCause }
    }
    let (video, audio, before, after) = state.withLock { state in
      let (plan, conditions) = (state.director.plan, state.director.conditions)
      let before = (state.stalls.video.isStalled, state.stalls.audio.isStalled)
      let isOnAir = state.broadcast != nil
      // A camera that is being opened again does not count as lost.
      let video = state.stalls.video.check(
        isLost: isOnAir && !hasReason(.video) ? conditions.camera == .lost : nil,
        isShown: plan.lacksCamera(conditions), now: now)
      let audio = state.stalls.audio.check(
        isLost: isOnAir && !hasReason(.audio) ? conditions.microphone == .lost : nil,
        isShown: plan.audio.hears(SilencedTracks.main), now: now)
      return (video, audio, before, (state.stalls.video.isStalled, state.stalls.audio.isStalled))
    }
    report(.video, video, wasStalled: before.0, isStalled: after.0)
    report(.audio, audio, wasStalled: before.1, isStalled: after.1)
  }

  /// Reports a stall that has begun or ended, and keeps it among the current troubles while it lasts.
  private func report(
    _ half: StudioReport.Input, _ report: StallRules.Report?, wasStalled: Bool, isStalled: Bool
  ) {
    let subject = half.rawValue
    var sentence: String { OpenSources(studio.sources).stalledSentence(half) }
    switch report {
    case .begun:
      events.report(
        .deviceLost, level: .warning, subject: subject, cause: OpenSources.stalledCause,
        prefix: half.prefix, sentence)
    case .over(let seconds):
      events.report(
        .deviceBack, level: .notice, subject: subject, prefix: half.prefix,
        OpenSources.recoveredSentence(half, seconds: seconds)
      ) { $0.seconds = seconds }
    case nil:
      guard isStalled != wasStalled else { return }
      if isStalled {
        events.beginTrouble(subject, cause: OpenSources.stalledCause, sentence)
      } else if events.troubles.contains(where: {
        $0.subject == subject && $0.cause == OpenSources.stalledCause
      }) {
        events.endTrouble(subject)
      }
    }
  }
}
