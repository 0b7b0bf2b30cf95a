// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Director
internal import Events
internal import Figures
internal import Schedule
internal import Studio
internal import Synchronization

// The end of a broadcast that was forgotten: `publish.forgotten_minutes`.

extension ScheduleKeeper {
  /// Loudness, in LUFS, below which viewers hear nothing.
  private static let silenceLUFS = -60.0
  /// Nanoseconds for which the picture must not have changed to be still: the change is measured once a second.
  private static let stillNanos = Int64.seconds(3)

  /// Tells that a broadcast ends since it was forgotten, and ends it.
  func endForgotten(_ moment: Timetable.Moment, _ station: Station) {
    let minutes = station.settings.publish.forgottenMinutes
    let present = present(station, isMeasured: minutes > 0)
    let action = state.withLock {
      $0.forgotten.advance(present, minutes: minutes, uptime: moment.uptime)
    }
    switch action {
    case nil: break
    case .warn:
      events.report(
        .forgottenSoon, level: .warning,
        "Viewers see a still picture and hear nothing: the broadcast ends in five minutes, unless something comes or "
          + "somebody extends it.")
    case .end:
      _ = try? station.perform(.stop, by: "as one that was forgotten")
      events.report(
        .forgotten, level: .warning,
        "The broadcast has ended: viewers had nothing but silence and a still picture for \(minutes) minutes."
      )
    }
  }

  /// What viewers get now.
  private func present(_ station: Station, isMeasured: Bool) -> ForgottenRules.Present {
    let (intent, plan, showsGuests) = station.state.withLock {
      ($0.director.intent, $0.director.plan, $0.director.conditions.showsGuests)
    }
    let changedAt = station.studio.pictureChange(isMeasured: isMeasured)
    let isLive = plan.video == .camera && station.studio.sources.video != nil
    let isMoving = changedAt.map { station.clock.now - $0 < ScheduleKeeper.stillNanos } ?? true
    let loudness = station.studio.sumReading.map { LoudnessLevels($0.loudness).shortTermLufs }
    // Only the camera's picture is measured, so a picture with guests counts as moving.
    return ForgottenRules.Present(
      broadcast: station.broadcastNumber, isPaused: intent.broadcast == .paused,
      isSilent: (loudness ?? -100) < ScheduleKeeper.silenceLUFS,
      isStill: !(isLive && (isMoving || showsGuests)))
  }
}
