// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Guests
import Testing

/// Holds `GuestRoom` to the table "Who is on air" in Sources/Guests/README.md: what persons and settings do.
@Suite struct GuestRoomRequestTests {
  @Test("Removed, he is gone at once, does not come back, and cannot be admitted")
  func removed() throws {
    var room = WaitingRoom(auto: ["bob"])
    try room.putOnAir("ann", "bob")
    _ = room.wait(3)
    #expect(try room.remove("ann") == ["ann offline removed 3"])
    #expect(try room.remove("bob") == ["bob offline removed 3"])
    #expect(room.shown == [])
    #expect(room.state("ann") == .removed)
    for name in ["ann", "bob"] {
      #expect(room.come(name) + room.note(.replaced, name) + room.note(.quit, name) == [])
      #expect(throws: GuestRefusal.removed(name)) { try room.admit(name) }
      #expect(try room.remove(name) == [])
    }
    #expect(room.shown == [])
    #expect(room.room.removed == ["ann", "bob"])
    #expect(throws: GuestRefusal.noGuest("eve")) { try room.remove("eve") }
    #expect(throws: GuestRefusal.noGuest("eve")) { try room.admit("eve") }
    #expect(throws: GuestRefusal.noGuest("eve")) { try room.hide("eve") }
    #expect(throws: GuestRefusal.noGuest("eve")) { try room.allow("eve") }
  }

  @Test("Allowed again, he may come and waits; with admit auto, he is on air")
  func allowed() throws {
    var room = WaitingRoom(auto: ["bob"])
    try room.putOnAir("ann", "bob")
    _ = try room.hide("bob")
    _ = try room.remove("ann")
    _ = try room.remove("bob")
    _ = room.wait(100)
    try room.allow("ann")
    try room.allow("bob")
    try room.allow("cid")
    #expect(room.state("ann") == .connecting)
    #expect(!room.room.isAdmitted("ann"))
    _ = room.wait(2)
    #expect(room.come("ann") == ["ann waiting 2", "ann tracks picture sound 0"])
    #expect(room.come("bob") == ["bob online 2", "bob tracks picture sound 0"])
    #expect(room.room.removed == [])
  }

  @Test("A second connection replaces his on air: he keeps his place")
  func replaced() throws {
    var room = WaitingRoom(most: 2)
    try room.putOnAir("ann", "bob")
    _ = room.wait(30)
    #expect(room.note(.replaced) == ["ann offline replaced 30"])
    #expect(room.shown == ["ann", "bob"])
    #expect(room.state("ann") == .lost(since: room.now))
    #expect(throws: GuestRefusal.full(most: 2)) { try room.admit("cid") }
    _ = room.wait(1)
    #expect(room.stall() == [])
    _ = room.wait(1)
    #expect(room.shown == ["ann*", "bob"])
    #expect(room.come() == ["ann online 2", "ann tracks picture sound 0"])
    #expect(room.shown == ["ann", "bob"])
    // The next one delivers nothing. It was told that he is gone.
    #expect(room.note(.replaced) == ["ann offline replaced 0"])
    #expect(room.wait(9) == [])
    #expect(room.shown == ["ann*", "bob"])
    #expect(room.wait(1) == [])
    #expect(room.shown == ["bob"])
    #expect(room.come().first == "ann waiting 0")
  }

  @Test("A second connection replaces his while he waits: he waits anew")
  func replacedWaiting() throws {
    var room = WaitingRoom()
    _ = room.come()
    _ = room.wait(2)
    #expect(room.note(.replaced) == ["ann offline replaced 2"])
    #expect(room.state("ann") == .connecting)
    #expect(room.come() == ["ann waiting 0", "ann tracks picture sound 0"])
    // Removed between the two, he is not back.
    _ = try room.admit()
    _ = room.note(.replaced)
    #expect(try room.remove() == [])
    #expect(room.shown == [])
    #expect(room.come() == [])
  }

