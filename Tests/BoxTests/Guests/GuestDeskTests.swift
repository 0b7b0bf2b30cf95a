// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Capture
import Guests
import Logging
import Posix
import Settings
import Studio
import Synchronization
import TestSupport
import Testing

@testable import Box
@testable import Events

/// The guests of a box whose readers are the test, on a virtual clock.
private final class Desk {
  /// Notes what the studio is told.
  private final class Stage: GuestStage, Sendable {
    struct Told {
      var requests: [GuestRequest] = []
      var scene = GuestScene()
      var scenes = 0
    }

    let told = Mutex(Told())
    func read(guests: [GuestRequest]) { told.withLock { $0.requests = guests } }
    func show(guests: GuestScene) {
      told.withLock { ($0.scene, $0.scenes) = (guests, $0.scenes + 1) }
    }
  }

  let time = VirtualClock()
  let directory: String
  let desk: GuestDesk
  private let stage = Stage()
  private let events: EventLog
  private let jobs = JobThread(name: "test", urgency: .ordinary, mostWaiting: 64)
  var audience = GuestTable.Audience.live
  var lacksCamera = false

  static let ann = ["guest.ann.url=rtsp://192.0.2.1/a", "guest.ann.label=Anna"]
  static let bob = ["guest.bob.url=rtsp://192.0.2.2/b"]

  init(_ settings: [String] = ann + bob, in directory: String? = nil, goesOn: Bool = false) throws {
    self.directory = directory ?? stateDirectory()
    events = EventLog(
      log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, before: 0, clock: time.clock)
    desk = GuestDesk(
      try Desk.read(settings, self.directory), goesOn: goesOn, directory: self.directory,
      events: events, jobs: jobs)
    step()
  }

  private static func read(_ settings: [String], _ directory: String) throws -> Settings {
    try Configuration.load(
      file: nil, overrides: ["state.directory=\(directory)"] + settings, environment: [:]
    ).settings
  }

  func change(_ settings: [String]) throws {
    desk.change(try Desk.read(settings, directory))
    step()
  }

  /// Lets time pass, as the station does.
  func step(_ seconds: Int64 = 0) {
    time.advance(by: .seconds(seconds))
    desk.present(audience, lacksCamera: lacksCamera, in: stage)
  }

  func note(_ report: GuestReport, _ name: String = "ann") {
    desk.note(report, of: name)
    step()
  }

  static let tracks = GuestTracks(
    video: .init(codec: "h264", size: PictureSize(width: 1280, height: 720), frameRate: 30),
    audio: .init(codec: "aac", sampleRate: 48_000, channels: 2))

  func come(_ name: String = "ann") {
    note(.connecting, name)
    note(.online(Desk.tracks), name)
  }

  @discardableResult
  func perform(_ action: GuestAction, _ name: String = "ann") throws -> Bool {
    defer { step() }
    return try desk.perform(action, name, by: "by test")
  }

  func state(_ name: String = "ann") -> String? {
    GuestsReply(desk.table) { _ in "" }.guests.first { $0.name == name }?.state
  }

  var scene: GuestScene { stage.told.withLock { $0.scene } }
  var sceneCount: Int { stage.told.withLock { $0.scenes } }
  var seen: [String] {
    scene.panes.map { pane in
      switch pane.content {
      case .host: scene.lacksCamera ? "host*" : "host"
      case .guest(let name): pane.isCard ? "\(name)*" : name
      }
    }
  }
  var heard: [String] { scene.sounds.map(\.guest) }
  var read: [String] { stage.told.withLock { $0.requests.map(\.name) } }
  var codes: [String] { events.newest.map(\.code.rawValue) }
  var newest: [Event] { events.newest }
  /// What the disk has.
  var saved: KeptGuests { KeptGuests.saved(in: directory, guests: ["ann"], events: events) }

