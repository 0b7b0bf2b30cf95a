// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Decides what viewers get and what the lamp shows (`Plan`), from what the person wants (`Intent`) and from the
/// conditions.
///
/// Reads no clock and does no I/O: the time is passed in. Times may count from any instant, but must not go back.
public struct Director: Sendable {
  /// The minimum time between two automatic changes of the video, so that the video does not flicker. Changes that
  /// protect privacy or shorten the delay are made at once.
  public static let minimumChangeInterval: Duration = .seconds(2)

  /// What the person wants, after the last command.
  public private(set) var intent: Intent
  /// The conditions of the last `update`, with the changes since then.
  public private(set) var conditions: Conditions
  /// What viewers get and what the lamp shows now.
  public private(set) var plan: Plan

  /// The tracks that a pause silences.
  private var pausedTracks: SilencedTracks
  /// When `update` last changed the plan's video; `nil` if it has not changed yet.
  private var videoChangedAt: Duration?

  /// - Parameters:
  ///   - intent: the intent that was saved last.
  ///   - pausedTracks: the tracks that a pause silences.
  public init(intent: Intent, conditions: Conditions, pausedTracks: SilencedTracks) {
    self.intent = intent
    self.conditions = conditions
    self.pausedTracks = pausedTracks
    plan = Plan(intent, conditions, pausedTracks: pausedTracks)
  }

  /// Carries out a person's command at once.
  /// - Returns: whether the intent has changed.
  @discardableResult
  public mutating func perform(_ command: Command, at now: Duration) throws(CommandError) -> Bool {
    let changed = try intent.after(command)
    guard changed != intent else { return false }
    intent = changed
    conditions.videoDelivered = false
    plan = Plan(intent, conditions, pausedTracks: pausedTracks)
    return true
  }

  /// Sets the tracks that a pause silences.
  public mutating func setPausedTracks(_ pausedTracks: SilencedTracks) {
    self.pausedTracks = pausedTracks
    plan.audio = Plan(intent, conditions, pausedTracks: pausedTracks).audio
  }

  /// Sets the most urgent fault outside of the broadcast that a person has to repair; `nil` if there is none.
  public mutating func setRepair(_ repair: Repair?) {
    conditions.repair = repair
    plan.updateLamp(intent, conditions)
  }

  /// Updates the plan for the present conditions. Call it regularly: a change of the video that comes less than
  /// `minimumChangeInterval` after the previous change is delayed until a later call.
  public mutating func update(_ conditions: Conditions, at now: Duration) {
    self.conditions = conditions
    var next = Plan(intent, conditions, pausedTracks: pausedTracks)
    if next.video != plan.video {
      if isUrgent(next.video)
        || videoChangedAt.map({ now - $0 >= Director.minimumChangeInterval }) ?? true
      {
        videoChangedAt = now
        // The servers have not received the new video yet.
        self.conditions.videoDelivered = false
      } else {
        // Keep the present video until the interval is over: viewers see a still even if the camera delivers again.
        next.video = plan.video
      }
      next.updateLamp(intent, self.conditions)
    }
    plan = next
  }

  /// Whether a change to this video must not wait for `minimumChangeInterval`. A change to the still of a pause,
  /// or to that of video that is off, protects privacy. On a link that cannot carry live video, every further frame of
  /// it would add delay.
  private func isUrgent(_ video: Plan.Video) -> Bool {
    switch video {
    case .none, .pauseStill, .poorNetworkStill, .videoOffStill: true
    case .camera, .noCameraStill: false
    }
  }
}
