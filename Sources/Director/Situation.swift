// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The actual state of the broadcast (not the state that the person wants), as the page and the command line show it.
/// It is computed from the same values as the lamp's signal, without a clock and without I/O.
public struct Situation: Hashable, Sendable {
  /// The state of the broadcast in detail. Other programs rely on the raw values: they must not change.
  public enum State: String, Sendable, CaseIterable {
    case offAir = "off_air"
    /// Off air, and something needs repair.
    case offFault = "off_fault"
    /// The person has ended the broadcast, but the box is still closing its connections.
    case ending
    case connecting
    /// A server accepts the stream, but has not confirmed the live video yet.
    case goingLive = "going_live"
    case live
    case liveMuted = "live_muted"
    /// The person has switched the video off, the audio, or both.
    case liveVideoOff = "live_video_off"
    case liveAudioOff = "live_audio_off"
    case liveBothOff = "live_both_off"
    /// A server accepts the stream, but has confirmed nothing for several seconds.
    case unconfirmed
    case weak
    /// The link is so slow that viewers see a still instead of live video.
    case weakStill = "weak_still"
    /// The main server has the stream, but a relay's server does not.
    case relayFails = "relay_fails"
    /// The stream is where it should be, but something is wrong with the sound of a track.
    case audioAlarm = "audio_alarm"
    case noCamera = "no_camera"
    case noMicrophone = "no_microphone"
    /// Neither the camera nor the microphone delivers anything.
    case noInputs = "no_inputs"
    case needsRepair = "needs_repair"
    /// Video or audio cannot be encoded.
    case notEncoded = "not_encoded"
    /// The intent of the person is not saved to disk.
    case notSaved = "not_saved"
    /// The supervisor, the thread that checks the broadcast, has not run for several seconds.
    case unsupervised
    /// The main server does not have the stream, but servers of relays do.
    case relaysOnly = "relays_only"
    case notOnAir = "not_on_air"
    case refused
    /// The broadcast is paused and nothing from the room is sent any more, but viewers do not see the still of the
    /// pause yet.
    case pausing
    case paused
    /// Viewers hear the sound of the room during a pause.
    case pausedHeard = "paused_heard"
    /// Viewers do not hear the room during a pause, but see its last frame.
    case pausedSeen = "paused_seen"
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

  /// The state as a grade, which the page shows as a word and a colour.
  public enum Grade: String, Sendable, CaseIterable {
    case off, starting, good, muted
    /// The person has switched the video or the audio off.
    case partOff = "part_off"
    case weak, poor, paused, `private`
  }

  /// Which viewers get the video and audio that the status reports.
  public enum Audience: String, Sendable, CaseIterable {
    /// Nothing is sent.
    case none
    /// No viewers: a broadcast runs, but no server has it.
    case nobody
    /// All viewers, in a moment: the stream is on its way to them.
    case soon
    /// Perhaps all viewers: the main server accepts the stream, but does not confirm that it arrives.
    case perhaps
    /// Only the viewers of the relays: the main server does not have the broadcast.
    case relays
    case all
  }

  /// What the person should do. If the status lists a trouble that says what to do, the advice only refers to that
  /// trouble.
  public enum Advice: String, Sendable, CaseIterable {
    case wait
    case lookAtPlatform = "look_at_platform"
    case useCable = "use_cable"
    /// Mute the microphone: viewers still hear the room during the pause.
    case muteToo = "mute_too"
    /// Follow the troubles that the status lists.
    case seeBelow = "see_below"
  }

  /// The state of the broadcast in detail.
  public var state: State
  /// The state in one word, for the page and programs.
  public var word: Word
  /// The state as a grade, which the page shows as a word and a colour.
  public var grade: Grade
  /// Which viewers get the video and audio of the plan.
  public var audience: Audience

