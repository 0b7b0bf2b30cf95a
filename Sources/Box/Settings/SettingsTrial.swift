// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
package import Settings
internal import Studio
internal import Synchronization

/// Watches what a change of settings does to picture, sound and encoders, and decides whether the change is taken back.
/// Reads no clock and does no I/O: the time is passed in.
struct SettingsTrial {
  /// Nanoseconds for which a change is on trial: a camera needs some seconds to open.
  static let length = Int64.seconds(10)
  /// Nanoseconds after which an encoder that fails ends the trial: it does not get better by waiting.
  private static let encoderPatience = Int64.seconds(3)

  enum Verdict: Equatable {
    case wait
    case keep
    /// The change is to be taken back. The value says what is broken, for people.
    case undo(String)
  }

  /// The change that takes back what has been changed during the trial and may break picture or sound.
  let wayBack: SettingsPatch
  private let before: StudioHealth
  let startedAt: MediaTime

  /// - Parameter before: the state of the sources and encoders at the moment of the change.
  init(wayBack: SettingsPatch, before: StudioHealth, now: MediaTime) {
    self.wayBack = wayBack
    self.before = before
    startedAt = now
  }

  /// The trial after a further change during this one: both changes are judged together, and taken back together.
  func followed(by wayBack: SettingsPatch, now: MediaTime) -> SettingsTrial {
    let both = wayBack.values.merging(self.wayBack.values) { _, first in first }
    return SettingsTrial(wayBack: SettingsPatch(both), before: before, now: now)
  }

  func verdict(_ health: StudioHealth, now: MediaTime) -> Verdict {
    let age = now - startedAt
    if health.encoderFailed, !before.encoderFailed, age >= SettingsTrial.encoderPatience {
      return .undo("picture or sound could not be encoded")
    }
    guard age >= SettingsTrial.length else { return .wait }
    if before.video == .good, isBroken(health.video) { return .undo("no picture came") }
    if before.audio == .good, isBroken(health.audio) { return .undo("no sound came") }
    return .keep
  }

  private func isBroken(_ input: StudioHealth.Input) -> Bool { input == .opening || input == .lost }
}

extension SettingsDesk {
  /// Changes settings on trial: `judgeTrial` takes the change back if it breaks picture or sound. If neither worked
  /// before the change, there is no trial.
  package func answerOnTrial(
    _ patch: SettingsPatch, by origin: String, isRemote: Bool
  ) -> ControlReply {
    let now = station.clock.now
    let before = station.studio.health(now)
    let (runTime, settings) = taken.withLock { ($0.runTime, $0.settings) }
    let reply = answer(patch, by: origin, isRemote: isRemote)
    guard reply.ok, reply.changed else { return reply }
    // Servers and keys break neither picture nor sound. A restored key might be sent to a server that was named since.
    let all = runTime.wayBack(from: patch).values
    var values = all.filter { key, _ in
      !key.hasPrefix("publish.") && Settings.list(of: key) == nil
    }
    guard !values.isEmpty else { return reply }
    // The camera that is shown again gets back the privacy masks that the change took from it. New ones stay.
    values.merge(all.filter { key, _ in settings.isOfAppliedMask(key) }) { $1 }
    let wayBack = SettingsPatch(values)
    trial.withLock { trial in
      if let earlier = trial {
        trial = earlier.followed(by: wayBack, now: now)
      } else if before.video == .good || before.audio == .good {
        trial = SettingsTrial(wayBack: wayBack, before: before, now: now)
      }
    }
    return reply
  }

  /// Takes a change back if its trial shows that it has broken something. To be called some times a second.
  package func judgeTrial(_ now: MediaTime) {
    guard let trial = trial.withLock({ $0 }) else { return }
    let verdict = trial.verdict(station.studio.health(now), now: now)
    guard verdict != .wait else { return }
    self.trial.withLock { if $0?.startedAt == trial.startedAt { $0 = nil } }
    guard case .undo(let reason) = verdict else { return }
    // It writes to the disk, for which the supervisor must not wait.
    station.jobs.submit { [self] in undo(trial, reason) }
  }

  /// Takes a change back, but uncovers no part of the camera's picture that is covered now: a privacy mask may have
  /// been enlarged since the change.
  func undo(_ trial: SettingsTrial, _ reason: String) {
    var back = trial.wayBack
    let problem: String?
    do throws(StationError) {
      _ = try change(by: "since the change broke the picture or the sound", isRemote: false) {
        (taken) throws(StationError) in
        back = taken.keepingMasks(back) { layer throws(ConfigurationError) in
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