  @Test("Picture or sound switched off and on: card or silence, and he stays on air")
  func switchedOff() throws {
    var room = WaitingRoom()
    try room.putOnAir("ann")
    #expect(room.change("ann") { $0.takesPicture = false } == [])
    #expect(room.shown == ["ann*"])
    #expect(room.heard == ["ann"])
    #expect(room.change("ann") { ($0.takesPicture, $0.takesSound) = (true, false) } == [])
    #expect(room.shown == ["ann"])
    #expect(room.heard == [])
    #expect(room.state("ann") == .onAir)
    // What is not taken does not count: without a picture he is lost, although his sound arrives.
    #expect(room.stall(sound: false) == ["ann tracks - sound 0"])
    #expect(room.state("ann") == .lost(since: room.now))
    #expect(room.wait(10) == ["ann offline dropped 0"])
  }

  @Test("A track that stalled long ago counts from the moment from which nothing else is taken")
  func switchedOffLate() throws {
    var room = WaitingRoom()
    try room.putOnAir("ann")
    _ = room.stall(sound: false)
    _ = room.wait(60)
    #expect(room.change("ann") { $0.takesSound = false } == [])
    #expect(room.wait(9) == [])
    #expect(room.change("ann") { $0.takesSound = true } == [])
    #expect(room.wait(60) == [])
    #expect(room.shown == ["ann*"])
  }

