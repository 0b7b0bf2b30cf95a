// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Director
import FoundationEssentials
import Logging
import Settings
import Synchronization
import TestSupport
import Testing

@testable import Box
@testable import Events
@testable import Schedule
@testable import Studio

/// A station whose time of day a test sets, on a machine with a real-time clock, or without one. Nothing supervises it: what
/// is asked for counts.
private struct PlannedStation {
  /// The time of day at which tests begin: 2026-03-22 08:00 UTC, a Sunday, 9:00 in Berlin.
  static let start: Int64 = 1_774_166_400

  let directory: String
  let time: Time
  let uptime = VirtualClock()
  let sys: FakeSys
  let store: IntentStore
  let station: Station
  let desk: SettingsDesk

  final class Time: Sendable {
    let seconds = Atomic(PlannedStation.start)
  }

  init(
    _ toml: String, in directory: String = stateDirectory(), at time: Int64 = start,
    hasClock: Bool = true, server: String = #"publish.url = "rtmp://127.0.0.1:9/live""#
  ) throws {
    self.directory = directory
    let wall = Time()
    wall.seconds.store(time, ordering: .relaxed)
    self.time = wall
    sys = try FakeSys(hasClock ? PlannedStation.clock(time) : [:])
    let file = "\(directory)/../planned.toml"
    try Data(
      """
      \(server)
      publish.key = "k"
      video.source = "pattern"
      audio.source = "tone"
      box.zone = "Europe/Berlin"
      \(toml)
      """.utf8
    ).write(to: URL(filePath: file))
    let load: SettingsReader = { (source) throws(ConfigurationError) in
      try Configuration.load(
        file: file, runTime: source, overrides: ["state.directory=\(directory)"], environment: [:])
    }
    store = IntentStore(directory: directory) { _ in }
    let events = EventLog(
      log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, before: 0, clock: uptime.clock,
      wallClock: WallClock { wall.seconds.load(ordering: .relaxed) * 1_000 })
    let configuration = try load(.directory(directory))
    station = Station(
      configuration: configuration, reload: load, store: store, events: events, root: sys.root)
    desk = SettingsDesk(station, configuration: configuration, reload: load)
    store.start()
  }

  /// A real-time clock that shows this time.
  static func clock(_ time: Int64) -> [String: String] {
    ["class/rtc/rtc0/hctosys": "1", "class/rtc/rtc0/since_epoch": "\(time)"]
  }

  /// Lets the time pass until so many minutes after the start, and lets the schedule act.
  func go(to minutes: Int64) {
    let then = PlannedStation.start + minutes * 60
    let now = time.seconds.exchange(then, ordering: .relaxed)
    uptime.advance(by: .seconds(max(0, then - now)))
    station.schedule.tick(desk)
  }

  var intent: Intent.Broadcast { station.intent.broadcast }
  var status: ScheduleStatus? { station.status.schedule }
  func count(_ code: Event.Code) -> Int { station.events.newest.count { $0.code == code } }

  /// Ends the program as a power cut does, after the intent was saved.
  func end() {
    #expect(store.stop(by: .now() + .seconds(60)))
    #expect(station.stop(goodbye: false, by: .now() + .seconds(60)))
  }
}

private let sunday = """
  [[schedule]]
  name = "sunday"
  days = "sun"
  at = "09:55"
  minutes = 80
  """

@Suite struct ScheduleKeeperTests {
  @Test("It begins, is told, is extended by the button, and ends")
  func plain() throws {
    let box = try PlannedStation(sunday)
    defer { box.end() }
    box.go(to: 0)
    #expect(box.intent == .off)
    #expect(box.status?.next?.beginsAt == "2026-03-22T08:55:00Z")
    #expect(!box.station.schedule.extendByButton())
    box.go(to: 55)
    #expect(box.intent == .live)
    #expect(box.status?.running?.name == "sunday")
    #expect(box.status?.endsAt == "2026-03-22T10:15:00Z")
    #expect(box.status?.warning == false)
    box.go(to: 131)
    #expect(box.status?.warning == true)
    #expect(box.station.state.withLock { $0.isEndNear })
    #expect(box.count(.scheduleEnds) == 1)
    #expect(box.station.schedule.extendByButton())
    box.go(to: 135)
    #expect(box.intent == .live)
    #expect(box.status?.endsAt == "2026-03-22T10:30:00Z")
    box.go(to: 150)
    #expect(box.intent == .off)
    #expect([.scheduleBegun, .scheduleExtended, .scheduleEnded].allSatisfy { box.count($0) == 1 })
    #expect(box.count(.scheduleStopped) == 0)
  }

