// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Guests
import Testing

/// Holds `GuestRoom` to the table "Who is on air" in Sources/Guests/README.md: guests who come, go and are lost.
@Suite struct GuestRoomTests {
  @Test("A guest waits from the moment anything of him arrives")
  func comes() {
    var room = WaitingRoom()
    #expect(room.state("ann") == .connecting)
    _ = room.wait(3)
    #expect(room.stall() == [])
    #expect(room.state("ann") == .connecting)
    #expect(room.come() == ["ann waiting 3", "ann tracks picture sound 0"])
    #expect(room.state("ann") == .waiting)
    #expect(room.shown == [])
    #expect(room.come() == [])
    #expect(room.come("nobody") == [])
    #expect(room.wait(100) == [])
  }

  @Test("With admit auto he is on air, or as soon as a place is free: whoever came first")
  func comesByHimself() throws {
    var room = WaitingRoom(auto: ["ann", "bob", "cid"], most: 1)
    #expect(room.come("bob") == ["bob online 0", "bob tracks picture sound 0"])
    _ = room.wait(1)
    #expect(room.come("cid") == ["cid waiting 1", "cid tracks picture sound 0"])
    _ = room.wait(1)
    #expect(room.come("ann") == ["ann waiting 2", "ann tracks picture sound 0"])
    _ = room.wait(1)
    #expect(room.note(.quit, "bob") == ["bob offline quit 3", "cid online 2"])
    #expect(room.shown == ["cid"])
    #expect(try room.remove("cid") == ["cid offline removed 2", "ann online 1"])
    #expect(room.shown == ["ann"])
  }

  @Test("Those who are admitted are on air in this order")
  func admitted() throws {
    var room = WaitingRoom()
    _ = room.come("ann")
    _ = room.come("bob")
    _ = room.wait(5)
    #expect(try room.admit("bob") == ["bob online 5"])
    #expect(try room.admit("ann") == ["ann online 5"])
    #expect(try room.admit("ann") == [])
    #expect(room.shown == ["bob", "ann"])
    #expect(room.state("ann") == .onAir)
  }

  @Test("Admitted while connecting, he is on air as soon as he comes, and has a place until then")
  func admittedBefore() throws {
    var room = WaitingRoom(most: 1)
    #expect(try room.admit("ann") == [])
    #expect(room.room.isAdmitted("ann"))
    #expect(room.state("ann") == .connecting)
    #expect(room.shown == [])
    #expect(throws: GuestRefusal.full(most: 1)) { try room.admit("bob") }
    _ = room.wait(60)
    // An attempt that fails is no visit.
    #expect(room.note(.dropped) + room.note(.quit) + room.note(.replaced) == [])
    #expect(room.come() == ["ann online 60", "ann tracks picture sound 0"])
    // It can be taken back.
    #expect(try room.hide() == ["ann waiting 0"])
    #expect(try room.admit("bob") == [])
    #expect(try room.hide("bob") == [])
    #expect(!room.room.isAdmitted("bob"))
  }

  @Test("Hidden, he waits, and is not admitted by himself")
  func hidden() throws {
    var room = WaitingRoom(auto: ["bob"])
    try room.putOnAir("ann")
    _ = room.come("bob")
    _ = room.wait(4)
    #expect(try room.hide("ann") == ["ann waiting 4"])
    #expect(try room.hide("bob") == ["bob waiting 4"])
    #expect(try room.hide("bob") == [])
    #expect(room.shown == [])
    #expect(room.wait(10) == [])
    _ = room.note(.dropped, "bob")
    #expect(room.come("bob").first == "bob waiting 0")
    #expect(try room.admit("bob") == ["bob online 0"])
    // From then on, he is one who is admitted by himself again.
    _ = room.note(.quit, "bob")
    #expect(room.come("bob").first == "bob online 0")
    // One whose connection has broken is gone.
    _ = room.note(.dropped, "bob")
    _ = room.wait(1)
    #expect(try room.hide("bob") == ["bob offline dropped 0"])
  }

  @Test("He quits: gone at once, and waits when he comes again")
  func quits() throws {
    var room = WaitingRoom()
    try room.putOnAir("ann")
    _ = room.wait(20)
    #expect(room.note(.quit) == ["ann offline quit 20"])
    #expect(room.shown == [])
    #expect(room.state("ann") == .connecting)
    #expect(room.note(.quit) == [])
    _ = room.wait(2)
    #expect(room.come() == ["ann waiting 2", "ann tracks picture sound 0"])
    #expect(room.note(.quit) == ["ann offline quit 0"])
  }

  @Test("He drops on air: last picture, after 2 s his card, after lost_seconds gone")
  func drops() throws {
    var room = WaitingRoom()
    try room.putOnAir("ann", "bob")
    _ = room.wait(5)
    #expect(room.note(.dropped) == ["ann tracks - - 5"])
    #expect(room.state("ann") == .lost(since: room.now))
    #expect(room.shown == ["ann", "bob"])
    _ = room.wait(1)
    #expect(room.note(.dropped) == [])
    #expect(room.shown == ["ann", "bob"])
    _ = room.wait(1)
    #expect(room.shown == ["ann*", "bob"])
    #expect(room.wait(7) == [])
    #expect(room.shown == ["ann*", "bob"])
    // He was there for the five seconds before.
    #expect(room.wait(1) == ["ann offline dropped 5"])
    #expect(room.shown == ["bob"])
    #expect(room.state("ann") == .connecting)
  }

