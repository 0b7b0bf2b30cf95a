// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What the box tells of itself on the page and the command line: the actual state of the broadcast, not the wanted
/// one. It follows from the same values as the lamp. Reads no clock and does no I/O.
public struct Situation: Hashable, Sendable {
  /// The state of the broadcast in detail. Other programs rely on the raw values: they must not change.
  public enum State: String, Sendable, CaseIterable {
    case offAir = "off_air"
    case offFault = "off_fault"
    /// The broadcast has been ended, but the last viewers have not gone yet.
    case ending
    case connecting
    /// A server takes the stream, but has not confirmed the live picture yet.
    case goingLive = "going_live"
    case live
    case liveMuted = "live_muted"
    /// A server takes the stream, but has confirmed nothing for seconds.
    case unconfirmed
    case weak
    case weakStill = "weak_still"
    case relayFails = "relay_fails"
    case noCamera = "no_camera"
    case noMicrophone = "no_microphone"
    case noInputs = "no_inputs"
    case needsRepair = "needs_repair"
    case notEncoded = "not_encoded"
    case notSaved = "not_saved"
    case unsupervised
    /// The main server does not have the stream, but servers of relays do.
    case relaysOnly = "relays_only"
    case notOnAir = "not_on_air"
    case refused
    /// The broadcast is paused and nothing from the room is sent any more, but viewers do not have the still yet.
    case pausing
    case paused
    /// Viewers see the pause still, but still hear the room.
    case pausedHeard = "paused_heard"
    case pausedConnecting = "paused_connecting"
    case pausedUnconfirmed = "paused_unconfirmed"
    case pausedNotEncoded = "paused_not_encoded"
    case pausedNotSaved = "paused_not_saved"
    case pausedRelaysOnly = "paused_relays_only"
    case pausedNotOnAir = "paused_not_on_air"
  }

  /// The state in one word, for the page and programs. It is `live` only while a server has the stream.
  public enum Word: String, Sendable, CaseIterable {
    case off, ending, connecting
    case goingLive = "going_live"
    case live, unconfirmed
    case notOnAir = "not_on_air"
    case paused
    /// Neither picture nor sound of the room is sent.
    case `private`
  }

  public enum Grade: String, Sendable, CaseIterable {
    case off, starting, good, muted, weak, poor, paused, `private`
  }

  /// Which viewers get what the status gives as `video` and `audio`.
  public enum Audience: String, Sendable, CaseIterable {
    /// Nothing is sent.
    case none
    /// No viewers: a broadcast runs, but no server has it.
    case nobody
    /// All viewers, in a moment: the stream is on its way to them.
    case soon
    /// Perhaps all viewers: the main server takes the stream, but does not confirm it.
    case perhaps
    /// Only the viewers of the relays: the main server does not have the broadcast.
    case relays
    case all
  }

  /// What the person should do. If the status lists a trouble that says what to do, the advice only refers to that.
  public enum Advice: String, Sendable, CaseIterable {
    case wait
    case lookAtPlatform = "look_at_platform"
    case useCable = "use_cable"
    case muteToo = "mute_too"
    case seeBelow = "see_below"
  }

  public var state: State
  public var word: Word
  public var grade: Grade
  public var audience: Audience

  /// - Parameters:
  ///   - lamp: what the lamp tells.
  ///   - relays: how many relays' servers have the stream.
  public init(
    _ intent: Intent, _ plan: Plan, _ conditions: Conditions, lamp: LampSignal, relays: Int
  ) {
    let isHeard = plan.audio.isHeard
    audience = Situation.audience(intent, conditions, lamp, relays: relays)
    state =
      switch intent.broadcast {
      case .off: Situation.off(lamp)
      case .paused: Situation.paused(conditions, lamp, audience, isHeard: isHeard)
      case .live: Situation.live(intent, plan, conditions, lamp, audience)
      }
    word = Situation.word(state, intent, isHeard: isHeard)
    grade = Situation.grade(state, isHeard: isHeard)
  }

  /// What the person should do; `nil` for nothing.
  /// - Parameter isExplained: whether the status lists troubles, which tell what is wrong and what to do.
  public func advice(isExplained: Bool) -> Advice? {
    switch state {
    case .connecting, .goingLive, .pausing, .ending, .pausedConnecting: .wait
    case .pausedHeard: .muteToo
    case .unconfirmed, .pausedUnconfirmed: isExplained ? nil : .lookAtPlatform
    case .weak, .weakStill: isExplained ? nil : .useCable
    case .offAir, .live, .liveMuted, .paused: nil
    case .offFault, .relayFails, .noCamera, .noMicrophone, .noInputs, .needsRepair, .notEncoded,
      .notSaved, .unsupervised, .relaysOnly, .notOnAir, .refused, .pausedNotEncoded,
      .pausedNotSaved, .pausedRelaysOnly, .pausedNotOnAir:
      isExplained ? .seeBelow : nil
    }
  }
}

