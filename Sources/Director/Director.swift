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

  /// The picture and the tracks of a pause.
  private var pause: PausePlan
  /// When `update` last changed the plan's video; `nil` if it has not changed yet.
  private var videoChangedAt: Duration?

  /// - Parameters:
  ///   - intent: the intent that was saved last.
  ///   - pause: what viewers see and hear in a pause.
  public init(intent: Intent, conditions: Conditions, pause: PausePlan) {
    self.intent = intent
    self.conditions = conditions
    self.pause = pause
    plan = Plan(intent, conditions, pause: pause)
  }

  /// Carries out a person's command at once.
  /// - Returns: whether the intent has changed.
  @discardableResult
  public mutating func perform(_ command: Command, at now: Duration) throws(CommandError) -> Bool {
    let changed = try intent.after(command)
    guard changed != intent else { return false }
    intent = changed
    conditions.videoDelivered = false
    plan = Plan(intent, conditions, pause: pause)
    return true
  }

  /// Sets what viewers see and hear in a pause. A pause that lasts follows at once.
  public mutating func setPause(_ pause: PausePlan) {
    self.pause = pause
    let next = Plan(intent, conditions, pause: pause)
    plan.audio = next.audio
    guard intent.broadcast == .paused, next.video != plan.video else { return }
    plan.video = next.video
    conditions.videoDelivered = false
    plan.updateLamp(intent, conditions)
  }

  /// Sets the most urgent fault outside of the broadcast that a person has to repair; `nil` if there is none.
  public mutating func setRepair(_ repair: Repair?) {
    conditions.repair = repair
    plan.updateLamp(intent, conditions)
  }

  /// Updates the plan for the present conditions. Call it regularly: a change of the video that comes less than
  /// `minimumChangeInterval` after the previous change is delayed until a later call.
  public mutating func update(_ conditions: Conditions, at now: Duration) {
    // Without the guests, nothing would be seen until the interval is over.
    let isLeft = self.conditions.showsGuests && !conditions.showsGuests
    self.conditions = conditions
    var next = Plan(intent, conditions, pause: pause)
    if next.video != plan.video {
      if isUrgent(next.video) || isLeft && next.video == .noCameraStill
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

  /// Whether a change to this video must not wait for `minimumChangeInterval`. A change to the picture of a pause,
  /// or to the still of video that is off, protects privacy. On a link that cannot carry live video, every further frame
  /// of it would add delay.
  private func isUrgent(_ video: Plan.Video) -> Bool {
    switch video {
    case .none, .pauseStill, .lastFrame, .soundOnly, .poorNetworkStill, .videoOffStill: true
    case .camera, .noCameraStill: false
    }
  }
}
