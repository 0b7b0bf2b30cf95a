// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What viewers get and what the lamp shows. A plan is computed only from the intent, the conditions, and the tracks
/// that a pause silences.
public struct Plan: Equatable, Sendable {
  /// What viewers see.
  public enum Video: String, Sendable, CaseIterable {
    /// No video is sent.
    case none
    case camera
    case pauseStill = "pause_still"
    /// In a pause: the last frame from before it, frozen. Not private.
    case lastFrame = "last_frame"
    /// In a pause: the pause still as one keyframe, so that nobody goes on showing the room, and then only sound.
    case soundOnly = "sound_only"
    case noCameraStill = "no_camera_still"
    case poorNetworkStill = "poor_network_still"
    /// The still of a camera without a picture, since the person has switched the video off.
    case videoOffStill = "video_off_still"

    /// Whether this is what viewers see in a pause.
    public var isPause: Bool { self == .pauseStill || self == .lastFrame || self == .soundOnly }
  }

  /// What viewers hear. A track that delivers nothing is replaced by silence without a change of plan.
  public enum Audio: Hashable, Sendable {
    /// No audio is sent.
    case none
    /// Audio is sent, with silence in place of the `silenced` tracks.
    case tracks(silenced: SilencedTracks)

    /// Audio in which viewers hear all tracks.
    public static let microphone = Audio.tracks(silenced: .none)
    /// Audio in which all tracks are silenced.
    public static let silence = Audio.tracks(silenced: .all)

    /// Whether viewers hear a track, provided that it delivers samples.
    public func hears(_ track: String) -> Bool {
      switch self {
      case .none: false
      case .tracks(let silenced): !silenced.contains(track)
      }
    }

    /// Whether viewers hear any track, provided that it delivers samples.
    public var isHeard: Bool {
      switch self {
      case .none: false
      case .tracks(let silenced): silenced != .all
      }
    }

    /// Whether viewers hear the room: any track besides the music, provided that it delivers samples.
    public var hearsRoom: Bool {
      switch self {
      case .none: false
      case .tracks(let silenced): SilencedTracks.allBut([SilencedTracks.music]).exceeds(silenced)
      }
    }

    /// The audio in one word for programs that read the status: "none", "microphone", "music" or "silence".
    public var word: String {
      self == .none ? "none" : hearsRoom ? "microphone" : isHeard ? "music" : "silence"
    }
  }

  /// What viewers see.
  public var video: Video
  /// What viewers hear.
  public var audio: Audio
  /// What the lamp shows and, if it is red, the cause.
  public var lamp: LampSignal
}

extension Plan {
  /// The tracks that are silenced by a mute, or while the audio is off.
  private static let mutedTracks = SilencedTracks.all

  /// - Parameter pause: what viewers see and hear in a pause.
  init(_ intent: Intent, _ conditions: Conditions, pause: PausePlan) {
    self.init(
      video: Plan.video(intent, conditions, pause.picture),
      audio: Plan.audio(intent, conditions, pausedTracks: pause.silenced), lamp: .offAir)
    updateLamp(intent, conditions)
  }

  /// Sets the lamp to what this plan's video and audio mean under these conditions.
  mutating func updateLamp(_ intent: Intent, _ conditions: Conditions) {
    lamp = Plan.lamp(intent, conditions, video: video, isHeard: audio.hears(SilencedTracks.main))
  }

  /// What viewers see in the camera's place. If a camera is lost less than `Director.minimumChangeInterval` after the last
  /// change of the video, the plan's video is `camera` until that time is over. Viewers then see the camera's last frame,
  /// a still.
  public func shownVideo(_ conditions: Conditions) -> Video {
    lacksCamera(conditions) || video == .camera && conditions.camera == .lost
      ? .noCameraStill : video
  }

  /// Whether a still takes the camera's place, in the whole picture or beside guests.
  public func lacksCamera(_ conditions: Conditions) -> Bool {
    Plan.lacksCamera(video, conditions)
  }

  private static func lacksCamera(_ video: Video, _ conditions: Conditions) -> Bool {
    video == .noCameraStill
      || video == .camera && conditions.showsGuests && isCameraMissing(conditions)
  }

  private static func isCameraMissing(_ conditions: Conditions) -> Bool {
    conditions.camera == .lost || conditions.camera == .opening && conditions.isReopening
  }

