// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Guests

/// A waiting room on a virtual clock, with its events as texts: "ann offline quit 12" after 12 seconds.
struct WaitingRoom {
  private(set) var room: GuestRoom
  private(set) var rules: GuestRules
  private(set) var seconds: Int64 = 0

  /// - Parameter auto: those of the guests who are admitted by themselves.
  init(
    _ names: [String] = ["ann", "bob", "cid", "dan"], auto: Set<String> = [], most: Int = 3,
    admitted: [String] = [], hidden: Set<String> = [], removed: Set<String> = []
  ) {
    rules = GuestRules(
      names.map { GuestRules.Guest($0, isAdmittedByItself: auto.contains($0)) }, most: most)
    room = GuestRoom(
      rules, admitted: admitted, hidden: hidden, removed: removed, at: MediaTime(nanos: 0))
  }

  var now: MediaTime { MediaTime(nanos: .seconds(seconds)) }
  /// Those who have a pane; "ann*" for a card in place of the picture.
  var shown: [String] { room.shown(at: now).map { $0.isCard ? "\($0.name)*" : $0.name } }
  /// Those who can be heard.
  var heard: [String] { room.shown(at: now).filter(\.hasSound).map(\.name) }

  func state(_ name: String) -> GuestRoom.State? { room.state(of: name) }

  mutating func wait(_ time: Int64) -> [String] {
    seconds += time
    return texts(room.advance(to: now))
  }

  mutating func note(_ report: GuestArrival, _ name: String = "ann") -> [String] {
    texts(room.note(report, of: name, at: now))
  }

  mutating func come(_ name: String = "ann") -> [String] { note(.online(ArrivingTracks()), name) }

  /// Reports that the tracks have stalled at this moment, or those that have not.
  mutating func stall(_ name: String = "ann", picture: Bool = true, sound: Bool = true) -> [String]
  {
    note(
      .online(
        ArrivingTracks(
          picture: picture ? .stalled(since: now) : .arriving,
          sound: sound ? .stalled(since: now) : .arriving)), name)
  }

  mutating func admit(_ name: String = "ann") throws -> [String] {
    texts(try room.admit(name, at: now))
  }

  mutating func hide(_ name: String = "ann") throws -> [String] {
    texts(try room.hide(name, at: now))
  }

  mutating func remove(_ name: String = "ann") throws -> [String] {
    texts(try room.remove(name, at: now))
  }

  mutating func allow(_ name: String = "ann") throws { try room.allow(name, at: now) }

  mutating func endBroadcast() -> [String] { texts(room.endBroadcast(at: now)) }

  mutating func change(_ edit: (inout GuestRules) -> Void) -> [String] {
    edit(&rules)
    return texts(room.follow(rules, at: now))
  }

  mutating func change(
    _ name: String, _ edit: (inout GuestRules.Guest) -> Void
  ) -> [String] {
    change { rules in
      for index in rules.guests.indices where rules.guests[index].name == name {
        edit(&rules.guests[index])
      }
    }
  }

  /// Lets a guest come and be admitted.
  mutating func putOnAir(_ names: String...) throws {
    for name in names {
      _ = come(name)
      _ = try admit(name)
    }
  }

  private func texts(_ events: [GuestEvent]) -> [String] {
    events.map { event in
      let what =
        switch event.kind {
        case .waiting: "waiting"
        case .online: "online"
        case .tracks(let picture, let sound):
          "tracks \(picture ? "picture" : "-") \(sound ? "sound" : "-")"
        case .offline(let cause): "offline \(cause)"
        }
      return "\(event.guest) \(what) \(event.elapsedNanos / 1_000_000_000)"
    }
  }
}