  @Test(
    "A power cut: it goes on as it was, also paused and with autostart never; after its end it does not"
  )
  func powerCut() throws {
    let settings = "publish.autostart = \"never\"\n\(sunday)"
    let box = try PlannedStation(settings)
    box.go(to: 55)
    try box.station.perform(.pause, by: "by test")
    box.end()
    let next = try PlannedStation(settings, in: box.directory, at: PlannedStation.start + 4_200)
    #expect(next.intent == .paused)
    next.go(to: 71)
    #expect(next.intent == .paused)
    #expect(next.status?.running?.name == "sunday")
    next.end()
    let late = try PlannedStation(
      "publish.autostart = \"resume\"\n\(sunday)", in: box.directory,
      at: PlannedStation.start + 9_000)
    defer { late.end() }
    #expect(late.intent == .off)
    late.go(to: 151)
    #expect(late.intent == .off)
    #expect(late.status?.running == nil)
  }

  @Test("Without a clock it waits off the air, then goes on as it was")
  func held() throws {
    let box = try PlannedStation(sunday)
    box.go(to: 55)
    try box.station.perform(.pause, by: "by test")
    box.end()
    let next = try PlannedStation(
      sunday, in: box.directory, at: PlannedStation.start - 900_000, hasClock: false)
    #expect(next.intent == .off)
    next.station.schedule.tick(next.desk)
    #expect(next.intent == .off)
    #expect(next.status?.clockSet == false)
    try next.sys.write(PlannedStation.clock(PlannedStation.start + 70 * 60))
    next.go(to: 70)
    #expect(next.intent == .paused)
    #expect(next.status?.running?.name == "sunday")
    next.end()
    // Another cut, and the clock is set only after the end: it is forgotten, for good.
    let late = try PlannedStation(
      sunday, in: box.directory, at: PlannedStation.start - 900_000, hasClock: false)
    try late.sys.write(PlannedStation.clock(PlannedStation.start + 200 * 60))
    late.go(to: 200)
    #expect(late.intent == .off)
    late.end()
    let last = try PlannedStation(sunday, in: box.directory, at: PlannedStation.start + 12_060)
    defer { last.end() }
    #expect(last.intent == .off)
  }

  @Test("What a hand has stopped stays stopped, and what a hand starts is not ended")
  func byHand() throws {
    let box = try PlannedStation(sunday)
    box.go(to: 55)
    try box.station.perform(.stop, by: "by test")
    box.go(to: 56)
    #expect(box.count(.scheduleStopped) == 1)
    try box.station.perform(.start, by: "by test")
    box.go(to: 140)
    #expect(box.intent == .live)
    #expect(box.count(.scheduleEnded) == 0)
    box.end()
    let next = try PlannedStation(sunday, in: box.directory, at: PlannedStation.start + 3_600)
    defer { next.end() }
    #expect(next.intent == .live)
    next.go(to: 140)
    #expect(next.intent == .live)
  }

  @Test("A server of its own is used, and forgotten after the broadcast's end")
  func ownServer() throws {
    let box = try PlannedStation(
      sunday + "\nurl = \"rtmp://127.0.0.1:7/other/deep?token=x\"\nkey = \"own\"")
    defer { box.end() }
    box.go(to: 55)
    #expect(box.intent == .live)
    let target = box.station.state.withLock { $0.once?.target.target }
    #expect(target?.port == 7)
    let saved = try String(contentsOfFile: "\(box.directory)/once.json", encoding: .utf8)
    #expect(saved.contains("rtmp://127.0.0.1:7/other/deep?token=x"))
    let listed = String(
      decoding: box.station.schedule.entries(box.station.settings), as: UTF8.self)
    #expect(listed.contains("\"next\"") && !listed.contains("own\"") && !listed.contains("token=x"))
  }

  @Test("A start that fails is told once, and is a trouble until it works")
  func fails() throws {
    let box = try PlannedStation(sunday, server: "")
    defer { box.end() }
    box.go(to: 55)
    box.go(to: 56)
    #expect(box.intent == .off)
    #expect(box.count(.scheduleFailed) == 1)
    #expect(box.station.status.troubles.contains { $0.subject == "schedule" })
    box.go(to: 70)
    #expect(box.count(.scheduleMissed) == 1)
  }

  @Test(
    "Skips survive a power cut and can be taken back; entries can be changed while the box runs")
  func skips() throws {
    let box = try PlannedStation(sunday)
    box.go(to: 0)
    let id = try #require(box.status?.next?.id)
    #expect(box.station.schedule.skip(nil, undo: false, by: "by test").ok)
    box.end()
    let next = try PlannedStation(sunday, in: box.directory)
    defer { next.end() }
    next.go(to: 1)
    #expect(next.status?.next?.beginsAt == "2026-03-29T07:55:00Z")
    #expect(next.station.schedule.calendar.upcoming.first?.skipped == true)
    #expect(!next.station.schedule.skip("nothing", undo: false, by: "by test").ok)
    #expect(next.station.schedule.skip(id, undo: true, by: "by test").ok)
    let reply = try next.desk.change(
      "sunday", in: ScheduleSettings.list, by: "by test", isRemote: false
    ) { _ in ["schedule.sunday.at": .text("09:58")] }
    #expect(reply.ok)
    next.go(to: 2)
    #expect(next.status?.next?.beginsAt == "2026-03-22T08:58:00Z")
  }