  /// Waits until the disk has what is to be kept.
  func cut() { #expect(jobs.finish(by: .now() + .seconds(60))) }
}

@Suite struct GuestDeskTests {
  @Test func nothingOfAGuestIsShownBeforeHeIsAdmitted() throws {
    let desk = try Desk()
    #expect(desk.read == ["ann", "bob"] && desk.state() == "connecting")
    desk.come()
    #expect(desk.state() == "waiting" && desk.seen.isEmpty && desk.heard.isEmpty)
    #expect(try desk.perform(.admit))
    #expect(desk.state() == "on_air" && desk.seen == ["host", "ann"] && desk.heard == ["ann"])
    #expect(desk.scene.panes[1].label == "Anna" && desk.scene.panes[1].cardText == "Anna")
    #expect(try !desk.perform(.admit), "a second time")
    #expect(
      desk.codes == [
        "guest_waiting", "guest_tracks", "guest_admitted", "guest_online", "layout_changed",
      ])
    let last = try #require(desk.newest.last)
    #expect(last.layout == "side_by_side" && last.cause == "automatic")
    #expect(try desk.perform(.hide))
    #expect(desk.seen.isEmpty && desk.heard.isEmpty && desk.state() == "waiting")
    #expect(desk.newest.last?.layout == "bypass")
  }

  @Test func offAirNothingIsShownAndInAPauseNothingIsHeard() throws {
    let desk = try Desk()
    desk.audience = .nobody
    desk.come()
    try desk.perform(.admit)
    #expect(desk.state() == "on_air" && desk.scene == GuestScene())
    desk.audience = .live
    desk.step()
    #expect(desk.seen == ["host", "ann"] && desk.heard == ["ann"])
    desk.audience = .paused
    desk.step()
    #expect(desk.seen == ["host", "ann"] && desk.heard.isEmpty)
    // Nothing new, so the studio is not told anything.
    let count = desk.sceneCount
    for _ in 0..<100 { desk.step() }
    #expect(desk.sceneCount == count)
  }

  @Test func whoIsRemovedIsGoneAtOnceAndIsNotRead() throws {
    let desk = try Desk()
    desk.come()
    try desk.perform(.admit)
    #expect(try desk.perform(.remove))
    #expect(desk.seen.isEmpty && desk.state() == "removed" && desk.read == ["bob"])
    #expect(desk.codes.suffix(3) == ["guest_removed", "guest_offline", "layout_changed"])
    // What the reader had under way is not believed any more.
    desk.note(.online(Desk.tracks))
    #expect(desk.state() == "removed")
    #expect(throws: (any Error).self) { try desk.perform(.admit) }
    #expect(try desk.perform(.allow))
    #expect(desk.read == ["ann", "bob"] && desk.state() == "connecting")
    desk.note(.online(Desk.tracks))
    #expect(desk.state() == "connecting", "of the reader before")
    desk.come()
    #expect(desk.state() == "waiting")
  }

  @Test func aLostGuestKeepsHisPlaceForTheTimeOfTheSettings() throws {
    let desk = try Desk(Desk.ann + ["guests.lost_seconds=10"])
    desk.come()
    try desk.perform(.admit)
    desk.note(.offline(GuestOffline(fault: .lost, sentence: "lost")))
    #expect(desk.state() == "lost" && desk.seen == ["host", "ann"])
    desk.step(3)
    #expect(desk.seen == ["host", "ann*"])
    desk.note(.online(Desk.tracks))
    #expect(desk.state() == "on_air" && desk.seen == ["host", "ann"])
    desk.note(.offline(GuestOffline(fault: .lost, sentence: "lost")))
    desk.step(11)
    #expect(desk.state() == "connecting" && desk.seen.isEmpty)
    #expect(!desk.codes.contains("guest_failed"), "guest_tracks and guest_offline tell it")
    let offline = try #require(desk.newest.last { $0.code == .guestOffline })
    #expect(offline.cause == "dropped" && offline.subject == "ann" && offline.elapsedS == 3)
    desk.come()
    try desk.perform(.admit)
    desk.note(.offline(GuestOffline(fault: nil, sentence: "left")))
    #expect(desk.seen.isEmpty && desk.state() == "connecting")
    #expect(desk.newest.last { $0.code == .guestOffline }?.cause == "quit")
  }

