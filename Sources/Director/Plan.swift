// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What the box does now.
public struct Plan: Equatable, Sendable {
  /// What viewers see.
  public enum Video: String, Sendable, CaseIterable {
    /// No videoRows are sent.
    case none
    case camera
    case pauseStill = "pause_still"
    case noCameraStill = "no_camera_still"
    case poorNetworkStill = "poor_network_still"
  }

  /// What viewers hear. A microphone that gives nothing is silent without a plan.
  public enum Audio: String, Sendable, CaseIterable {
    /// No sound is sent.
    case none
    case microphone
    case silence
  }

  public var video: Video
  public var audio: Audio
  public var lamp: LampPattern

  /// Whether devices are open and servers are fed.
  public var isOnAir: Bool { video != .none || audio != .none }
}

/// What follows from what is wanted and how things are. In each table the first row that fits holds,
/// and `nil` fits everything.
enum PlanTable {
  struct PictureRow {
    var wanted: Intent.Broadcast?
    var camera: Conditions.Input?
    var link: Conditions.Link?
    var picture: Plan.Video

    init(
      _ wanted: Intent.Broadcast?, _ camera: Conditions.Input?, _ link: Conditions.Link?,
      _ picture: Plan.Video
    ) {
      self.wanted = wanted
      self.camera = camera
      self.link = link
      self.picture = picture
    }
  }

  struct SoundRow {
    var wanted: Intent.Broadcast?
    var microphone: Conditions.Input?
    var isMuted: Bool?
    /// `pause.sound` is "keep".
    var keepsSound: Bool?
    var sound: Plan.Audio

    init(
      _ wanted: Intent.Broadcast?, _ microphone: Conditions.Input?, _ isMuted: Bool?,
      _ keepsSound: Bool?, _ sound: Plan.Audio
    ) {
      self.wanted = wanted
      self.microphone = microphone
      self.isMuted = isMuted
      self.keepsSound = keepsSound
      self.sound = sound
    }
  }

  struct LampRow {
    var wanted: Intent.Broadcast?
    var encoderFailed: Bool?
    var destination: Conditions.Destination?
    var videoDelivered: Bool?
    var camera: Conditions.Input?
    var microphone: Conditions.Input?
    var link: Conditions.Link?
    var lamp: LampPattern

    init(
      _ wanted: Intent.Broadcast?, _ encoderFailed: Bool?,
      _ destination: Conditions.Destination?, _ videoDelivered: Bool?,
      _ camera: Conditions.Input?, _ microphone: Conditions.Input?, _ link: Conditions.Link?,
      _ lamp: LampPattern
    ) {
      self.wanted = wanted
      self.encoderFailed = encoderFailed
      self.destination = destination
      self.videoDelivered = videoDelivered
      self.camera = camera
      self.microphone = microphone
      self.link = link
      self.lamp = lamp
    }
  }

  // swift-format-ignore
  static let videoRows: [PictureRow] = [
    //         wanted   camera   link   → picture
    PictureRow(.off,    nil,     nil,   .none),
    PictureRow(nil,     .unused, nil,   .none),
    PictureRow(.paused, nil,     nil,   .pauseStill),
    PictureRow(.live,   nil,     .poor, .poorNetworkStill),
    PictureRow(.live,   .lost,   nil,   .noCameraStill),
    PictureRow(.live,   nil,     nil,   .camera),
  ]

  // swift-format-ignore
  static let audioRows: [SoundRow] = [
    //       wanted   microphone muted  keep  → sound
    SoundRow(.off,    nil,       nil,   nil,  .none),
    SoundRow(nil,     .unused,   nil,   nil,  .none),
    SoundRow(nil,     nil,       true,  nil,  .silence),
    SoundRow(.paused, nil,       nil,   true, .microphone),
    SoundRow(.paused, nil,       nil,   nil,  .silence),
    SoundRow(.live,   nil,       nil,   nil,  .microphone),
  ]

  // What keeps viewers from seeing anything comes first, then what they see, then how well.
  // swift-format-ignore
  static let lamps: [LampRow] = [
    //      wanted   encoder destination   there   camera microphone link → lamp
    //               failed
    LampRow(.off,    nil,    nil,          nil,    nil,   nil,       nil,   .offAir),
    LampRow(nil,     true,   nil,          nil,    nil,   nil,       nil,   .fault),
    LampRow(nil,     nil,    .refused,     nil,    nil,   nil,       nil,   .fault),
    LampRow(nil,     nil,    .retrying,    nil,    nil,   nil,       nil,   .reconnecting),
    LampRow(nil,     nil,    .connecting,  nil,    nil,   nil,       nil,   .starting),
    LampRow(nil,     nil,    .unconfirmed, nil,    nil,   nil,       nil,   .unconfirmed),
    LampRow(nil,     nil,    nil,          false,  nil,   nil,       nil,   .unconfirmed),
    LampRow(.paused, nil,    nil,          nil,    nil,   nil,       nil,   .paused),
    LampRow(nil,     nil,    nil,          nil,    .lost, nil,       nil,   .noCamera),
    LampRow(nil,     nil,    nil,          nil,    nil,   .lost,     nil,   .fault),
    LampRow(nil,     nil,    nil,          nil,    nil,   nil,       .poor, .weak),
    LampRow(nil,     nil,    nil,          nil,    nil,   nil,       .weak, .weak),
    LampRow(nil,     nil,    nil,          nil,    nil,   nil,       nil,   .live),
  ]

  static func video(_ intent: Intent, _ conditions: Conditions) -> Plan.Video {
    videoRows.first { fits($0, intent, conditions) }?.picture ?? .pauseStill
  }

  static func audio(_ intent: Intent, _ conditions: Conditions, keepsSound: Bool) -> Plan.Audio {
    audioRows.first { fits($0, intent, conditions, keepsSound) }?.sound ?? .silence
  }

  static func lamp(_ intent: Intent, _ conditions: Conditions) -> LampPattern {
    lamps.first { fits($0, intent, conditions) }?.lamp ?? .fault
  }

  static func fits(_ row: PictureRow, _ intent: Intent, _ conditions: Conditions) -> Bool {
    fits(row.wanted, intent.broadcast) && fits(row.camera, conditions.camera)
      && fits(row.link, conditions.link)
  }

  static func fits(
    _ row: SoundRow, _ intent: Intent, _ conditions: Conditions, _ keepsSound: Bool
  ) -> Bool {
    fits(row.wanted, intent.broadcast) && fits(row.microphone, conditions.microphone)
      && fits(row.isMuted, intent.isMuted) && fits(row.keepsSound, keepsSound)
  }

  static func fits(_ row: LampRow, _ intent: Intent, _ conditions: Conditions) -> Bool {
    fits(row.wanted, intent.broadcast) && fits(row.encoderFailed, conditions.encoderFailed)
      && fits(row.destination, conditions.destination)
      && fits(row.videoDelivered, conditions.videoDelivered)
      && fits(row.camera, conditions.camera) && fits(row.microphone, conditions.microphone)
      && fits(row.link, conditions.link)
  }

  private static func fits<Value: Equatable>(_ row: Value?, _ value: Value) -> Bool {
    row.map { $0 == value } ?? true
  }
}