  /// - Parameters:
  ///   - lamp: the signal of the lamp.
  ///   - relays: the number of relays whose servers have the stream.
  public init(
    _ intent: Intent, _ plan: Plan, _ conditions: Conditions, lamp: LampSignal, relays: Int
  ) {
    let isHeard = plan.audio.hearsRoom
    let isOpen = isHeard || plan.video == .lastFrame
    audience = Situation.audience(intent, plan, conditions, lamp, relays: relays)
    state =
      switch intent.broadcast {
      case .off: Situation.offState(lamp)
      case .paused:
        Situation.pausedState(
          lamp, audience, good: isHeard ? .pausedHeard : isOpen ? .pausedSeen : .paused)
      case .live: Situation.liveState(intent, plan, conditions, lamp, audience)
      }
    word = Situation.word(state, intent, isOpen: isOpen)
    // The grade is not `good` while the lamp shows `unconfirmed`.
    let grade = Situation.grade(state, isOpen: isOpen)
    self.grade = grade == .good && lamp == .unconfirmed ? .starting : grade
  }

  /// What the person should do; `nil` for nothing.
  /// - Parameter isExplained: whether the status lists troubles, which tell what is wrong and what to do.
  public func advice(isExplained: Bool) -> Advice? {
    switch state {
    case .connecting, .goingLive, .pausing, .ending, .pausedConnecting: .wait
    case .pausedHeard: .muteToo
    case .unconfirmed, .pausedUnconfirmed: isExplained ? nil : .lookAtPlatform
    case .weak, .weakStill: isExplained ? nil : .useCable
    case .offAir, .live, .liveMuted, .liveVideoOff, .liveAudioOff, .liveBothOff, .paused,
      .pausedSeen:
      nil
    case .offFault, .relayFails, .audioAlarm, .noCamera, .noMicrophone, .noInputs, .needsRepair,
      .notEncoded, .notSaved, .unsupervised, .relaysOnly, .notOnAir, .refused, .pausedNotEncoded,
      .pausedNotSaved, .pausedRelaysOnly, .pausedNotOnAir:
      isExplained ? .seeBelow : nil
    }
  }
}

extension Situation {
  /// Which viewers get the stream. `relays` is the number of relays whose servers have it.
  private static func audience(
    _ intent: Intent, _ plan: Plan, _ conditions: Conditions, _ lamp: LampSignal, relays: Int
  ) -> Audience {
    if intent.broadcast == .off { return .none }
    switch conditions.destination {
    case .delivered:
      return switch lamp {
      case .unconfirmed: hasArrived(intent, plan, conditions) ? .all : .soon
      // It is not known whether new video and audio is sent.
      case .fault(.encoder), .fault(.unsupervised): .perhaps
      default: .all
      }
    case .unconfirmed:
      if relays > 0 { return .relays }
      return conditions.isOverdue ? .perhaps : .soon
    case .connecting, .retrying, .refused: return relays > 0 ? .relays : .nobody
    }
  }

  /// Whether the server has the current video of a live broadcast. The lamp may still be unconfirmed for another
  /// reason: after an unmute, the intent is not saved to disk yet.
  private static func hasArrived(_ intent: Intent, _ plan: Plan, _ conditions: Conditions) -> Bool {
    intent.broadcast == .live && conditions.destination == .delivered && conditions.videoDelivered
      && !plan.lacksCamera(conditions)
  }

  /// The actual state of the broadcast while the user wants it to be off.
  private static func offState(_ lamp: LampSignal) -> State {
    lamp.cause != nil ? .offFault : lamp == .offAir ? .offAir : .ending
  }

  /// The state of a live broadcast in which viewers get just what the user wants.
  private static func wantedState(_ intent: Intent) -> State {
    switch (intent.isVideoOff, intent.isAudioOff) {
    case (true, true): .liveBothOff
    case (true, false): .liveVideoOff
    case (false, true): .liveAudioOff
    case (false, false): intent.isMuted ? .liveMuted : .live
    }
  }