  @Test func aStalledPictureBecomesACardAndTheSoundGoesOn() throws {
    let desk = try Desk()
    desk.come()
    try desk.perform(.admit)
    desk.note(.pictureStalled)
    #expect(desk.seen == ["host", "ann"])
    desk.step(1)
    #expect(desk.seen == ["host", "ann*"] && desk.heard == ["ann"] && desk.state() == "on_air")
    desk.note(.pictureBack)
    #expect(desk.seen == ["host", "ann"])
  }

  /// Nobody else in the picture is touched.
  @Test func aStillIsInThePlaceOfALostCamera() throws {
    let desk = try Desk()
    desk.come()
    try desk.perform(.admit)
    #expect(desk.seen == ["host", "ann"] && desk.desk.table.showsGuests)
    desk.lacksCamera = true
    desk.step()
    #expect(desk.seen == ["host*", "ann"] && desk.heard == ["ann"])
    try desk.perform(.remove)
    #expect(desk.seen == [] && !desk.desk.table.showsGuests)
  }

  @Test func aFailureIsToldOnceUntilItIsOver() throws {
    let desk = try Desk()
    desk.note(.connecting)
    for fault in [GuestFault.noConnection, .timedOut, .noConnection, .timedOut] {
      desk.note(.offline(GuestOffline(fault: fault, sentence: "\(fault)")))
    }
    #expect(desk.codes == ["guest_failed", "guest_failed"])
    #expect(desk.newest.map(\.cause) == ["no_connection", "timed_out"])
    desk.note(.online(Desk.tracks))
    #expect(desk.codes.suffix(3) == ["guest_back", "guest_waiting", "guest_tracks"])
    desk.note(.offline(GuestOffline(fault: .unauthorized, sentence: "no")))
    #expect(desk.newest.last { $0.code == .guestFailed }?.cause == "unauthorized")
  }

  @Test func anotherAddressIsAnotherGuest() throws {
    let desk = try Desk()
    desk.come()
    try desk.perform(.admit)
    try desk.change(["guest.ann.url=rtsp://192.0.2.9/a"] + Desk.bob)
    #expect(desk.seen.isEmpty && desk.state() == "connecting")
    desk.note(.online(Desk.tracks))
    #expect(desk.state() == "connecting", "of the address before")
    desk.come()
    #expect(desk.state() == "waiting" && desk.seen.isEmpty)
  }

  @Test func settingsOfAGuestChangeWhatIsShown() throws {
    let desk = try Desk()
    desk.come()
    try desk.perform(.admit)
    try desk.change(
      Desk.ann + Desk.bob + [
        "guest.ann.volume=20", "guest.ann.mute=true", "guest.ann.mirror=true", "guest.ann.fit=fit",
        "guest.ann.crop=10  0 20 5",
      ])
    #expect(desk.scene.sounds[0].gain.volume == 20 && desk.scene.sounds[0].gain.isMuted)
    #expect(desk.scene.panes[1].mirror && desk.scene.panes[1].fit == .fit)
    #expect(desk.scene.panes[1].crop == Crop(left: 0.1, top: 0, right: 0.2, bottom: 0.05))
    try desk.change(Desk.ann + Desk.bob + ["guest.ann.picture=false", "guest.ann.sound=false"])
    #expect(desk.seen.isEmpty && desk.heard.isEmpty, "neither is taken")
    try desk.change(Desk.ann + Desk.bob + ["guest.ann.picture=false"])
    #expect(desk.seen == ["host", "ann*"] && desk.scene.unusedPictures == ["ann"])
  }