extension Situation {
  private static func audience(
    _ intent: Intent, _ conditions: Conditions, _ lamp: LampSignal, relays: Int
  ) -> Audience {
    if intent.broadcast == .off { return .none }
    switch conditions.destination {
    case .delivered:
      return switch lamp {
      case .unconfirmed: .soon
      // Whether anything new is sent is not known.
      case .fault(.encoder), .fault(.unsupervised): .perhaps
      default: .all
      }
    case .unconfirmed:
      if relays > 0 { return .relays }
      return conditions.isOverdue ? .perhaps : .soon
    case .connecting, .retrying, .refused: return relays > 0 ? .relays : .nobody
    }
  }

  private static func off(_ lamp: LampSignal) -> State {
    lamp.cause != nil ? .offFault : lamp == .offAir ? .offAir : .ending
  }

  private static func live(
    _ intent: Intent, _ plan: Plan, _ conditions: Conditions, _ lamp: LampSignal,
    _ audience: Audience
  ) -> State {
    switch lamp {
    case .offAir, .starting: return audience == .relays ? .relaysOnly : .connecting
    case .live, .paused: return intent.isMuted ? .liveMuted : .live
    // The server has the picture, and only the disk does not have the intent yet: after a mute or an unmute.
    case .unconfirmed where conditions.destination == .delivered && conditions.videoDelivered:
      return intent.isMuted ? .liveMuted : .live
    case .unconfirmed:
      return audience == .relays ? .relaysOnly : audience == .perhaps ? .unconfirmed : .goingLive
    case .weak:
      return plan.video == .poorNetworkStill
        ? .weakStill : conditions.link == .good ? .relayFails : .weak
    case .reconnecting: return audience == .relays ? .relaysOnly : .notOnAir
    case .noCamera: return conditions.microphone == .lost ? .noInputs : .noCamera
    case .fault(let cause):
      return switch cause {
      case .server, .noServer: audience == .relays ? .relaysOnly : .notOnAir
      case .refusal: audience == .relays ? .relaysOnly : .refused
      case .camera: .noCamera
      case .microphone: .noMicrophone
      case .encoder: .notEncoded
      case .unsaved: .notSaved
      case .unsupervised: .unsupervised
      case .repair: .needsRepair
      }
    }
  }

  private static func paused(
    _ conditions: Conditions, _ lamp: LampSignal, _ audience: Audience, isHeard: Bool
  ) -> State {
    switch lamp {
    case .offAir, .starting: return audience == .relays ? .pausedRelaysOnly : .pausedConnecting
    case .unconfirmed:
      return audience == .relays
        ? .pausedRelaysOnly : audience == .perhaps ? .pausedUnconfirmed : .pausing
    case .live, .paused, .weak, .noCamera: return isHeard ? .pausedHeard : .paused
    case .reconnecting: return audience == .relays ? .pausedRelaysOnly : .pausedNotOnAir
    case .fault(let cause):
      return switch cause {
      case .server, .noServer, .refusal:
        audience == .relays ? .pausedRelaysOnly : .pausedNotOnAir
      case .encoder: .pausedNotEncoded
      case .unsaved: .pausedNotSaved
      case .unsupervised: .unsupervised
      case .camera, .microphone, .repair: isHeard ? .pausedHeard : .paused
      }
    }
  }

  private static func word(_ state: State, _ intent: Intent, isHeard: Bool) -> Word {
    switch state {
    case .offAir, .offFault: .off
    case .ending: .ending
    case .connecting, .pausedConnecting: .connecting
    case .goingLive: .goingLive
    case .live, .liveMuted, .weak, .weakStill, .relayFails, .noCamera, .noMicrophone, .noInputs,
      .needsRepair, .notSaved, .relaysOnly:
      .live
    case .unconfirmed, .notEncoded: .unconfirmed
    case .notOnAir, .refused, .pausedNotOnAir: .notOnAir
    case .unsupervised:
      intent.broadcast == .live ? .unconfirmed : isHeard ? .paused : .private
    case .pausing, .paused, .pausedHeard, .pausedUnconfirmed, .pausedNotEncoded,
      .pausedNotSaved, .pausedRelaysOnly:
      isHeard ? .paused : .private
    }
  }

  private static func grade(_ state: State, isHeard: Bool) -> Grade {
    switch state {
    case .offAir, .offFault, .ending: .off
    case .connecting, .goingLive, .pausedConnecting: .starting
    case .live: .good
    case .liveMuted: .muted
    case .unconfirmed, .weak, .weakStill, .relayFails, .pausedUnconfirmed: .weak
    case .pausing, .paused, .pausedHeard: isHeard ? .paused : .private
    case .noCamera, .noMicrophone, .noInputs, .needsRepair, .notEncoded, .notSaved,
      .unsupervised, .relaysOnly, .notOnAir, .refused, .pausedNotEncoded, .pausedNotSaved,
      .pausedRelaysOnly, .pausedNotOnAir:
      .poor
    }
  }
}