  @Test("Sound alone: his card; neither: no pane, but his place")
  func soundAlone() throws {
    var room = WaitingRoom(most: 1)
    #expect(
      room.note(.online(ArrivingTracks(picture: .none))) == [
        "ann waiting 0", "ann tracks - sound 0",
      ])
    _ = try room.admit()
    #expect(room.shown == ["ann*"])
    #expect(room.heard == ["ann"])
    #expect(room.note(.online(ArrivingTracks(sound: .none))) == ["ann tracks picture - 0"])
    #expect(room.shown == ["ann"])
    #expect(room.heard == [])
    #expect(
      room.note(.online(ArrivingTracks(picture: .none, sound: .none))) == ["ann tracks - - 0"])
    #expect(room.shown == [])
    #expect(room.wait(1_000) == [])
    #expect(room.state("ann") == .onAir)
    #expect(throws: GuestRefusal.full(most: 1)) { try room.admit("bob") }
    #expect(room.come() == ["ann tracks picture sound 1000"])
    #expect(room.shown == ["ann"])
    // Neither is taken.
    _ = room.change("ann") { ($0.takesPicture, $0.takesSound) = (false, false) }
    #expect(room.shown == [])
    #expect(room.state("ann") == .onAir)
    // Then the connection alone counts.
    #expect(room.stall() == ["ann tracks - - 1000"])
    #expect(room.wait(60) == [])
    _ = room.note(.dropped)
    #expect(room.state("ann") == .lost(since: room.now))
    #expect(room.wait(10) == ["ann offline dropped 1060"])
  }

  @Test("More than guests.most are refused with a sentence, also by those who are lost or to come")
  func most() throws {
    var room = WaitingRoom()
    try room.putOnAir("ann", "bob")
    _ = try room.admit("cid")
    _ = room.note(.dropped, "ann")
    _ = room.come("dan")
    let refusal = #expect(throws: GuestRefusal.self) { try room.admit("dan") }
    #expect(
      refusal?.sentence
        == "There is room for 3 guests on air: hide or remove one first, or raise guests.most.")
    #expect(room.state("dan") == .waiting)
    // One who has a place is not refused.
    #expect(try room.admit("ann") == [])
    _ = room.note(.quit, "ann")
    #expect(try room.admit("dan") == ["dan online 0"])
  }

  @Test("guests.most lowered: nobody goes, and none is admitted until there is room")
  func lowered() throws {
    var room = WaitingRoom()
    try room.putOnAir("ann", "bob", "cid")
    #expect(room.change { $0.most = 1 } == [])
    #expect(room.shown == ["ann", "bob", "cid"])
    _ = room.come("dan")
    _ = try room.remove("ann")
    _ = try room.remove("bob")
    #expect(throws: GuestRefusal.full(most: 1)) { try room.admit("dan") }
    _ = try room.remove("cid")
    #expect(try room.admit("dan") == ["dan online 0"])
  }

  @Test("lost_seconds shortened counts at once")
  func shortened() throws {
    var room = WaitingRoom()
    try room.putOnAir("ann")
    _ = room.note(.dropped)
    _ = room.wait(4)
    #expect(room.change { $0.lostSeconds = 4 } == ["ann offline dropped 0"])
    _ = room.change { $0.lostSeconds = 0 }
    try room.putOnAir("ann")
    #expect(room.note(.dropped) == ["ann tracks - - 0", "ann offline dropped 0"])
  }

  @Test(
    "The settings take him out, disable him or change his address: gone, and whoever comes waits")
  func settings() throws {
    let edits: [(inout GuestRules) -> Void] = [
      { $0.guests.removeFirst() }, { $0.guests[0].isEnabled = false }, { $0.guests[0].line += 1 },
    ]
    for edit in edits {
      var room = WaitingRoom(auto: ["bob"])
      let rules = room.rules
      try room.putOnAir("ann", "bob")
      _ = room.wait(7)
      #expect(room.change(edit) == ["ann offline removed 7"])
      #expect(room.shown == ["bob"])
      #expect(room.state("bob") == .onAir)
      _ = room.change { $0 = rules }
      _ = room.wait(2)
      #expect(room.come() == ["ann waiting 2", "ann tracks picture sound 0"])
      // One who is admitted but not there loses his place, too.
      _ = room.note(.quit)
      _ = try room.admit()
      #expect(room.change(edit) == [])
      _ = room.change { $0 = rules }
      #expect(room.come().first == "ann waiting 0")
    }
  }

  @Test("A disabled guest is not there, and a removal outlasts all but the end of his entry")
  func removalStays() throws {
    var room = WaitingRoom()
    let rules = room.rules
    _ = room.change("ann") { $0.isEnabled = false }
    #expect(room.state("ann") == .disabled)
    #expect(room.come() == [])
    #expect(throws: GuestRefusal.disabled("ann")) { try room.admit() }
    _ = room.wait(100)
    _ = room.change { $0 = rules }
    _ = room.wait(2)
    #expect(room.come().first == "ann waiting 2")
    _ = try room.remove()
    _ = room.change("ann") { $0.isEnabled = false }
    _ = room.change("ann") { ($0.isEnabled, $0.line) = (true, 1) }
    #expect(room.state("ann") == .removed)
    _ = room.change { $0.guests.removeFirst() }
    #expect(room.state("ann") == nil)
    _ = room.change { $0 = rules }
    #expect(room.state("ann") == .connecting)
  }

  @Test("admit becomes auto: who waits is on air; it becomes hand: who is on air stays")
  func admitChanges() throws {
    var room = WaitingRoom()
    _ = room.come()
    _ = room.wait(3)
    #expect(room.change("ann") { $0.isAdmittedByItself = true } == ["ann online 3"])
    #expect(room.change("ann") { $0.isAdmittedByItself = false } == [])
    #expect(room.shown == ["ann"])
  }

  @Test("The broadcast ends: who was admitted by hand waits, and who is admitted off air stays")
  func broadcastEnds() throws {
    var room = WaitingRoom(auto: ["dan"], most: 4)
    try room.putOnAir("ann", "bob", "dan")
    _ = try room.admit("cid")
    _ = room.note(.dropped, "bob")
    _ = room.wait(3)
    #expect(room.endBroadcast() == ["ann waiting 3", "bob offline dropped 0"])
    #expect(room.shown == ["dan"])
    #expect(!room.room.isAdmitted("cid"))
    #expect(try room.admit("ann") == ["ann online 3"])
    #expect(room.wait(100) == [])
    #expect(room.shown == ["dan", "ann"])
  }

  @Test("The program restarts: who was removed stays removed")
  func restarts() throws {
    var room = WaitingRoom(removed: ["ann"])
    #expect(room.state("ann") == .removed)
    #expect(room.come() == [])
    #expect(room.come("bob").first == "bob waiting 0")
    #expect(room.room.states.map(\.name) == ["ann", "bob", "cid", "dan"])
    #expect(room.room.states.map(\.state) == [.removed, .waiting, .connecting, .connecting])
  }

  @Test("The program restarts during a broadcast: who was admitted is on air as soon as he comes")
  func restartsDuringABroadcast() throws {
    var room = WaitingRoom(
      auto: ["dan"], most: 2, admitted: ["bob", "ann", "bob", "nobody", "cid"], hidden: ["dan"],
      removed: ["ann"])
    #expect(room.room.admitted == ["bob", "cid"])
    #expect(room.come("bob").first == "bob online 0")
    #expect(room.come("dan").first == "dan waiting 0")
    #expect(room.shown == ["bob"])
    #expect(room.room.hidden == ["dan"] && room.room.removed == ["ann"])
  }
}
