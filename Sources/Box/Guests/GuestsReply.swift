// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Capture
internal import Figures
internal import Guests
internal import Settings

/// The guests, and the layout of camera and guests, as `GET /api/guests` writes them. The names of the fields are a
/// contract.
public struct GuestsReply: Codable, Sendable, Equatable {
  /// A guest of the settings.
  public struct Guest: Codable, Sendable, Equatable {
    public var name: String
    /// What viewers read of him.
    public var label: String
    /// "off" (switched off), "connecting" (he may come), "waiting" (he is there, and is not admitted), "on_air", "lost"
    /// (on air, but nothing comes) or "removed".
    public var state: String
    /// "fetch", or "send" for one who sends with a key.
    public var way: String
    /// Without user, password and path; empty for one who sends.
    public var url: String
    /// The UDP port at which he sends by SRT; 0 if he sends by RTMP alone.
    public var srtPort: Int
    public var enabled: Bool
    public var admit: String
    public var picture: Bool
    public var sound: Bool
    public var volume: Double
    public var mute: Bool
    public var fit: String
    public var mirror: Bool
    /// What is cut off, as the setting has it; empty for nothing.
    public var crop: String
    public var delayMs: Int
    /// Whether he is let in, now or as soon as he is there.
    public var admitted: Bool
    /// When he came: UTC in ISO 8601; `nil` while he is not there.
    public var since: String?
    /// What he sends; `nil` while nothing arrives.
    public var tracks: Tracks?
    /// The peak of his sound before his volume, in dBFS; `nil` while there is none, or if the caller may not hear him.
    public var levelDb: Double?
    /// Whether there is a frame of him that the caller may see.
    public var hasPicture: Bool
    /// Why nothing arrives, as a code for programs.
    public var cause: String?
    /// What is wrong, and what to do.
    public var sentence: String?
  }

  public struct Tracks: Codable, Sendable, Equatable {
    public struct Video: Codable, Sendable, Equatable {
      public var codec: String
      public var width: Int
      public var height: Int
      /// 0 if it is not known.
      public var fps: Double
    }

    public struct Audio: Codable, Sendable, Equatable {
      public var codec: String
      public var rate: Int
      public var channels: Int
    }

    public var video: Video?
    public var audio: Audio?
  }

  public struct Layout: Codable, Sendable, Equatable {
    public struct Pane: Codable, Sendable, Equatable {
      /// "host" or "guest:NAME".
      public var source: String
      public var x, y, width, height: Double
    }

    /// The layout, or "bypass" for the camera alone.
    public var present: String
    /// Who has chosen it: "automatic", "hand" or "task".
    public var origin: String
    public var choices: [String]
    /// From the lowest to the highest. Empty while the camera is alone.
    public var panes: [Pane]
  }

  /// The layout that a program has asked for.
  public struct Mix: Codable, Sendable, Equatable {
    public var id: String
    /// "bypass" or "mix".
    public var mode: String
    /// "host" or "guest:NAME".
    public var source: String
    /// `nil` for that of the settings.
    public var layout: String?
  }

  public var guests: [Guest]
  /// The address and port at which guests send; empty if nobody can.
  public var listen: String
  /// How many guests have a place on air.
  public var onAir: Int
  /// See `guests.most`.
  public var most: Int
  public var layout: Layout
  public var mix: Mix?
}

extension GuestsReply {
  /// The names of the fields of a guest, in snake_case, that are no settings.
  package static let readOnly: Set = [
    "state", "way", "admitted", "since", "tracks", "level_db", "has_picture", "cause", "sentence",
  ]

  /// - Parameter since: the time of day at which a guest came, as text.
  init(_ table: GuestTable, since: (MediaTime) -> String) {
    guests = table.settings.guests.map { own in
      Guest(own, table, since: table.arrivals[own.name].map(since))
    }
    listen = table.settings.allGuests.listen?.description ?? ""
    onAir = table.room.admitted.count
    most = table.room.rules.most
    layout = Layout(table)
    mix = table.layout.task.map(Mix.init)
  }
}

extension GuestsReply.Guest {
  /// Why a guest who sends cannot come.
  private static let noPlace = "Nobody can send to this box: set guests.listen."

