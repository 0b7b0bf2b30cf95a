// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Decides what the box does: from what the person wants and how things are, and from nothing else.
///
/// It has no clock and does nothing itself. Times are counted from any one instant, and never go back.
public struct Director: Sendable {
  /// From one automatic change of the picture to the next, unless it protects privacy or delay.
  public static let calm: Duration = .seconds(2)

  public private(set) var intent: Intent
  public private(set) var conditions: Conditions
  public private(set) var plan: Plan
  /// When to call `review`, since what was put off is then due; `nil` when nothing was.
  public private(set) var reviewAt: Duration?

  private let keepsSound: Bool
  private var changedAt: Duration?

  /// - Parameters:
  ///   - intent: what was last wanted.
  ///   - keepsSound: the microphone is heard during a pause.
  public init(intent: Intent, conditions: Conditions, keepsSound: Bool) {
    self.intent = intent
    self.conditions = conditions
    self.keepsSound = keepsSound
    plan = Director.plan(intent, conditions, keepsSound)
  }

  /// A person asks for something: it takes effect at once.
  /// - Returns: whether what is wanted has changed.
  @discardableResult
  public mutating func perform(_ command: Command, at now: Duration) throws(Refusal) -> Bool {
    let wanted = try intent.after(command)
    guard wanted != intent else { return false }
    intent = wanted
    conditions.videoDelivered = false
    plan = Director.plan(intent, conditions, keepsSound)
    reviewAt = nil
    return true
  }

  /// Things have changed, or may have.
  public mutating func note(_ conditions: Conditions, at now: Duration) {
    self.conditions = conditions
    review(at: now)
  }

  /// Does what was put off, if its time has come.
  public mutating func review(at now: Duration) {
    var wanted = Director.plan(intent, conditions, keepsSound)
    reviewAt = nil
    if wanted.video != plan.video {
      if isPressing(wanted.video) || changedAt.map({ now - $0 >= Director.calm }) ?? true {
        changedAt = now
        // What is at the servers is the picture before.
        conditions.videoDelivered = false
        wanted.lamp = PlanTable.lamp(intent, conditions)
      } else {
        reviewAt = changedAt.map { $0 + Director.calm }
        wanted.video = plan.video
      }
    }
    plan = wanted
  }

  /// A change that cannot wait: moving pictures for which the link has no room only add to the delay.
  private func isPressing(_ picture: Plan.Video) -> Bool {
    switch picture {
    case .none, .pauseStill, .poorNetworkStill: true
    case .camera, .noCameraStill: false
    }
  }

  private static func plan(
    _ intent: Intent, _ conditions: Conditions, _ keepsSound: Bool
  ) -> Plan {
    Plan(
      video: PlanTable.video(intent, conditions),
      audio: PlanTable.audio(intent, conditions, keepsSound: keepsSound),
      lamp: PlanTable.lamp(intent, conditions))
  }
}