  @Test func whoSendsIsNotRead() throws {
    let desk = try Desk(["guest.cid.key=0123456789"])
    #expect(desk.read.isEmpty && desk.state("cid") == "connecting")
    let guest = try #require(GuestsReply(desk.desk.table) { _ in "" }.guests.first)
    #expect(
      guest.way == "send" && guest.url.isEmpty && guest.sentence?.contains("guests.listen") == true)
  }

  // MARK: Layouts

  @Test func aPersonOrAProgramChoosesTheLayout() throws {
    let desk = try Desk(Desk.ann + ["layout.mine.panes=host 0 0 0.5 0.5\n#1 0.5 0.5 0.5 0.5 z=2"])
    desk.come()
    try desk.perform(.admit)
    func choose(_ text: String) throws {
      try desk.desk.arrange { (choice) throws(GuestRefusal) in try choice.choose(GuestLayout(text))
      }
      desk.step()
    }
    try choose("single")
    #expect(desk.seen.isEmpty && desk.heard == ["ann"], "the host fills the picture")
    try choose("guest")
    #expect(desk.seen == ["ann"])
    try choose("mine")
    #expect(desk.seen == ["host", "ann"] && desk.scene.panes[1].area.x == 0.5)
    #expect(desk.newest.last?.layout == "mine" && desk.newest.last?.cause == "hand")
    #expect(throws: GuestRefusal.self) { try choose("nothing") }
    try desk.desk.arrange { (choice) throws(GuestRefusal) in
      choice.giveBack()
      try choice.begin(MixTask("t", .bypass, source: .guest("ann")))
    }
    desk.step()
    #expect(desk.seen == ["ann"] && desk.heard == ["ann"])
    #expect(desk.desk.table.silencedTracks == .named(["main"]), "the host is not heard")
    #expect(desk.newest.last?.layout == "guest:ann" && desk.newest.last?.cause == "task")
  }

  // MARK: Power cuts

  @Test func aPowerCutKeepsWhoWasAdmittedHiddenAndRemoved() throws {
    let settings =
      Desk.ann + Desk.bob + ["guest.cid.url=rtsp://192.0.2.3/c", "guest.cid.admit=auto"]
    let desk = try Desk(settings)
    desk.come()
    desk.come("cid")
    try desk.perform(.admit)
    try desk.perform(.hide, "cid")
    try desk.perform(.remove, "bob")
    try desk.desk.arrange { (choice) throws(GuestRefusal) in try choice.choose(.grid) }
    desk.step()
    desk.cut()
    let again = try Desk(settings, in: desk.directory, goesOn: true)
    #expect(again.read == ["ann", "cid"] && again.state("bob") == "removed")
    again.come()
    again.come("cid")
    #expect(again.seen == ["host", "ann"] && again.state("cid") == "waiting")
    #expect(again.desk.table.programme == .mix(.grid))
    // Off air, only what keeps somebody out goes on.
    let off = try Desk(settings, in: desk.directory, goesOn: false)
    off.come()
    off.come("cid")
    #expect(off.state() == "waiting" && off.state("cid") == "waiting")
    #expect(off.state("bob") == "removed" && off.desk.table.layout.choice == nil)
  }

  @Test func anAddressThatHasChangedMeanwhileIsNotAdmitted() throws {
    let desk = try Desk()
    desk.come()
    try desk.perform(.admit)
    desk.cut()
    let again = try Desk(["guest.ann.url=rtsp://192.0.2.9/a"], in: desk.directory, goesOn: true)
    again.come()
    #expect(again.state() == "waiting" && again.seen.isEmpty)
  }

  @Test func theEndOfTheBroadcastForgetsWhoWasAdmitted() throws {
    let desk = try Desk()
    desk.come()
    try desk.perform(.admit)
    desk.desk.endBroadcast()
    desk.step()
    #expect(desk.state() == "waiting" && desk.seen.isEmpty)
    desk.cut()
    #expect(desk.saved == KeptGuests())
  }

  /// Whom a person has removed does not come back because of a damaged disk.
  @Test func aFileThatCannotBeReadKeepsEverybodyOut() throws {
    let directory = stateDirectory()
    try File.replace("guests.json", in: directory, with: Array("{".utf8))
    let desk = try Desk(in: directory, goesOn: true)
    #expect(desk.state() == "removed" && desk.state("bob") == "removed" && desk.read.isEmpty)
  }
}