  fileprivate init(_ own: GuestSettings, _ table: GuestTable, since: String?) {
    let line = table.line(of: own.name)
    (name, label, self.since) = (own.name, own.shownName, since)
    state = (table.room.state(of: own.name) ?? .connecting).word
    (way, url) = (own.url == nil ? "send" : "fetch", own.url?.description ?? "")
    srtPort = Int(own.srtPort ?? 0)
    (enabled, admit) = (own.enabled, own.admission.rawValue)
    admitted = table.room.isAdmitted(own.name)
    (picture, sound) = (own.takesPicture, own.takesSound)
    (volume, mute, delayMs) = (own.volume, own.isMuted, own.delayMs)
    (fit, mirror, crop) = (own.fit.rawValue, own.mirror, own.crop.text)
    tracks = line.tracks.map(GuestsReply.Tracks.init)
    hasPicture = false
    cause = line.offline?.fault?.code
    let canSend = own.url != nil || !own.enabled || table.settings.allGuests.listen != nil
    sentence = canSend ? line.offline?.sentence : Self.noPlace
  }

  /// The guest as a line for people.
  public var statusLine: String {
    let words =
      switch state {
      case "off": "switched off"
      case "waiting": "is there, and waits (onair guest admit \(name))"
      case "on_air": "on air"
      case "lost": "on air, but nothing arrives"
      case "removed": "removed (onair guest allow \(name))"
      default: "not there"
      }
    let video = tracks?.video.map { ", \($0.codec) \($0.width)x\($0.height)" } ?? ""
    let audio = tracks?.audio.map { ", \($0.codec)" } ?? ""
    let place = url.isEmpty ? "sends" : url
    return "\(name), \(place): \(words)\(video)\(audio)" + (sentence.map { " (\($0))" } ?? "")
  }
}

extension GuestsReply.Tracks {
  fileprivate init(_ tracks: Capture.GuestTracks) {
    video = tracks.video.map {
      Video(
        codec: $0.codec, width: $0.size.width, height: $0.size.height,
        fps: $0.frameRate.isFinite ? ($0.frameRate * 100).rounded() / 100 : 0)
    }
    audio = tracks.audio.map {
      Audio(codec: $0.codec, rate: $0.sampleRate, channels: $0.channels)
    }
  }
}

extension GuestsReply.Layout {
  fileprivate init(_ table: GuestTable) {
    present = table.programme.text
    origin = table.layout.origin.code
    choices = LayoutSettings.presets + table.settings.layouts.map(\.name)
    panes = table.panes.map { pane in
      Pane(
        source: pane.source.text, x: pane.area.x, y: pane.area.y, width: pane.area.width,
        height: pane.area.height)
    }
  }

  /// The layout as a line for people.
  public var words: String {
    let shown = present == "bypass" ? "the camera alone" : present
    return origin == "automatic"
      ? shown : "\(shown), chosen by \(origin == "hand" ? "hand" : "a program")"
  }
}

extension GuestsReply.Mix {
  init(_ task: MixTask) {
    (id, mode, source) = (task.id, task.mode.rawValue, task.source.text)
    layout = task.layout?.text
  }
}

extension Status.Guests {
  init(_ table: GuestTable) {
    layout = table.programme.text
    mode = if case .bypass = table.programme { "bypass" } else { "mix" }
    guests = table.room.states.map { Guest(name: $0.name, state: $0.state.word) }
  }

  /// The guests who are there, for people; `nil` if none is.
  var words: String? {
    let there = guests.compactMap { guest -> String? in
      switch guest.state {
      case "waiting": "\(guest.name) waits"
      case "on_air": "\(guest.name) is on air"
      case "lost": "\(guest.name) is on air, but nothing arrives"
      default: nil
      }
    }
    return there.isEmpty ? nil : there.joined(separator: ", ")
  }
}

extension GuestRoom.State {
  /// The state as a code for programs.
  var word: String {
    switch self {
    case .disabled: "off"
    case .connecting: "connecting"
    case .waiting: "waiting"
    case .onAir: "on_air"
    case .lost: "lost"
    case .removed: "removed"
    }
  }
}

extension PaneSource {
  /// The source as programs write it: "host" or "guest:NAME".
  var text: String {
    switch self {
    case .host: "host"
    case .guest(let name): "guest:\(name)"
    }
  }

  init?(_ text: String) {
    if text == "host" {
      self = .host
    } else if text.hasPrefix("guest:") {
      self = .guest(String(text.dropFirst("guest:".count)))
    } else {
      return nil
    }
  }
}