  /// The actual state of the broadcast while the user wants it to be live.
  private static func liveState(
    _ intent: Intent, _ plan: Plan, _ conditions: Conditions, _ lamp: LampSignal,
    _ audience: Audience
  ) -> State {
    switch lamp {
    case .offAir, .starting: return audience == .relays ? .relaysOnly : .connecting
    case .live, .paused: return wantedState(intent)
    // After a mute or an unmute: the server has the video, and the intent is only not saved to disk yet.
    case .unconfirmed where hasArrived(intent, plan, conditions): return wantedState(intent)
    case .unconfirmed:
      return audience == .relays ? .relaysOnly : audience == .perhaps ? .unconfirmed : .goingLive
    case .weak:
      return plan.video == .poorNetworkStill
        ? .weakStill
        : conditions.link != .good ? .weak : conditions.relayFails ? .relayFails : .audioAlarm
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

  /// The actual state of the broadcast while the user wants it to be paused.
  /// - Parameter good: the state if viewers get what the plan says.
  private static func pausedState(
    _ lamp: LampSignal, _ audience: Audience, good: State
  ) -> State {
    switch lamp {
    case .offAir, .starting: return audience == .relays ? .pausedRelaysOnly : .pausedConnecting
    case .unconfirmed:
      return audience == .relays
        ? .pausedRelaysOnly : audience == .perhaps ? .pausedUnconfirmed : .pausing
    case .live, .paused, .weak, .noCamera: return good
    case .reconnecting: return audience == .relays ? .pausedRelaysOnly : .pausedNotOnAir
    case .fault(let cause):
      return switch cause {
      case .server, .noServer, .refusal:
        audience == .relays ? .pausedRelaysOnly : .pausedNotOnAir
      case .encoder: .pausedNotEncoded
      case .unsaved: .pausedNotSaved
      case .unsupervised: .unsupervised
      case .camera, .microphone, .repair: good
      }
    }
  }

  /// The word for a state. `isOpen`: whether a pause leaves viewers the sound of the room, or its last frame.
  private static func word(_ state: State, _ intent: Intent, isOpen: Bool) -> Word {
    switch state {
    case .offAir, .offFault: .off
    case .ending: .ending
    case .connecting, .pausedConnecting: .connecting
    case .goingLive: .goingLive
    case .live, .liveMuted, .liveVideoOff, .liveAudioOff, .liveBothOff, .weak, .weakStill,
      .relayFails, .audioAlarm, .noCamera, .noMicrophone, .noInputs, .needsRepair, .notSaved,
      .relaysOnly:
      .live
    case .unconfirmed, .notEncoded: .unconfirmed
    case .notOnAir, .refused, .pausedNotOnAir: .notOnAir
    case .unsupervised:
      intent.broadcast == .live ? .unconfirmed : isOpen ? .paused : .private
    case .pausing, .paused, .pausedHeard, .pausedSeen, .pausedUnconfirmed, .pausedNotEncoded,
      .pausedNotSaved, .pausedRelaysOnly:
      isOpen ? .paused : .private
    }
  }

  /// The grade for a state. `isOpen`: as for `word`.
  private static func grade(_ state: State, isOpen: Bool) -> Grade {
    switch state {
    case .offAir, .offFault, .ending: .off
    case .connecting, .goingLive, .pausedConnecting: .starting
    case .live: .good
    case .liveMuted: .muted
    case .liveVideoOff, .liveAudioOff, .liveBothOff: .partOff
    case .unconfirmed, .weak, .weakStill, .relayFails, .audioAlarm, .pausedUnconfirmed: .weak
    case .pausing, .paused, .pausedHeard, .pausedSeen: isOpen ? .paused : .private
    case .noCamera, .noMicrophone, .noInputs, .needsRepair, .notEncoded, .notSaved,
      .unsupervised, .relaysOnly, .notOnAir, .refused, .pausedNotEncoded, .pausedNotSaved,
      .pausedRelaysOnly, .pausedNotOnAir:
      .poor
    }
  }
}