  @Test("He drops while he waits: gone at once")
  func dropsWaiting() {
    var room = WaitingRoom()
    _ = room.come()
    _ = room.wait(2)
    #expect(room.note(.dropped) == ["ann offline dropped 2"])
    #expect(room.state("ann") == .connecting)
  }

  @Test("He stalls: as if dropped, but not while his sound arrives")
  func stalls() throws {
    var room = WaitingRoom()
    try room.putOnAir("ann", "bob")
    #expect(room.stall("bob", sound: false) == ["bob tracks - sound 0"])
    #expect(room.stall("ann") == ["ann tracks - - 0"])
    #expect(room.state("ann") == .lost(since: room.now))
    _ = room.wait(2)
    #expect(room.shown == ["ann*", "bob*"])
    #expect(room.wait(7) == [])
    #expect(room.wait(1) == ["ann offline dropped 0"])
    #expect(room.wait(1_000) == [])
    #expect(room.shown == ["bob*"])
    #expect(room.state("bob") == .onAir)
    // The one who has stalled for too long is still connected: he comes anew.
    #expect(room.stall("ann") == [])
    #expect(room.come("ann") == ["ann waiting 1000", "ann tracks picture sound 0"])
    // Lost since the last of his tracks stalled, also if the connection breaks later.
    let tracks = ArrivingTracks(
      picture: .stalled(since: room.now - .seconds(60)), sound: .stalled(since: room.now))
    var other = room
    _ = other.note(.online(tracks), "bob")
    #expect(other.state("bob") == .lost(since: room.now))
    #expect(room.stall("bob", sound: true) == ["bob tracks - - 1010"])
    _ = room.wait(5)
    #expect(room.note(.dropped, "bob") == [])
    #expect(room.wait(4) == [])
    #expect(room.wait(1) == ["bob offline dropped 1010"])
  }

  @Test("Admitted while he stalls, he is lost from then on")
  func admittedStalling() throws {
    var room = WaitingRoom()
    _ = room.come()
    #expect(room.stall() == ["ann tracks - - 0"])
    #expect(room.wait(60) == [])
    #expect(room.state("ann") == .waiting)
    #expect(try room.admit() == ["ann online 60"])
    #expect(room.shown == ["ann*"])
    #expect(room.state("ann") == .lost(since: room.now))
    #expect(room.wait(9) == [])
    #expect(room.wait(1) == ["ann offline dropped 60"])
  }

  @Test("Back within lost_seconds, he is in the same place")
  func back() throws {
    var room = WaitingRoom()
    try room.putOnAir("ann", "bob")
    _ = room.note(.dropped)
    _ = room.wait(9)
    #expect(room.come() == ["ann tracks picture sound 9"])
    #expect(room.state("ann") == .onAir)
    #expect(room.shown == ["ann", "bob"])
    #expect(room.wait(9) == [])
    // The count begins anew.
    _ = room.stall()
    #expect(room.wait(9) == [])
    #expect(room.come() == ["ann tracks picture sound 27"])
    // A new connection over which nothing comes is not back.
    _ = room.note(.dropped)
    _ = room.wait(5)
    #expect(room.stall() == [])
    #expect(room.wait(5) == ["ann offline dropped 27"])
  }

  @Test("Back later, he waits; with admit auto, he is on air")
  func backLater() throws {
    var room = WaitingRoom(auto: ["bob"])
    try room.putOnAir("ann", "bob")
    _ = room.note(.dropped, "ann")
    _ = room.note(.dropped, "bob")
    _ = room.wait(8)
    // Nobody has let the time pass: the return comes after the time was over.
    var late = room
    #expect(late.wait(2).count == 2)
    #expect(late.come("ann") == ["ann waiting 0", "ann tracks picture sound 0"])
    #expect(late.come("bob") == ["bob online 0", "bob tracks picture sound 0"])
    #expect(late.shown == ["bob"])
  }

  @Test(
    "A return that is noted after the time was over is a new visit, also if no time was passed in between"
  )
  func lateReport() throws {
    var room = GuestRoom(GuestRules([GuestRules.Guest("ann")]), at: MediaTime(nanos: 0))
    let start = MediaTime(nanos: 0)
    _ = room.note(.online(ArrivingTracks()), of: "ann", at: start)
    _ = try room.admit("ann", at: start)
    _ = room.note(.dropped, of: "ann", at: start)
    let events = room.note(.online(ArrivingTracks()), of: "ann", at: start + .seconds(10))
    #expect(
      events.map(\.kind) == [.offline(.dropped), .waiting, .tracks(picture: true, sound: true)])
  }
}