  @Test("A calendar is taken, kept, listed and removed; one that is none changes nothing")
  func calendar() throws {
    let box = try PlannedStation("")
    box.go(to: 0)
    #expect(box.status == nil)
    func event(_ uid: String, _ start: String) -> String {
      "BEGIN:VEVENT\nUID:\(uid)\nSUMMARY:\(uid)\nDTSTART\(start)\nDURATION:PT1H\nEND:VEVENT\n"
    }
    let text =
      "BEGIN:VCALENDAR\n\(event("one", ":20260322T090000Z"))\(event("day", ";VALUE=DATE:20260323"))END:VCALENDAR\n"
    let reply = box.station.schedule.take(calendar: Array(text.utf8), by: "by test")
    #expect(reply.ok && reply.sentence?.contains("1 event; 1 more is not understood") == true)
    #expect(!box.station.schedule.take(calendar: Array("<html>".utf8), by: "by test").ok)
    box.go(to: 1)
    #expect(box.status?.next?.name == "one")
    #expect(box.station.schedule.calendar.notUnderstood.map(\.title) == ["day"])
    box.end()
    let next = try PlannedStation("", in: box.directory)
    defer { next.end() }
    next.go(to: 2)
    #expect(
      eventually {
        next.station.schedule.tick(next.desk)
        return next.status?.next?.name == "one"
      })
    #expect(next.station.schedule.removeCalendar(by: "by test").ok)
    next.go(to: 3)
    #expect(next.status == nil)
  }

  @Test("An event of a kept calendar that began a minute before a restart is broadcast")
  func calendarAtBeginning() throws {
    let box = try PlannedStation("")
    box.go(to: 0)
    let text =
      "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:one\nDTSTART:20260322T090000Z\n"
      + "DURATION:PT1H\nEND:VEVENT\nEND:VCALENDAR"
    #expect(box.station.schedule.take(calendar: Array(text.utf8), by: "by test").ok)
    box.go(to: 1)
    box.end()
    let next = try PlannedStation("", in: box.directory, at: PlannedStation.start + 61 * 60)
    defer { next.end() }
    #expect(
      eventually {
        next.station.schedule.tick(next.desk)
        return next.intent == .live
      })
  }

  @Test("A kept calendar that cannot be read does not hold up the entries of the settings")
  func brokenCalendar() throws {
    let directory = stateDirectory()
    try Data("<html>".utf8).write(to: URL(filePath: "\(directory)/calendar-import.ics"))
    let box = try PlannedStation(sunday, in: directory, at: PlannedStation.start + 56 * 60)
    defer { box.end() }
    #expect(
      eventually {
        box.station.schedule.tick(box.desk)
        return box.intent == .live
      })
  }
}

@Suite struct ClockTrustTests {
  private static let now: Int64 = 1_774_166_400

  @Test("A clock is set if NTP keeps it or the hardware has kept it, and stays so")
  func sources() throws {
    let none = try FakeSys()
    #expect(!ClockTrust(root: none.root, isTrusted: false) { false }.isSet(now: Self.now))
    #expect(ClockTrust(root: none.root, isTrusted: true) { false }.isSet(now: Self.now))
    let isKept = Mutex(true)
    let trust = ClockTrust(root: none.root, isTrusted: false) { isKept.withLock { $0 } }
    #expect(trust.isSet(now: Self.now))
    isKept.withLock { $0 = false }
    #expect(trust.isSet(now: Self.now))
  }

  @Test(
    "A real-time clock counts only if it has kept its time and the system has its time from it",
    arguments: [
      ("1", now, true), ("1", now + 60, true), ("0", now, false), ("1", now + 3_600, false),
      // Without a battery it begins at 1970 or 2000.
      ("1", 200, false), ("1", 946_684_900, false),
    ])
  func hardware(hctosys: String, time: Int64, isSet: Bool) throws {
    let sys = try FakeSys([
      "class/rtc/rtc0/hctosys": hctosys, "class/rtc/rtc0/since_epoch": "\(time)",
    ])
    let now = time < 1_000_000_000 ? time : Self.now
    #expect(ClockTrust(root: sys.root, isTrusted: false) { false }.isSet(now: now) == isSet)
  }

  @Test("The name of a zone never leads out of the database")
  func zoneNames() {
    let zones = ZoneFiles()
    #expect(zones.find("Europe/Berlin") != nil)
    for name in [
      "", "/etc/passwd", "../zoneinfo/UTC", "Europe//Berlin", "Europe/Berlin\0", "a/b/c/d", ".",
    ] {
      #expect(zones.find(name) == nil)
    }
  }

  @Test("A zone that was read is kept, and names of no zone take no room")
  func zonesKept() throws {
    let folder = stateDirectory()
    let zones = ZoneFiles(folder: folder)
    #expect((0..<600).allSatisfy { zones.find("None\($0)") == nil })
    let file = URL(filePath: "\(folder)/Berlin")
    try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/Europe/Berlin")).write(to: file)
    #expect(zones.find("Berlin") != nil)
    try FileManager.default.removeItem(at: file)
    #expect(zones.find("Berlin") != nil)
  }
}
