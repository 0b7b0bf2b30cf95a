// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
package import Settings
internal import Studio
internal import Synchronization

/// Watches what a change of settings does to picture, sound and encoders, and decides whether the change is undone.
/// Reads no clock and does no I/O: the time is passed in.
struct SettingsTrial {
  /// The time for which a change is on trial, in nanoseconds: a camera needs some seconds to open.
  static let lengthNanos = Int64.seconds(10)
  /// The time in nanoseconds after which a failing encoder ends the trial: unlike a camera, an encoder does not recover
  /// by itself.
  private static let encoderTimeoutNanos = Int64.seconds(3)

  /// The judgement of a change on trial: whether the change is kept or undone.
  enum Verdict: Equatable {
    case wait
    case keep
    /// The change has to be undone. The value says what is broken, for people.
    case undo(String)
  }

  /// The change that undoes the trial: it restores those changed settings that may break picture or sound.
  let undoPatch: SettingsPatch
  /// The state of the sources and encoders at the moment of the first change on trial.
  private let before: StudioHealth
  /// The time of the last change on trial, at which the trial began or began anew.
  let startedAt: MediaTime

  /// - Parameter before: the state of the sources and encoders at the moment of the change.
  init(undoPatch: SettingsPatch, before: StudioHealth, now: MediaTime) {
    self.undoPatch = undoPatch
    self.before = before
    startedAt = now
  }

  /// The trial that replaces this one after a further change: both changes are judged together, and undone together.
  func followed(by undoPatch: SettingsPatch, now: MediaTime) -> SettingsTrial {
    let both = undoPatch.values.merging(self.undoPatch.values) { _, first in first }
    return SettingsTrial(undoPatch: SettingsPatch(both), before: before, now: now)
  }

  /// Judges the change by the present state of the sources and encoders.
  func verdict(_ health: StudioHealth, now: MediaTime) -> Verdict {
    let age = now - startedAt
    if health.encoderFailed, !before.encoderFailed, age >= SettingsTrial.encoderTimeoutNanos {
      return .undo("picture or sound could not be encoded")
    }
    guard age >= SettingsTrial.lengthNanos else { return .wait }
    if before.video == .good, isOpeningOrLost(health.video) { return .undo("no picture came") }
    if before.audio == .good, isOpeningOrLost(health.audio) { return .undo("no sound came") }
    return .keep
  }

  private func isOpeningOrLost(_ input: StudioHealth.Input) -> Bool {
    input == .opening || input == .lost
  }
}

extension SettingsDesk {
  /// Changes settings on trial: `judgeTrial` undoes the change if it breaks picture or sound. If neither worked before
  /// the change, there is no trial.
  package func answerOnTrial(
    _ patch: SettingsPatch, by origin: String, isRemote: Bool
  ) -> ControlReply {
    let now = station.clock.now
    let before = station.studio.health(now)
    let (runTime, settings) = inForce.withLock { ($0.runTime, $0.settings) }
    let reply = answer(patch, by: origin, isRemote: isRemote)
    guard reply.ok, reply.changed else { return reply }
    // Leave out servers and keys, which break neither picture nor sound. Otherwise a restored key might be sent to a
    // server that was set after the change.
    let all = runTime.undoPatch(for: patch).values
    var values = all.filter { key, _ in
      !key.hasPrefix("publish.") && Settings.list(of: key) == nil
    }
    guard !values.isEmpty else { return reply }
    // Restore the privacy masks that the change removed from the earlier camera, which will be shown again. New masks
    // stay.
    values.merge(all.filter { key, _ in settings.isAppliedMaskSetting(key) }) { $1 }
    let undoPatch = SettingsPatch(values)
    trial.withLock { trial in
      if let earlier = trial {
        trial = earlier.followed(by: undoPatch, now: now)
      } else if before.video == .good || before.audio == .good {
        trial = SettingsTrial(undoPatch: undoPatch, before: before, now: now)
      }
    }
    return reply
  }

  /// Undoes a change if its trial shows that it has broken something. To be called several times a second.
  package func judgeTrial(_ now: MediaTime) {
    guard let trial = trial.withLock({ $0 }) else { return }
    let verdict = trial.verdict(station.studio.health(now), now: now)
    guard verdict != .wait else { return }
    self.trial.withLock { if $0?.startedAt == trial.startedAt { $0 = nil } }
    guard case .undo(let reason) = verdict else { return }
    // `undo` writes to the disk, for which the calling thread must not wait.
    station.jobs.submit { [self] in undo(trial, reason) }
  }

  /// Undoes a change, but uncovers no part of the camera's picture that is covered now: a privacy mask may have been
  /// enlarged since the change.
  func undo(_ trial: SettingsTrial, _ reason: String) {
    var back = trial.undoPatch
    let problem: String?
    do throws(StationError) {
      _ = try change(by: "since the change broke the picture or the sound", isRemote: false) {
        (inForce) throws(StationError) in
        back = inForce.keepingMasks(back) { layer throws(ConfigurationError) in
          try read(.given(layer))
        }
        return back
      }
      problem = nil
    } catch {
      problem = ControlReply(error).sentence ?? ""
    }
    let keys = back.values.keys.sorted().joined(separator: ", ")
    events.report(
      .settingsUndone, level: .warning, subject: keys,
      problem.map {
        "The change of \(keys) broke something (\(reason)), and could not be taken back: \($0)"
      } ?? "The change of \(keys) was taken back: \(reason) after it.")
  }
}