  /// This plan with `.none` in place of the camera's video and of audible audio; stills and silence stay. Used for a
  /// broadcast that is ending: its viewers must not get the video and audio of the next broadcast.
  public var withoutLiveInputs: Plan {
    var plan = self
    if video == .camera { plan.video = .none }
    if audio.isHeard { plan.audio = .none }
    return plan
  }

  /// This plan with further tracks silenced.
  public func silencing(_ tracks: SilencedTracks) -> Plan {
    guard case .tracks(let silenced) = audio else { return self }
    var plan = self
    plan.audio = .tracks(silenced: silenced.union(tracks))
    return plan
  }

  // In each of the following functions, the first condition that applies decides.

  /// What viewers see with this intent and these conditions.
  /// - Parameter picture: what they see in a pause, where it is possible.
  private static func video(
    _ intent: Intent, _ conditions: Conditions, _ picture: PausePlan.Picture
  ) -> Video {
    switch (intent.broadcast, conditions.camera, conditions.link) {
    case (.off, _, _): .none
    case (_, .unused, _): .none
    // After a start, a restart or a power cut, and after another still, there is no last frame.
    case (.paused, _, _) where picture == .last && conditions.hasLastFrame: .lastFrame
    // Without sound, servers would get nothing, and close the connection.
    case (.paused, _, _) where picture == .none && conditions.microphone != .unused: .soundOnly
    case (.paused, _, _): .pauseStill
    case (.live, _, _) where intent.isVideoOff: .videoOffStill
    case (.live, _, .poor): .poorNetworkStill
    // In the picture with guests, the still takes the camera's place alone.
    case (.live, _, _) where isCameraMissing(conditions) && !conditions.showsGuests: .noCameraStill
    case (.live, _, _): .camera
    }
  }

  /// What viewers hear. `pausedTracks`: the tracks that a pause silences.
  private static func audio(
    _ intent: Intent, _ conditions: Conditions, pausedTracks: SilencedTracks
  ) -> Audio {
    if intent.broadcast == .off || conditions.microphone == .unused { return .none }
    return .tracks(
      silenced: (intent.isSilent ? mutedTracks : .none)
        .union(intent.broadcast == .paused ? pausedTracks : .none))
  }

  /// The signal of the lamp, by priority: first the reasons why viewers see nothing, then a pause and failed inputs,
  /// then repairs, then the quality of the link, and last the relays and the sound.
  /// - Parameters:
  ///   - video: what viewers see. A still may stay for a moment after its reason has gone
  ///     (`Director.minimumChangeInterval`); the lamp does not show `live` meanwhile.
  ///   - isHeard: whether viewers should hear the microphone.
  static func lamp(
    _ intent: Intent, _ conditions: Conditions, video: Video, isHeard: Bool
  ) -> LampSignal {
    let repair = conditions.repair.map { LampSignal.fault(.repair($0)) }
    if intent.broadcast == .off { return repair ?? .offAir }
    if conditions.encoderFailed { return .fault(.encoder) }
    switch conditions.destination {
    case .refused: return .fault(.refusal)
    case .retrying: return .reconnecting
    case .connecting: return .starting
    case .unconfirmed: return .unconfirmed
    case .delivered: if !conditions.videoDelivered { return .unconfirmed }
    }
    if intent.broadcast == .paused { return .paused }
    if conditions.camera == .lost { return .noCamera }
    if lacksCamera(video, conditions) {
      return conditions.camera == .opening ? .unconfirmed : .noCamera
    }
    if conditions.microphone == .lost { return .fault(.microphone) }
    if let repair { return repair }
    if conditions.link != .good || video == .poorNetworkStill || conditions.relayFails
      || conditions.hasAudioAlarm
    {
      return .weak
    }
    return isHeard && conditions.microphone == .opening ? .unconfirmed : .live
  }

  /// All causes of a red lamp that follow from the intent and the conditions. The lamp shows only the worst cause; the
  /// status lists all causes.
  public static func causes(_ intent: Intent, _ conditions: Conditions) -> [LampCause] {
    let repair = conditions.repair.map { [LampCause.repair($0)] } ?? []
    if intent.broadcast == .off { return repair }
    let server: [LampCause] =
      switch conditions.destination {
      case .refused: [.refusal]
      case .retrying: [.server]
      case .connecting, .unconfirmed, .delivered: []
      }
    return (conditions.encoderFailed ? [.encoder] : []) + server
      + (conditions.camera == .lost ? [.camera] : [])
      + (conditions.microphone == .lost ? [.microphone] : []) + repair
  }
}
